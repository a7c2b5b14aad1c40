# SPDX-License-Identifier: GPL-3.0-or-later
"""What C asks a script for while it holds something, what it walks through deaf to signals, what it saves."""

from __future__ import annotations

from pathlib import Path

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting
from geonode_assistant.scripting import pictures

ASKED = """
import bpy, bmesh
from mathutils import Matrix, Vector
class Row:
    def __init__(self, count, act): self.count, self.act = count, act
    def __len__(self): return self.count
    def __getitem__(self, place):
        if place >= self.count: raise IndexError(place)
        self.act()
        return 1.0
"""
STOPPED = {
    "the object that is moved": ASKED
    + "o = bpy.data.objects.new('o', None)\no.location = Row(3, lambda: bpy.data.objects.remove(o))",
    "a vertex that is moved": ASKED
    + "m = bpy.data.meshes.new('m')\nm.vertices.add(9000)\nm.vertices[8999].co = Row(3, m.clear_geometry)",
    "the mesh that is filled": ASKED + "m = bpy.data.meshes.new('m')\nm.vertices.add(9)\nr = bpy.data.meshes.remove\n"
    "m.vertices.foreach_set('co', Row(27, lambda: r(m)))",
    "the image that is filled": ASKED
    + "i = bpy.data.images.new('i', 4, 4)\ni.pixels.foreach_set(Row(64, lambda: bpy.data.images.remove(i)))",
    "the points of a curve": ASKED
    + "c = bpy.data.curves.new('c', 'CURVE')\ns = c.splines.new('POLY')\ns.points.add(9)\n"
    "s.points[5].co = Row(4, c.splines.clear)",
    "the nodes of a socket": ASKED
    + "g = bpy.data.node_groups.new('g', 'GeometryNodeTree')\nn = g.nodes.new('ShaderNodeVectorMath')\n"
    "n.inputs[0].default_value = Row(3, g.nodes.clear)",
    "a vector of its own": ASKED + "v = Vector.Fill(300, 1.0)\nv[0:300] = Row(300, lambda: v.resize(4))",
    "another method of a vector": "from mathutils import Vector\nVector((1, 2)).resize_3d(name='copy')",
    "a mesh of bmesh": ASKED + "b = bmesh.new()\nbmesh.ops.create_grid(b, x_segments=3, y_segments=3, size=1)\n"
    "bmesh.ops.translate(b, verts=b.verts[:], vec=Row(3, b.free))",
    "a ray": ASKED + "o = bpy.data.objects.new('o', bpy.data.meshes.new('m'))\n"
    "bpy.context.collection.objects.link(o)\nbpy.context.view_layer.update()\n"
    "o.ray_cast(Row(3, lambda: bpy.data.objects.remove(o)), (0, 0, 1))",
    "a key of a sort": "import bmesh\nb = bmesh.new()\n"
    "bmesh.ops.create_grid(b, x_segments=9, y_segments=9, size=1)\n"
    "def key(v):\n    if b.is_valid: b.free()\n    return 0\nb.verts.sort(key=key)",
    "sets in each other's place": "b = set(range(100000))\nset().union(*([b] * 100000))",
    "what sets share": "b = frozenset(range(100000))\nb.intersection(*([b] * 100000))",
    "a chain of maps": "from collections import ChainMap\nd = dict.fromkeys(range(100000))\n"
    "len(ChainMap(*([d] * 9000)))",
    "the beginnings of a text": "s = 'a' * 1000000\np = s[1:] + 'b'\ns.startswith((p,) * 1000000)",
    "the ends of bytes": "s = b'a' * 1000000\np = b'b' + s[1:]\ns.endswith((p,) * 1000000)",
    "many steps": "import bmesh\nb = bmesh.new()\nbmesh.ops.create_grid(b, x_segments=1, y_segments=1, size=1)\n"
    "bmesh.ops.spin(b, geom=b.faces[:], steps=90000, angle=1.0, axis=(0, 0, 1), cent=(3, 0, 0))",
    "a deep property": "import bpy\nd = {}\nfor _ in range(60000): d = {'a': d}\nbpy.context.scene['x'] = d",
    "an item that raises": ASKED
    + "m = bpy.data.meshes.new('m')\nm.vertices.add(9)\nm.vertices.foreach_set('co', Row(27, lambda: 1 / 0))",
    "a deep property in lists": "import bpy\nd = {}\nfor _ in range(60000): d = [{'a': d}]\nbpy.context.scene['x'] = d",
}


@pytest.mark.parametrize("name", STOPPED)
def test_what_c_would_not_survive_is_stopped(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    with pytest.raises((core.CoreError, core.PolicyError)):
        scripting.run(STOPPED[name])


LARGE = (
    ASKED
    + """
class Filled(Row):
    def __setitem__(self, place, value): self.act()
i = bpy.data.images.new('i', 4, 4, float_buffer=True)
gone = lambda: bpy.data.images.remove(i)
"""
)


@pytest.mark.parametrize(
    "act",
    [
        "i.pixels[0:4] = Row(4, gone)",
        "i.pixels.foreach_get(Filled(64, gone))",
        "i.pixels.foreach_set(Row(64, gone))",
        "i.pixels = Row(64, gone)",
    ],
)
def test_a_large_image_that_goes_while_it_is_looked_at_is_not_read(act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    monkeypatch.setattr(pictures, "_OF_TUPLES", 50)
    with pytest.raises((core.CoreError, core.PolicyError), match="may not remove anything"):
        scripting.run(LARGE + act)


def test_another_frame_writes_no_cache_however_it_was_switched_on(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.context.object.modifiers.new("Cloth", "CLOTH")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    source = "import bpy\nfor frame in (2, 3): bpy.context.scene.frame_set(frame)"
    scripting.run(source)
    modifier = bpy.context.object.modifiers["Cloth"]
    modifier.point_cache.use_disk_cache = True
    assert modifier.point_cache.use_disk_cache
    with pytest.raises(core.CoreError, match="cache on the disk"):
        scripting.run(source)


def test_ordinary_items_sets_and_texts_work() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.run(
        ASKED
        + """
from collections import ChainMap
class Point:
    def __init__(self, *parts): self.parts = parts
    def __len__(self): return len(self.parts)
    def __getitem__(self, place): return self.parts[place]
o = bpy.context.object
o.location = Point(1, 2, 3)
assert tuple(o.location) == (1, 2, 3) and Point(4, 5)[1] == 5 and list(Point(6, 7)) == [6, 7] and len(Point(1)) == 1
v = Vector((1, 2))
v.resize_3d()
v.resize(4)
v[:] = Point(1, 2, 3, 4)
assert tuple(v) == (1, 2, 3, 4)
b = bmesh.new()
bmesh.ops.create_grid(b, x_segments=3, y_segments=3, size=1)
b.verts.sort(key=lambda one: -one.co.x)
b.verts.sort(key=lambda one: one.co.y, reverse=True)
b.faces.sort()
bmesh.ops.spin(b, geom=b.faces[:], steps=16, angle=1.0, axis=(0, 0, 1), cent=(3, 0, 0))
b.clear()
b.free()
assert {1}.union([2], (3,), {4: 5}) == {1, 2, 3, 4} and {1, 2}.intersection({2}, [2]) == {2}
assert frozenset({1, 2}).difference([1]) == {2} and "abc".startswith(("x", "a")) and b"abc".endswith(b"c", 1)
chain = ChainMap({"a": 1}, {"b": 2})
chain["c"] = 3
assert chain["b"] == 2 and sorted(chain) == ["a", "b", "c"] and len(chain) == 3 and chain.get("d", 4) == 4
o["settings"] = {"a": {"b": [1, 2], "c": "d"}, "e": 1.5}
assert o["settings"]["a"]["c"] == "d"
m = bpy.data.meshes.new("m")
m.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0)], [], [(0, 1, 2)])
m.clear_geometry()
bpy.data.meshes.remove(m)
"""
    )
