# SPDX-License-Identifier: GPL-3.0-or-later
"""Code of a script that C would call while it holds what the script gave it; classes that C would call for a script."""

from __future__ import annotations

import builtins
import contextlib
import functools
import io
from typing import Any

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting

HELD = """
import array, bpy, bmesh, mathutils
import numpy as np
from mathutils import Matrix, Vector, geometry, kdtree
ran = []
def numbers(act, count=3):
    for place in range(count):
        act()
        yield float(place)
class Own:
    def __init__(self, act): self.act = act
    def __len__(self): ran.append(self.act()); return 2
    def __getitem__(self, place):
        if place > 1: raise IndexError(place)
        ran.append(self.act())
        return 1.0
    def __lt__(self, other): ran.append(self.act()); return True
    def __add__(self, other): ran.append(self.act()); return 1.0
    __radd__ = __add__
    def __str__(self): ran.append(self.act()); return "x"
many = [0.0] * 300
def none(act):
    ran.clear()
    try: act()
    except Exception: pass
    assert not ran, "RAN"
"""
CALLED = {
    "a list of generators": "none(lambda: geometry.convex_hull_2d([numbers(lambda: ran.append(1))] + many))",
    "a list of own sequences": "none(lambda: geometry.convex_hull_2d([Own(many.clear)] + many))",
    "a list of iterators of C": "none(lambda: geometry.tessellate_polygon([[map(ran.append, [1])] + many]))",
    "iterators of C deep in lists": "none(lambda: geometry.tessellate_polygon(([(map(ran.append, [1]),)],)))",
    "iterators of C in an array": "none(lambda: np.array([map(ran.append, [1])] + many))",
    "iterators of C for a property": "o = bpy.data.objects.new('o', None)\n"
    "def put(): o.location = [map(ran.append, [1]), 0.0, 0.0]\nnone(put)",
    "an advanced generator": "g = numbers(many.clear)\nnext(g)\nran.clear()\n"
    "def count():\n    ran.append(1)\n    return 1\n"
    "none(lambda: geometry.tessellate_polygon([[numbers(count)]]))",
    "an array of own objects": "none(lambda: np.array([Own(many.clear)] + many, dtype=object))",
    "an array of their numbers": "none(lambda: np.array([Own(many.clear)], dtype=float))",
    "what numpy sorts": "a = np.empty(3, dtype=object)\na[:] = [None] * 3\n"
    "for i in range(3): a[i:i + 1] = [len] * 1\nnone(lambda: np.sort(a))\n"
    "none(lambda: np.array([Own(many.clear), Own(many.clear)], dtype=object).argmax())",
    "an operator of arrays": "none(lambda: np.ones(3) + [Own(many.clear)])",
    "an array in place": "a = np.zeros(3)\ndef put(): a[0:1] = [Own(many.clear)]\nnone(put)",
    "an index of an array": "none(lambda: np.zeros(3)[[Own(many.clear)]])",
    "a vector in a list": "none(lambda: Vector([Own(many.clear), 1.0]))",
    "a matrix": "none(lambda: Matrix([[Own(many.clear), 1.0], many[:2]]))",
    "the class by map": "none(lambda: list(map(Vector, [[Own(many.clear), 1.0]])))",
    "a method by map": "none(lambda: list(map(Vector((1, 2)).dot, [[Own(many.clear), 1.0]])))",
    "a function by partial": "import functools\nnone(functools.partial(geometry.convex_hull_2d, [Own(many.clear)]))",
    "a coordinate": "b = bmesh.new()\nv = b.verts.new((0, 0, 0))\ndef put(): v.co = [Own(b.free), 0.0, 0.0]\nnone(put)",
    "an operator of bmesh": "b = bmesh.new()\nv = b.verts.new((0, 0, 0))\n"
    "none(lambda: bmesh.ops.translate(b, verts=[v], vec=[Own(b.free), 0.0, 0.0]))",
    "the property of an object": "o = bpy.data.objects.new('o', None)\n"
    "def put(): o.location = [Own(lambda: bpy.data.objects.remove(o)), 0.0, 0.0]\nnone(put)",
    "many at once": "m = bpy.data.meshes.new('m')\nm.vertices.add(2)\n"
    "none(lambda: m.vertices.foreach_set('co', [Own(m.clear_geometry)] * 6))",
    "a custom property": "o = bpy.data.objects.new('o', None)\ndef put(): o['x'] = [Own(lambda: 1), 1.0]\nnone(put)",
    "an argument by name": "p = (0, 0), [Own(many.clear), 1.0], (1, 1), (2, 2)\n"
    "none(lambda: geometry.interpolate_bezier(*p, 5))",
    "an operator": "none(lambda: bpy.ops.transform.translate(value=[Own(many.clear), 0.0, 0.0]))",
}


@pytest.mark.parametrize("name", CALLED)
def test_no_code_of_a_script_runs_while_c_holds_its_values(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.run(HELD + CALLED[name])


def test_iterators_and_own_sequences_are_given_as_lists() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.run(
        HELD
        + """
class Point:
    def __init__(self, *parts): self.parts = parts
    def __iter__(self): return iter(self.parts)
one = Vector(n * 2 for n in (1, 2, 3))
assert tuple(one) == (2, 4, 6) and tuple(Vector(map(float, "123"))) == (1, 2, 3)
assert tuple(Vector(Point(4, 5))) == (4, 5)
assert tuple(map(Vector, ([1, 2], (3, 4)))) == (Vector((1, 2)), Vector((3, 4)))
assert Matrix((n, n) for n in (1, 2))[1][0] == 2 and one.lerp(Point(0, 0, 0), 1.0).length == 0
b = bmesh.new()
verts = [b.verts.new(p) for p in ((0, 0, 0), (1, 0, 0), (1, 1, 0))]
face = b.faces.new(v for v in verts)
verts[0].co = (float(n) for n in range(3))
assert tuple(verts[0].co) == (0, 1, 2) and len(face.verts) == 3
b.verts.sort(key=lambda v: v.co.x)
bmesh.ops.translate(b, verts=b.verts[:], vec=Point(1, 0, 0))
o = bpy.context.object
o.location = Point(1, 2, 3)
o.scale = (n + 1.0 for n in range(3))
o["list"] = (n for n in range(3))
assert tuple(o.location) == (1, 2, 3) and tuple(o.scale) == (1, 2, 3) and list(o["list"]) == [0, 1, 2]
values = array.array("f", [0.0]) * (3 * len(o.data.vertices))
o.data.vertices.foreach_get("co", values)
assert any(values)
o.data.vertices.foreach_set("co", (v * 2 for v in values))
tree = kdtree.KDTree(3)
for n in range(3): tree.insert((n, 0, 0), n)
tree.balance()
assert tree.find((0.1, 0, 0), filter=lambda n: n != 0)[1] == 1 and tree.find(Point(2, 0, 0))[1] == 2
assert np.vectorize(lambda n: n + 1)(np.arange(3)).tolist() == [1, 2, 3]
assert np.fromiter((n for n in range(3)), float).sum() == 3 and np.sum([n for n in range(3)]) == 3
assert np.apply_along_axis(lambda row: row.sum(), 1, np.ones((2, 3))).tolist() == [3, 3]
point = np.dtype([("at", [("x", float), ("y", float)]), ("id", int)])
assert np.zeros(2, point)["at"]["x"].sum() == 0 and np.dtype([("p", point), ("q", point, (2,))]).itemsize == 72
assert np.sort(np.array([3, 1, 2])).tolist() == [1, 2, 3] and np.sum.__name__ == "sum"
with np.errstate(divide="ignore", invalid="ignore"):
    np.ones(2) / np.zeros(2)
seen = {id(o): "o", id(one): "one"}
assert seen[id(o)] == "o" and id(o) == id(o) != id(one)
def walk(): yield from Point(1, 2); yield from (n for n in range(2))
assert list(walk()) == [1, 2, 0, 1]
import json, datetime
class Thing: pass
text = json.dumps({"a": [Thing(), (1, "x")], 2: None}, default=lambda one: "thing")
assert text == '{"a": ["thing", [1, "x"]], "2": null}'
assert datetime.date(2024, 1, 2).isoformat() == "2024-01-02"
"""
    )


REFUSED = {
    "a class by map": "import bpy\nlist(map(type(bpy.context.object), [bpy.context.object]))",
    "a class in an attribute": "import bpy\nclass A: pass\na = A()\n"
    "a.k = type(bpy.context.object)\na.k(bpy.data.objects[0])",
    "a class as a key": "import bpy\nsorted([bpy.context.object], key=type(bpy.context.object))",
    "a class as a method": "import bpy\nclass A:\n    __call__ = type(bpy.context.scene)\nA()(bpy.context.object)",
    "a class as an operator": "import bpy\nclass A:\n    __getitem__ = type(bpy.context.scene)\n"
    "A()[bpy.context.object]",
    "a class as a property": "import bpy\nclass A:\n    k = property(type(bpy.context.object))\nA().k",
    "a class by partial": "import bpy, functools\nfunctools.partial(type(bpy.context.object), bpy.context.object)()",
    "a class by reduce": "import functools\nfunctools.reduce(type(lambda: 1), [(lambda: 1).__name__, {}])",
    "a class as a decorator": "import bpy\nk = type(bpy.context.object)\n@k\ndef f(): pass",
    "a class as a factory": "import collections\ncollections.defaultdict(type(collections.OrderedDict().keys()))[1]",
    "a class in a list": "import bpy\n[type(bpy.context.object)][0](bpy.context.object)",
    "a class by a library": "import re, bpy\nre.sub('a', type(bpy.context.object), 'a')",
    "a pickled date": "import datetime\ndatetime.date(b'\\x00\\x00\\x01\\x01').ctime()",
    "a pickled time": "import datetime\nlist(map(datetime.time, [b'\\x3f\\x00\\x01\\x01\\x00\\x00']))",
    "what numpy calls": "import numpy as np\nnp.errstate(all='call', call=print)",
    "a pickled date by a library": "import datetime\nimport numpy as np\nraw = np.empty(1, object)\n"
    "raw[0] = bytes([0, 0, 1, 1])\nnp.vectorize(datetime.date, otypes=[object])(raw)",
    "a pickled date as a key": "import datetime, heapq\n"
    "heapq.nlargest(1, [b'\\x00\\x00\\x01\\x01'], key=datetime.date)",
    "a record of numpy's": "import functools\nimport numpy as np\nclass A:\n"
    "    k = functools.cached_property(np.dtype('V8').type)\nA().k",
    "properties in each other": "x = property(None)\nfor i in range(200): x = property(x)",
    "class methods in each other": "x = classmethod(len)\nfor i in range(200): x = list(map(classmethod, [x]))[0]",
    "types in each other": "x = list[int]\nfor i in range(200): x = dict[x, x]",
    "records in each other": "import numpy as np\nd = np.dtype(int)\nfor i in range(99): d = np.dtype([('a', d)])",
    "records in an array": "import numpy as np\nd = int\nfor i in range(99): d = np.zeros(1, [('a', d)]).dtype",
    "records in a dictionary": "import numpy as np\nd = np.dtype(int)\n"
    "for i in range(99): d = np.dtype({'names': ['a'], 'formats': [d]})",
    "records twice in each other": "import numpy as np\nd = np.dtype('V0')\n"
    "for i in range(99): d = np.dtype([('a', d), ('b', d)])",
    "arrays in records": "import numpy as np\nd = int\nfor i in range(99): d = np.dtype([('a', d, (1,))])",
    "what numpy logs to": "import numpy as np\nnp.errstate(divide='log')",
}


@pytest.mark.parametrize("name", REFUSED)
def test_classes_make_only_what_a_script_may_make_whoever_calls_them(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    with pytest.raises((core.CoreError, core.PolicyError)):
        scripting.run(REFUSED[name])


def test_no_handler_of_a_generator_runs_while_c_holds_values() -> None:
    table = dict(vars(builtins))
    core.membrane(lambda *_: 1, lambda *_: None)["begin"](table, ())
    scope: dict[str, Any] = {"__builtins__": table, "ran": []}
    exec("def walk():\n    try: yield\n    except Exception: ran.append(1)", scope)
    try:
        for act in (lambda one: one.throw(ValueError), lambda one: one.close()):
            one = scope["walk"]()
            next(one)
            try:
                core.call_enclosed(functools.partial(act, one))
            except RuntimeError as error:
                assert "may not call code of the script" in str(error)
            assert not scope["ran"] and one.gi_frame is None
        one = scope["walk"]()
        next(one)
        with pytest.raises(StopIteration):
            one.throw(ValueError)
        assert scope["ran"] == [1]
    finally:
        core.membrane(lambda *_: 1, lambda *_: None)["begin"]({}, ())


def test_own_classes_with_keys_are_given_as_dictionaries() -> None:
    scripting.run(
        """
import bpy
class Own:
    def keys(self): return ["a", "b"]
    def __getitem__(self, key): return ord(key)
    def __len__(self): return 2
    def __iter__(self): return iter(self.keys())
bpy.context.scene["x"] = Own()
assert bpy.context.scene["x"].to_dict() == {"a": 97, "b": 98}
"""
    )


def test_ordered_dictionaries_are_as_in_python() -> None:
    source = """
from collections import OrderedDict
d = OrderedDict(a=1, b=2, c=3)
print(d, repr(OrderedDict()), OrderedDict(a=OrderedDict(b=1)), {"z": 1} | d, d | {"z": 1}, list(reversed(d)))
d.move_to_end("a")
d.move_to_end("c", last=False)
print(d, d.popitem(), d.popitem(last=False), d == {"b": 2})
for fails in (lambda: OrderedDict().popitem(), lambda: OrderedDict().popitem(last=False), lambda: d.move_to_end(1)):
    try: fails()
    except KeyError as error: print(error)
one, other = OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)
print(one != other, one == dict(other), isinstance(one, dict), one | other, OrderedDict.fromkeys("ab", 0).copy())
one["itself"] = one
print(one)
"""
    plain = io.StringIO()
    with contextlib.redirect_stdout(plain):
        exec(source, {})
    assert scripting.run(source).stdout == plain.getvalue()


def test_overloads_run() -> None:
    scripting.run(
        """
from typing import overload
@overload
def f(a: int) -> int: ...
def f(a): return a
assert f(3) == 3
"""
    )


def test_what_numpy_reports_is_restored_also_when_the_script_is_stopped() -> None:
    import numpy

    before = numpy.geterr()
    with pytest.raises(core.ScriptTimeout):
        scripting.run(
            "import numpy as np\nwith np.errstate(all='raise'):\n    n = 0\n    while n >= 0: n += 1", timeout_ms=300
        )
    assert numpy.geterr() == before


def test_an_iterator_is_not_closed_when_the_generator_over_it_is_freed() -> None:
    result = scripting.run(
        """
class Own:
    def __iter__(self): return self
    def __next__(self): return 1
    def close(self): print("closed")
def walk(): yield from Own()
one = walk()
next(one)
del one
print("end")
"""
    )
    assert result.stdout == "end\n"


def test_the_interface_of_a_tree_in_use_may_be_changed() -> None:
    """Blender 5.2 makes the types of a modifier's inputs anew then; that is no doing of the script."""
    begin = (
        "import bpy\ng = bpy.data.node_groups.new('Used', 'GeometryNodeTree')\n"
        "for side in ('INPUT', 'OUTPUT'):\n"
        "    g.interface.new_socket('Geometry', in_out=side, socket_type='NodeSocketGeometry')\n"
        "s = g.interface.new_socket('Show', in_out='INPUT', socket_type='NodeSocketBool')\n"
        "bpy.context.object.modifiers.new('Used', 'NODES').node_group = g\n"
    )
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.run(begin)
    modifier = bpy.context.object.modifiers["Used"]
    if hasattr(modifier, "properties"):
        modifier.properties.inputs.Socket_2.value  # noqa: B018  Blender makes the types when they are asked for
    change = (
        "import bpy\nface = bpy.data.node_groups['Used'].interface\nshow = face.items_tree['Show']\n"
        "panel = face.new_panel('Rocks')\nface.move_to_parent(show, panel, 0)\nshow.name = 'Rocks'\n"
        "face.new_socket('More', in_out='INPUT', socket_type='NodeSocketFloat')\n"
        "if show.socket_type == 'NodeSocketBool' and hasattr(show, 'is_panel_toggle'):\n"
        "    show.is_panel_toggle = True\n"
    )
    scripting.run(change)
    scripting.run(change.replace("['Show']", "['More']"))
    names = [item.name for item in bpy.data.node_groups["Used"].interface.items_tree]
    assert names.count("More") == 1 and names.count("Rocks") >= 3, names
