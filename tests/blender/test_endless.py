# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls in C that nothing could stop: each is stopped in time, or refused for what it would cost."""

from __future__ import annotations

import gc
import time

import bpy
import geonode_core as core
import pytest
from geonode_assistant import api, scripting

LIMIT_S = 0.6
SLACK_S = 1.5

STOPPED = {
    "texts in lists": "s = 'a' * 1000000\nt = ''.join([s[:500000], s[:500000]])\n[s] * 1000000 == [t] * 1000000",
    "counting texts": "s = 'a' * 1000000\nt = s[:999999] + 'a'\n([s] * 1000000).count(t)",
    "texts in a deque": "from collections import deque\ns = 'a' * 1000000\nt = s[:-1] + 'b'\n"
    "deque([s] * 1000000).count(t)",
    "texts of bytes": "s = b'a' * 1000000\nt = s[:999999] + b'a'\n([s] * 1000000).count(t)",
    "letters": "s = 'a' * 3000000\nsum(map(s.count, s))",
    "other letters": "s = '…' * 3000000\nsum(map(s.count, s))",
    "bytes": "b = bytes(3000000)\nsum(map(b.count, b))",
    "a chain of deques": "from collections import deque\nfrom itertools import chain\nd = deque(range(1000000))\n"
    "sum(chain.from_iterable(deque([d] * 10000)))",
    "lists backwards": "from collections import deque\nl = [0] * 1000000\n"
    "any(map(any, map(reversed, deque([l] * 10000))))",
}
REFUSED = {
    "iterators in iterators": "x = iter([1])\nfor i in range(200000):\n    x = map(abs, x)\nlist(x)",
    "chains in chains": "from itertools import chain\nx = [1]\nfor i in range(200000):\n    x = chain(x)\nlist(x)",
    "nested classes": "t = (int,)\nfor i in range(60):\n    t = (t, t)\nisinstance('', t)",
    "nested base classes": "t = (int,)\nfor i in range(60):\n    t = (t, t)\nissubclass(str, t)",
    "strip": "s = 'a' * 3000000\ns.strip('bcdefghi' * 60000 + 'a')",
    "strip by its class": "s = 'a' * 3000000\nlist(map(str.strip, [s], ['bcdefghi' * 60000 + 'a']))",
    "rfind": "s = 'a' * 1000000\ns.rfind('ab' + 'a' * 500000)",
    "equal texts sorted": "s = 'a' * 1000000\nsorted([s] * 1000000)",
    "equal texts sorted in place": "s = 'a' * 1000000\nl = [s] * 1000000\nl.sort(reverse=True)",
    "equal keys sorted": "s = 'a' * 1000000\nsorted(range(100000), key=lambda one: s)",
    "whole numbers by @": "import numpy as np\nx = np.ones((3000, 3000), dtype=int)\nx @ x",
    "by @=": "import numpy as np\nx = np.ones((3000, 3000), dtype=int)\nx @= x",
    "by @= in an item": "import numpy as np\nx = [np.ones((3000, 3000), dtype=int)]\nx[0] @= x[0]",
    "by operator": "import numpy as np\nfrom operator import matmul\n"
    "x = np.ones((3000, 3000), dtype=int)\nmatmul(x, x)",
    "dot": "import numpy as np\nx = np.ones((3000, 3000), dtype=int)\nnp.dot(x, x)",
    "the method dot": "import numpy as np\nx = np.ones((3000, 3000), dtype=int)\nx.dot(x)",
    "inner": "import numpy as np\nx = np.ones((3000, 3000), dtype=int)\nnp.inner(x, x)",
    "tensordot": "import numpy as np\nx = np.ones((3000, 3000), dtype=int)\nnp.tensordot(x, x, 1)",
    "matmul": "import numpy as np\nx = np.ones((3000, 3000), dtype=int)\nnp.matmul(x, x)",
    "norm": "import numpy as np\nnp.linalg.norm(np.ones((3000, 3000)), 2)",
    "roots": "import numpy as np\nnp.roots(np.arange(1, 3500.0))",
    "polynomials": "import numpy as np\nq = np.poly1d([1, 2])\nfor i in range(30): q = q * q",
    "polymul": "import numpy as np\nx = np.ones(3000000)\nnp.polymul(x, x)",
    "many inverses": "import numpy as np\nnp.linalg.inv(np.ones((30, 1000, 1000)))",
    "zipf": "import numpy as np\nnp.random.zipf(1.0000001, size=1000000)",
    "zipf of a generator": "import numpy as np\nnp.random.default_rng(1).zipf(1.0000001, size=100)",
    "correlated draws": "import numpy as np\nnp.random.multivariate_normal(np.zeros(3000), np.eye(3000))",
    "searchsorted": "import numpy as np\nx = np.arange(40000000.0)\nnp.searchsorted(x, x[::-1])",
    "planes": "from mathutils import geometry\ngeometry.points_in_planes([(n, n * n, 1, -1) for n in range(1500)])",
    "neighbours": "from mathutils import kdtree\nt = kdtree.KDTree(1)\nt.insert((0, 0, 0), 0)\nt.balance()\n"
    "t.find_n((0, 0, 0), 400000)",
    "crossings": "import random\nfrom mathutils import geometry, Vector\nrandom.seed(1)\n"
    "p = [Vector((random.random(), random.random())) for i in range(6000)]\n"
    "geometry.delaunay_2d_cdt(p, [(2 * i, 2 * i + 1) for i in range(3000)], [], 0, 1e-9)",
    "cuts": "import bmesh\nb = bmesh.new()\nbmesh.ops.create_grid(b, x_segments=300, y_segments=300, size=1)\n"
    "bmesh.ops.bisect_edges(b, edges=b.edges[:], cuts=100)",
    "a large face": "import bmesh, math\nb = bmesh.new()\n"
    "f = b.faces.new([b.verts.new((math.cos(i) * i, math.sin(i) * i, 0)) for i in range(30000)])\n"
    "bmesh.ops.triangulate(b, faces=[f], ngon_method='EAR_CLIP')",
}
DEEP = {
    "deques": "from collections import deque\nx = deque()\nfor i in range(COUNT): x = deque([x])",
    "default dicts": "from collections import defaultdict\nx = 1\n"
    "for i in range(COUNT):\n    d = defaultdict(int)\n    d[0] = x\n    x = d",
    "generators": "def g(x): yield x\nx = None\nfor i in range(COUNT):\n    h = g(x)\n    next(h)\n    x = h",
    "maps": "x = iter([1])\nfor i in range(COUNT): x = map(abs, x)",
    "slices of an iterator": "from itertools import islice\nx = iter([1])\nfor i in range(COUNT): x = islice(x, 2)",
    "pairs": "from itertools import pairwise\nx = iter([1])\nfor i in range(COUNT): x = pairwise(x)",
    "longest": "from itertools import zip_longest\nx = iter([1])\nfor i in range(COUNT): x = zip_longest(x)",
    "reversed lists": "x = iter([1])\nfor i in range(COUNT): x = reversed([x])",
    "slices": "x = 1\nfor i in range(COUNT): x = slice(x)",
    "what iterations returned": "x = None\nfor i in range(COUNT): x = StopIteration(x)",
    "arrays of objects": "import numpy as np\nx = None\n"
    "for i in range(COUNT):\n    y = np.empty(1, dtype=object)\n    y[0] = x\n    x = y",
}
"""What Python and numpy release within each other."""
LIMITED = {
    "properties": "x = None\nfor i in range(COUNT): x = property(x)",
    "static methods": "x = len\nfor i in range(COUNT): x = staticmethod(x)",
    "types in brackets": "x = int\nfor i in range(COUNT): x = list[x]",
}
"""What Python also asks within each other, where no limit holds: so many are not made in the first place."""
WITHIN = {
    "an array in itself": "import numpy as np\nx = np.empty(1, dtype=object)\nx[0] = x\nx == x",
    "sums of arrays in arrays": DEEP["arrays of objects"] + "\nx + 1",
    "products of arrays in arrays": DEEP["arrays of objects"] + "\nnp.multiply(x, x)",
}
ORDINARY = """
import bmesh, numpy as np
from collections import deque
from itertools import chain, islice
from mathutils import Matrix, Vector, geometry, kdtree
from operator import matmul
x = np.arange(9.0).reshape(3, 3)
y = np.eye(3)
y @= x
points = np.random.default_rng(20000000).normal(size=(5000, 3))
centred = points - points.mean(axis=0)
sides = np.linalg.svd(centred, full_matrices=False)[1].shape
found = [
    (x @ x).sum(), y.sum(), matmul(x, x).sum(), np.dot(x, x).sum(), x.dot(x).sum(), np.inner(x, x).sum(),
    np.tensordot(x, x, 1).sum(), (Matrix.Identity(3) @ Vector((1, 2, 3))).y, round(np.linalg.norm(x, 2), 3),
    np.searchsorted([1, 2, 3], 2), ' a '.strip(), 'xay'.strip('xy'), 'a,b,c'.rsplit(',', 1),
    list(map(str.strip, [' b'])),
    sorted([3, 1, 2], reverse=True), sorted('bca', key=str.upper), isinstance(1, (int, (str, float))), sides,
    list(islice(chain(reversed([1, 2]), deque('ab'), b'a', enumerate('…')), 6)), np.sort([2, 1]).tolist(),
]
numbers = [(2, 'b'), (1, 'a')]
numbers.sort()
bm = bmesh.new()
bmesh.ops.create_grid(bm, x_segments=3, y_segments=3, size=1)
bmesh.ops.bisect_edges(bm, edges=bm.edges[:], cuts=1)
bmesh.ops.triangulate(bm, faces=bm.faces[:])
class Holder:
    def __init__(self, obj, type='MESH'):
        self.obj = obj
        self.type = type
import bpy
held = Holder(bpy.context.object).obj.name
where = bpy.data.filepath
np.random.seed(20000000)
"""


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


@pytest.mark.parametrize("name", STOPPED)
def test_what_python_repeats_in_c_is_stopped(name: str) -> None:
    begin = time.process_time()
    with pytest.raises(core.ScriptTimeout):
        api.run_script(STOPPED[name], timeout_ms=int(LIMIT_S * 1000))
    assert time.process_time() - begin < LIMIT_S + SLACK_S


@pytest.mark.parametrize("name", REFUSED)
def test_one_call_that_would_not_end_is_refused(name: str) -> None:
    begin = time.process_time()
    with pytest.raises((core.CoreError, core.PolicyError)):
        api.run_script(REFUSED[name])
    assert time.process_time() - begin < 6


def test_small_calls_of_the_same_kind_work() -> None:
    made = api.run_script(ORDINARY).namespace
    assert made["found"] == [
        486, 36, 486, 486, 486, 450, 486, 2, 14.227, 1, "a", "a", ["a,b", "c"], ["b"], [3, 2, 1], ["a", "b", "c"],
        True, (3,), [2, 1, "a", "b", 97, (0, "…")], [1, 2],
    ]  # fmt: skip
    assert made["numbers"] == [(1, "a"), (2, "b")]
    assert made["held"] == "Cube" and made["where"] == ""


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    (1).nothing\nexcept AttributeError as error:\n    error.obj",
        "bpy.data.images.new('i', 8, 8).filepath",
        "bpy.data.filepath = 'x'",
    ],
)
def test_names_that_own_objects_may_have_open_nothing_else(source: str) -> None:
    own = "import bpy\nclass A: pass\na = A()\na.obj = 1\n"
    with pytest.raises((core.CoreError, core.PolicyError)):
        api.run_script(own + source)


GRID = "import bmesh\nb = bmesh.new()\nbmesh.ops.create_grid(b, x_segments={n}, y_segments={n}, size=1)\nb.to_mesh(m)\n"
HEAVY = {
    "a mesh under a modifier": "o.modifiers.new('s', 'SUBSURF').levels = 6\nm = bpy.data.meshes.new('g')\n"
    + GRID.format(n=400) + "o.data = m",
    "a modifier by foreach_set": "o.modifiers.new('s', 'ARRAY')\no.modifiers.foreach_set('count', [100000000])",
    "a mesh that is scaled": "r = o.modifiers.new('s', 'REMESH')\nr.mode = 'VOXEL'\nr.voxel_size = 0.05\n"
    "from mathutils import Matrix\no.data.transform(Matrix.Scale(500, 4))",
    "an ocean": "r = o.modifiers.new('o', 'OCEAN')\nr.repeat_x = r.repeat_y = 1024",
    "a curve": "c = bpy.data.curves.new('c', 'CURVE')\ns = c.splines.new('NURBS')\ns.points.add(400000)\n"
    "c.bevel_depth = .1\nc.bevel_resolution = 32\ns.resolution_u = 64",
    "a text": "c = bpy.data.curves.new('t', 'FONT')\nc.body = 'W' * 19000\nc.bevel_depth = .1\nc.bevel_resolution = 32",
    "instances of instances": "c = bpy.data.collections.new('c')\nc.objects.link(o)\nfor k in range(7):\n"
    "    d = bpy.data.collections.new('d')\n    for i in range(12):\n        e = bpy.data.objects.new('e', None)\n"
    "        e.instance_type = 'COLLECTION'\n        e.instance_collection = c\n        d.objects.link(e)\n    c = d",
    "cloth": "m = bpy.data.meshes.new('g')\n" + GRID.format(n=300) + "o.data = m\n"
    "o.modifiers.new('c', 'CLOTH').settings.quality = 80",
    "a soft body": "m = bpy.data.meshes.new('g')\n" + GRID.format(n=200) + "o.data = m\n"
    "s = o.modifiers.new('c', 'SOFT_BODY').settings\ns.step_max = 30000",
    "particles": "o.modifiers.new('p', 'PARTICLE_SYSTEM')\ns = o.particle_systems[0].settings\n"
    "s.distribution = 'GRID'\ns.emit_from = 'VOLUME'\ns.grid_resolution = 250",
    "a boolean": "import random\nrandom.seed(1)\nm = bpy.data.meshes.new('r')\n"
    "m.from_pydata([[random.random() for _ in range(3)] for i in range(9000)], [], "
    "[(3*i, 3*i+1, 3*i+2) for i in range(3000)])\no.data = m\nd = o.copy()\nbpy.context.collection.objects.link(d)\n"
    "x = o.modifiers.new('b', 'BOOLEAN')\nx.solver = 'EXACT'\nx.use_self = True\nx.object = d",
}  # fmt: skip
INDICES = {
    "corners": "m.loops.foreach_set('vertex_index', [2000000000] * len(m.loops))",
    "a corner": "m.loops[0].vertex_index = 8",
    "faces": "for p in m.polygons: p.loop_start = 100000000",
    "faces out of order": "m.polygons.foreach_set('loop_start', [20, 16, 12, 8, 4, 0])",
    "edges": "m.edges.foreach_set('vertices', [8] * 24)",
    "an edge": "m.edges[0].vertices = (0, 8)",
    "an end of an edge": "m.edges[0].vertices[0] = 8",
    "attributes": "m.attributes['.corner_vert'].data.foreach_set('value', [500000000] * 24)",
    "data": "m.clear_geometry()\nm.from_pydata([(0, 0, 0)], [], [(0, 5, 900000000)])",
    "a list that changes": "class L(list):\n    n = 0\n    def __iter__(self):\n        L.n += 1\n"
    "        return iter([0 if L.n < 2 else 9] * 24)\nm.edges.foreach_set('vertices', L([9] * 24))",
}


@pytest.mark.parametrize("name", HEAVY)
def test_what_evaluating_would_take_is_estimated(name: str) -> None:
    with pytest.raises(core.CoreError) as error:
        api.run_script(f"import bpy\no = bpy.data.objects['Cube']\n{HEAVY[name]}\nbpy.context.view_layer.update()")
    assert "freeze Blender" in str(error.value) or "make about" in str(error.value)


TEXTS = {
    "many decimals": "n = t.nodes.new('FunctionNodeValueToString')\nn.inputs['Decimals'].default_value = 2 * 10 ** 9",
    "a width": "n = t.nodes.new('FunctionNodeFormatString')\nn.format_items.new('FLOAT', 'x')\n"
    "n.inputs[0].default_value = '{x:>2000000000}'",
    **{
        f"a width {way}": "n = t.nodes.new('FunctionNodeFormatString')\nn.format_items.new('FLOAT', 'x')\n"
        f"a = t.nodes.new('FunctionNodeInputString')\n{lines}"
        for way, lines in {
            "over a link": "a.string = '{x:>2000000000}'\nt.links.new(a.outputs[0], n.inputs[0])",
            "that is put together": "a.string = '{x:>2000'\nb = t.nodes.new('FunctionNodeInputString')\n"
            "b.string = '000000}'\nj = t.nodes.new('GeometryNodeStringJoin')\nt.links.new(b.outputs[0], j.inputs[1])\n"
            "t.links.new(a.outputs[0], j.inputs[1])\nt.links.new(j.outputs[0], n.inputs[0])",
            "of a group": "t.interface.new_socket('F', in_out='INPUT', socket_type='NodeSocketString').default_value = "
            "'{x:>2000000000}'\nt.links.new(t.nodes.new('NodeGroupInput').outputs[0], n.inputs[0])",
        }.items()
    },
}


@pytest.mark.parametrize("name", TEXTS)
def test_lengths_that_a_text_tells_are_estimated(name: str) -> None:
    if "Format" in TEXTS[name] and not hasattr(bpy.types, "FunctionNodeFormatString"):
        pytest.skip("this Blender has no such node")
    source = (
        "import bpy\no = bpy.data.objects['Cube']\nt = bpy.data.node_groups.new('t', 'GeometryNodeTree')\n"
        "t.interface.new_socket('Geometry', in_out='OUTPUT', socket_type='NodeSocketGeometry')\n"
        f"{TEXTS[name]}\ns = t.nodes.new('GeometryNodeStringToCurves')\nt.links.new(n.outputs[0], s.inputs['String'])\n"
        "t.links.new(s.outputs[0], t.nodes.new('NodeGroupOutput').inputs[0])\n"
        "o.modifiers.new('g', 'NODES').node_group = t\nbpy.context.view_layer.update()"
    )
    with pytest.raises(core.CoreError, match="make about"):
        scripting.execute(source)


def test_a_format_over_a_link_is_ordinary() -> None:
    if not hasattr(bpy.types, "FunctionNodeFormatString"):
        pytest.skip("this Blender has no such node")
    scripting.execute(
        "import bpy\no = bpy.data.objects['Cube']\nt = bpy.data.node_groups.new('t', 'GeometryNodeTree')\n"
        "t.interface.new_socket('Geometry', in_out='OUTPUT', socket_type='NodeSocketGeometry')\n"
        "n = t.nodes.new('FunctionNodeFormatString')\nn.format_items.new('FLOAT', 'x')\n"
        "a = t.nodes.new('FunctionNodeInputString')\na.string = 'Frame 100: {x:>8.2f} of {x}'\n"
        "t.links.new(a.outputs[0], n.inputs[0])\ns = t.nodes.new('GeometryNodeStringToCurves')\n"
        "t.links.new(n.outputs[0], s.inputs['String'])\n"
        "t.links.new(s.outputs[0], t.nodes.new('NodeGroupOutput').inputs[0])\n"
        "o.modifiers.new('g', 'NODES').node_group = t\nbpy.context.view_layer.update()"
    )


@pytest.mark.parametrize("name", INDICES)
def test_wrong_indices_are_refused(name: str) -> None:
    with pytest.raises(core.CoreError) as error:
        scripting.run(
            f"import bpy\nm = bpy.data.objects['Cube'].data\n{INDICES[name]}\nbpy.context.view_layer.update()"
        )
    assert error.value.code in ("script_failed", "script_refused")


@pytest.mark.parametrize(
    "source",
    [
        "m = o.modifiers.new('f', 'FLUID')\nm.fluid_type = 'DOMAIN'",
        "m = o.modifiers.new('f', 'FLUID')\nfor m.fluid_type in ['DOMAIN']: pass",
    ],
)
def test_no_fluid_domain_is_made(source: str) -> None:
    with pytest.raises(core.CoreError, match="fluid"):
        api.run_script(f"import bpy\no = bpy.data.objects['Cube']\n{source}")


def test_the_artists_fluid_domain_is_not_simulated() -> None:
    bpy.data.objects["Cube"].modifiers.new("f", "FLUID").fluid_type = "DOMAIN"
    api.run_script("import bpy\nbpy.data.objects['Light'].location.x = 1")
    with pytest.raises(core.CoreError, match="fluid"):
        api.run_script("import bpy\nbpy.context.scene.frame_set(5)")


def test_right_indices_are_set() -> None:
    made = api.run_script("""
import bpy
import numpy as np
m = bpy.data.meshes.new('m')
m.vertices.add(4)
m.vertices.foreach_set('co', [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0])
m.loops.add(4)
m.loops.foreach_set('vertex_index', np.arange(4, dtype=np.int32))
m.polygons.add(1)
m.polygons.foreach_set('loop_start', [0])
m.update(calc_edges=True)
n = bpy.data.meshes.new('n')
n.from_pydata(np.eye(3), [], np.array([[0, 1, 2]]))
k = bpy.data.meshes.new('k')
k.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1)], [[0, 1, 2]])
sizes = [len(x) for x in (m.polygons, m.edges, n.polygons, k.edges)]
m.edges[0].vertices = (0, 1)
""").namespace
    assert made["sizes"] == [1, 4, 1, 3]


BONES = """
import bpy
arm = bpy.data.armatures.new('A')
obj = bpy.data.objects.new('A', arm)
bpy.context.collection.objects.link(obj)
bpy.context.view_layer.objects.active = obj
bpy.ops.object.mode_set(mode='EDIT')
root, tip = arm.edit_bones.new('Root'), arm.edit_bones.new('Tip')
root.tail, tip.tail = (0, 0, 1), (0, 0, 2)
tip.parent = root
length = tip.length
"""
CURVES = "import bpy\nh = bpy.data.hair_curves.new('h')\nh.add_curves([3, 4])\n"
GONE = {
    "a removed bone": BONES + "arm.edit_bones.remove(root)\nroot.name",
    "a bone after edit mode": BONES + "bpy.ops.object.mode_set(mode='OBJECT')\ntip.tail = (1, 1, 1)",
    "a removed parent": BONES + "arm.edit_bones.remove(root)\ntip.parent = root",
    "an offset of curves": CURVES + "h.curve_offset_data[1].value = 10**9",
    "offsets of curves": CURVES + "h.curve_offset_data.foreach_set('value', [0, 10**9, 7])",
}


@pytest.mark.parametrize("name", GONE)
def test_what_blender_would_follow_nowhere_is_refused(name: str) -> None:
    with pytest.raises(core.CoreError, match="Guarded|NotAllowed|ReferenceError"):
        scripting.execute(GONE[name])


def test_bones_and_offsets_that_are_there_can_be_used() -> None:
    assert scripting.execute(BONES + "arm.edit_bones['Tip'].name = 'End'").namespace["length"] == 2.0
    read = "found = [one.value for one in h.curve_offset_data]\n"
    assert scripting.execute(CURVES + read).namespace["found"] == [0, 3, 7]


@pytest.mark.parametrize("name", DEEP)
def test_what_is_nested_deeply_is_released(name: str) -> None:
    found = scripting.execute(DEEP[name].replace("COUNT", "200_000"), timeout_ms=20_000).namespace
    assert found.pop("x") is not None
    found.clear()
    gc.collect()


@pytest.mark.parametrize("name", LIMITED)
def test_what_python_asks_within_each_other_is_made_to_a_depth(name: str) -> None:
    found = scripting.execute(LIMITED[name].replace("COUNT", "90")).namespace
    assert found.pop("x") is not None
    with pytest.raises(core.CoreError, match="would crash Blender"):
        scripting.execute(LIMITED[name].replace("COUNT", "200_000"))
    found.clear()
    gc.collect()


@pytest.mark.parametrize("name", WITHIN)
def test_arrays_within_arrays_are_computed_to_a_depth(name: str) -> None:
    with pytest.raises(core.CoreError, match="RecursionError"):
        scripting.execute(WITHIN[name].replace("COUNT", "2_000"))
