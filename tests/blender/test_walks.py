# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in which a script removes what comes next, parts of meshes that are gone, and contexts of what was removed."""

from __future__ import annotations

import bpy
import pytest
from geonode_assistant import scripting
from test_freed import KEPT

LOOPS = {
    "objects": """
for n in range(9): bpy.data.objects.new("x", None)
seen = 0
for one in bpy.data.objects:
    for other in list(bpy.data.objects):
        if other != one and other.name[0] == "x": bpy.data.objects.remove(other)
    seen += one.name != ""
assert seen == len(bpy.data.objects)
""",
    "each of them": """
kept = [bpy.data.objects.new("x", None) for n in range(9)]
seen = 0
for one in bpy.data.objects:
    if one.name[0] == "x":
        bpy.data.objects.remove(one)
        seen += 1
assert seen == 9
""",
    "modifiers": """
for n in range(9): obj.modifiers.new("x", "BEVEL")
seen = 0
for one in obj.modifiers:
    obj.modifiers.clear()
    seen += 1
assert seen == 1
""",
    "vertices": """
seen = 0
for one in mesh.vertices:
    if not seen: mesh.clear_geometry()
    seen += 1
assert seen == 1
""",
    "vertices that move": """
seen = []
for one in mesh.vertices:
    if not seen: mesh.vertices.add(90000)
    seen.append(one.co.x if len(seen) else 0.0)
assert len(seen) == 90600 and seen[:600] == [float(n) for n in range(600)]
""",
    "points": """
seen = 0
for one in spline.points:
    if seen < 3: spline.points.add(9000)
    seen += 1
assert seen == 27601
""",
    "splines": """
for n in range(9): curve.splines.new("POLY")
seen = 0
for one in curve.splines:
    curve.splines.clear()
    seen += 1
assert seen == 1
""",
    "nodes": """
for n in range(9): tree.nodes.new("ShaderNodeMath")
seen = 0
for one in tree.nodes:
    tree.nodes.clear()
    seen += 1
assert seen == 1
""",
    "iterators of all kinds": """
walks = [iter(mesh.vertices), enumerate(mesh.vertices), zip(mesh.vertices, range(999)),
    map(lambda v: v.co.x, mesh.vertices), (v.co.x for v in mesh.vertices)]
for one in walks: next(one)
mesh.clear_geometry()
assert [len(list(one)) for one in walks] == [0] * 5
""",
    "a list within one that is gone": """
seen = 0
it = iter(spline.points)
next(it)
curve.splines.clear()
gone(lambda: next(it))
""",
    "vertices of bmesh": """
b = bmesh.new()
bmesh.ops.create_grid(b, x_segments=30, y_segments=30, size=1)
seen = 0
for v in b.verts:
    if seen == 3: b.free()
    seen += 1
assert seen == 4
""",
    "edges of a vertex": """
b = bmesh.new()
bmesh.ops.create_grid(b, x_segments=9, y_segments=9, size=1)
b.verts.ensure_lookup_table()
v = b.verts[40]
seen = 0
for e in v.link_edges:
    for one in list(v.link_edges): b.edges.remove(one)
    seen += 1
assert seen == 1
""",
    "faces that are removed": """
b = bmesh.new()
bmesh.ops.create_grid(b, x_segments=9, y_segments=9, size=1)
seen = len(b.faces)
for f in b.faces:
    b.faces.remove(f)
    seen -= 1
assert seen == 0 and not len(b.faces)
""",
    "faces that are made": """
b = bmesh.new()
bmesh.ops.create_cube(b, size=1)
for v in b.verts: b.verts.new(v.co)
assert len(b.verts) == 16
""",
    "what a walk through instances would lose": """
import bpy
dg = bpy.context.evaluated_depsgraph_get()
try:
    for one in dg.object_instances: bpy.context.view_layer.update()
except RuntimeError as error: assert "evaluated" in str(error)
assert sum(1 for one in dg.object_instances if one.object.name) > 1
""",
}


@pytest.mark.parametrize("name", LOOPS)
def test_what_a_loop_would_return_next_may_be_removed(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.execute(KEPT + LOOPS[name], removable=None)


PARTS = {
    "the vertices": """
verts = b.verts
b.free()
gone(lambda: verts.new((0, 0, 0)))
gone(lambda: len(verts))
gone(lambda: list(verts))
gone(lambda: verts[0])
gone(lambda: v in verts)
gone(lambda: verts[:])
""",
    "a method": """
new, sort, table = b.verts.new, b.verts.sort, b.verts.ensure_lookup_table
b.free()
gone(lambda: new((0, 0, 0)))
gone(lambda: sort())
gone(lambda: table())
""",
    "an argument": """
verts, other = b.verts, bmesh.new()
b.free()
try:
    bmesh.ops.translate(other, verts=verts, vec=(1, 0, 0))
except (ReferenceError, TypeError):
    pass
else:
    raise AssertionError("STILL THERE")
""",
    "the layers": """
layers, floats = b.verts.layers, b.verts.layers.float
layer = floats.new("x")
b.free()
gone(lambda: layers.int)
gone(lambda: floats.new("y"))
gone(lambda: layer.name)
gone(lambda: len(floats))
""",
    "a layer that nothing kept": """
import operator
layer = operator.getitem(b.verts.layers.float, 0)
b.free()
gone(lambda: layer.name)
""",
    "lists of an element": """
edges, faces = v.link_edges, v.link_faces
f = faces[0]
loops, corners = f.loops, f.verts
b.verts.remove(v)
for one in (edges, faces, loops, corners):
    gone(lambda: len(one))
    gone(lambda: list(one))
    gone(lambda: one[0])
""",
    "what was selected": """
history = b.select_history
b.free()
gone(lambda: len(history))
gone(lambda: history.clear())
""",
    "edit mode": """
bpy.context.view_layer.objects.active = obj
bpy.ops.object.mode_set(mode="EDIT")
e = bmesh.from_edit_mesh(mesh)
verts, uv = e.verts, e.loops.layers.uv.verify()
bpy.ops.object.mode_set(mode="OBJECT")
gone(lambda: verts.new((0, 0, 0)))
gone(lambda: uv.name)
""",
}
MADE = """
b = bmesh.new()
bmesh.ops.create_grid(b, x_segments=9, y_segments=9, size=1)
b.verts.layers.float.new("a")
b.verts.ensure_lookup_table()
v = b.verts[40]
"""


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_a_mesh_that_is_gone_are_not_used(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.execute(KEPT + MADE + PARTS[name], removable=None)


def test_parts_of_a_mesh_that_is_there_are_used() -> None:
    scripting.execute(
        """
import bmesh
verts = bmesh.new().verts
for n in range(99): verts.new((n, 0, 0))
assert len(verts) == 99 and len(verts[:]) == 99 and verts.layers.float.new("x").name == "x"
kept = [bmesh.new() for _ in range(300)]
lists = [one.verts for one in kept]
for one in lists: one.new((1, 2, 3))
for one in lists: one.ensure_lookup_table()
assert sum(one[0].co.x for one in lists) == 300
other = kept[0].copy()
points = other.verts
for one in kept: one.free()
assert len(points) == 1 and [v.co.y for v in points] == [2]
"""
    )


CONTEXTS = {
    "an object": """
with bpy.context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
    held = bpy.context.selected_objects
    bpy.data.objects.remove(obj)
    assert bpy.context.object is None and bpy.context.active_object is None and not bpy.context.selected_objects
    gone(lambda: held[0].name)
""",
    "what an operator deletes": """
with bpy.context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
    bpy.ops.object.delete()
    assert bpy.context.object is None
    bpy.ops.mesh.primitive_cube_add()
""",
    "one within another": """
other = bpy.data.objects.new("p", None)
with bpy.context.temp_override(object=obj):
    with bpy.context.temp_override(active_object=other):
        bpy.data.objects.remove(obj)
        assert bpy.context.object is None and bpy.context.active_object == other
    assert bpy.context.object is None and bpy.context.active_object != other
""",
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_context_loses_what_is_removed(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    before = bpy.context.object
    scripting.execute(KEPT + CONTEXTS[name] + "\nassert bpy.context.object is not None", removable=None)
    assert before is not None
