# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that a script has added and not finished: Blender crashes when it uses them, so nothing may."""

from __future__ import annotations

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting
from geonode_assistant.scripting import faces

MADE = {
    "faces without corners": "me = bpy.data.objects['Cube'].data\nme.polygons.add(3)",
    "corners without vertices": "me.loops.add(6)\nme.polygons.add(2)\nme.polygons.foreach_set('loop_start', [0, 3])",
    "two corners for a face": "me.vertices.add(4)\nme.loops.add(4)\n"
    "me.loops.foreach_set('vertex_index', [0, 1, 2, 3])\n"
    "me.polygons.add(2)\nme.polygons.foreach_set('loop_start', [0, 2])",
    "corners that no face has": "me.vertices.add(4)\nme.loops.add(6)\nme.polygons.add(1)\n"
    "me.polygons[0].loop_start = 3",
}
USES = {
    "triangles": "me.calc_loop_triangles()",
    "triangles read": "me.loop_triangles[0].vertices[0]",
    "a normal of a face": "[p.normal[:] for p in me.polygons]",
    "an area": "[p.area for p in me.polygons]",
    "a centre": "[getattr(p, name)[:] for p in me.polygons for name in ('center',)]",
    "all centres": "me.polygons.foreach_get('center', [0.0] * 3 * len(me.polygons))",
    "keys of edges": "[p.edge_keys for p in me.polygons]",
    "a normal of a vertex": "[v.normal[:] for v in me.vertices]",
    "normals of corners": "len(me.corner_normals)",
    "an update": "me.update(calc_edges=True)",
    "a look at it": "me.validate()",
    "flipped normals": "me.flip_normals()",
    "groups of smooth faces": "me.calc_smooth_groups()",
    "a layer": "me.uv_layers.new()",
    "a bmesh": "import bmesh\nbmesh.new().from_mesh(me)",
    "a shape's normals": "bpy.data.objects.new('x', me).shape_key_add(name='k').normals_vertex_get()",
    "a modifier": "o = bpy.data.objects.new('x', me)\nbpy.context.collection.objects.link(o)\n"
    "o.modifiers.new('t', 'TRIANGULATE')\nbpy.context.view_layer.update()",
    "the end": "o = bpy.data.objects.new('x', me)\nbpy.context.collection.objects.link(o)\n"
    "o.modifiers.new('t', 'TRIANGULATE')",
}
BEGIN = "import bpy\nme = bpy.data.meshes.new('m')\nfor p in bpy.data.objects['Cube'].data.polygons: p.normal, p.area\n"


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("use", USES)
def test_unfinished_faces_are_not_used(made: str, use: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    with pytest.raises(core.CoreError, match="corner|Corner"):
        scripting.execute(f"{BEGIN}{MADE[made]}\n{USES[use]}\n", removable=None)


def test_faces_of_one_vertex_crash_nothing() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    one = "me.vertices.add(4)\nme.loops.add(3)\nme.polygons.add(1)\nme.polygons[0].loop_start = 0\n"
    try:
        scripting.execute(f"{BEGIN}{one}{USES['a bmesh']}\n{USES['a modifier']}\n", removable=None)
    except core.CoreError as error:
        assert "have no edges" in str(error)  # before 5.0 Blender makes none for them


def test_finished_faces_are_used_and_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    looked = []
    found = faces.finished
    monkeypatch.setattr(faces, "finished", lambda mesh: looked.append(mesh.name) or found(mesh))
    ran = scripting.execute(
        BEGIN + "import bmesh\no = bpy.data.objects.new('x', me)\nbpy.context.collection.objects.link(o)\n"
        "me.vertices.add(4)\nme.loops.add(4)\nme.polygons.add(1)\nme.uv_layers\n"
        "me.vertices.foreach_set('co', [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0])\n"
        "me.loops.foreach_set('vertex_index', [0, 1, 2, 3])\nme.polygons.foreach_set('loop_start', [0])\n"
        "bm = bmesh.new()\nbm.from_mesh(me)\nassert len(bm.edges) == 4, len(bm.edges)\n"
        "assert [round(p.normal.z) for p in me.polygons] == [1]\nassert me.polygons[0].area == 1.0\n",
        removable=None,
    )
    assert looked == ["m"]
    assert any("edges" in note and "m" in note for note in ran.rewrites)
    assert len(bpy.data.meshes["m"].edges) == 4


def test_a_later_script_reads_as_before() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.execute(
        "import bpy\nme = bpy.data.meshes.new('m')\nme.from_pydata([(0,0,0),(1,0,0),(0,1,0)], [], [(0,1,2)])",
        removable=None,
    )
    scripting.execute("import bpy\nassert [p.area for p in bpy.data.meshes['m'].polygons] == [0.5]", removable=None)
