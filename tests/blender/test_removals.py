# SPDX-License-Identifier: GPL-3.0-or-later
"""What was in the file before a script is removed only where its text shows that, however the script is written."""

from __future__ import annotations

import json
import re
from typing import Any

import bpy
import geonode_core as core
import pytest
from commands import ROOT
from file_state import differences, state
from geonode_assistant import api, scripting
from geonode_assistant.host import census
from geonode_assistant.messages import AssistantError
from geonode_assistant.scripting import policy, removals

UNSHOWN = {
    "an argument": "def f(c):\n    c.remove(c['Cube'])\nf(bpy.data.objects)",
    "an attribute": "class A:\n    def __init__(self): self.c = bpy.data.objects\n"
    "    def f(self): self.c.remove(self.c['Cube'])\nA().f()",
    "arguments by name": "x = next(iter([bpy.data.objects]))\nx.remove(object=x['Cube'], do_unlink=True)",
    "arguments in a dictionary": "x = next(iter([bpy.data.objects]))\nx.remove(**{'object': x['Cube']})",
    "arguments in a list": "x = next(iter([bpy.data.objects]))\nx.remove(*[x['Cube']], do_unlink=False)",
    "an item": "d = {'x': bpy.data.objects}\nd['x'].remove(d['x']['Cube'])",
    "methodcaller": "from operator import methodcaller\n"
    "methodcaller('remove', bpy.data.objects['Cube'])(bpy.data.objects)",
    "getattr": "o = bpy.data.objects\ngetattr(o, 'remove')(o['Cube'])",
    "a condition": "(bpy.data.objects if 1 else 0).remove(bpy.data.objects['Cube'])",
    "a walrus": "(x := bpy.data.objects).remove(x['Cube'])",
    "unpacking": "x, y = bpy.data.objects, bpy.data.meshes\nx.remove(x['Cube'])",
    "an iterator": "x = next(iter([bpy.data.objects]))\nx.remove(x['Cube'])",
    "a result": "def f(): return bpy.data.objects\nf().remove(f()['Cube'])",
    "a name bound twice": "x = bpy.data.objects\nx = x\nx.remove(x['Cube'])",
    "a method in a name": "r = [bpy.data.objects][0].remove\nr(bpy.data.objects['Cube'])",
    "a lambda": "(lambda c: c.remove(c['Cube']))(bpy.data.objects)",
    "map": "c = next(iter([bpy.data.objects]))\nlist(map(getattr(c, 'remove'), [c['Cube']]))",
    "another name": "o = bpy.data.objects['Cube']\no.name = 'New'\nx = next(iter([bpy.data.objects]))\nx.remove(o)",
    "an empty mesh": "import bmesh\nb = bmesh.new()\nb.from_mesh(bpy.data.meshes.new('e'))\n"
    "b.to_mesh(bpy.data.meshes['Cube'])",
    "taken out of the scene": "o = bpy.data.objects['Cube']\nfor c in o.users_collection:\n    c.objects.unlink(o)",
}
SHOWN = {
    "written out": "bpy.data.objects.remove(bpy.data.objects['Cube'])",
    "by the context": "bpy.context.blend_data.objects.remove(bpy.data.objects['Cube'])",
    "by an alias of the context": "C = bpy.context\nC.blend_data.objects.remove(bpy.data.objects['Cube'])",
    "arguments by name": "bpy.data.objects.remove(object=bpy.data.objects['Cube'], do_unlink=True)",
    "in a loop": "for c in (bpy.data.objects, bpy.data.lights):\n    for one in list(c):\n        c.remove(one)",
    "on several lines": "bpy.data.objects.remove(\n    bpy.data.objects['Cube'],\n    do_unlink=True,\n)",
    "the method in a name": "gone = bpy.data.objects.remove\ngone(bpy.data.objects['Cube'])",
}


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.ops.ed.undo_push(message="start")


def why_stopped(source: str) -> str:
    """Why safe mode stops a script."""
    with pytest.raises(core.CoreError) as error:
        scripting.run(f"import bpy\n{source}")
    return str(error.value)


@pytest.mark.parametrize("name", UNSHOWN)
def test_what_was_there_is_not_removed_unasked(name: str) -> None:
    before = state()
    source = UNSHOWN[name]
    assert scripting.check_script(f"import bpy\n{source}").asks == []
    assert "asked" in why_stopped(source)
    assert differences(before, state()) == []


@pytest.mark.parametrize("name", SHOWN)
def test_what_the_text_shows_is_removed(name: str) -> None:
    source = f"import bpy\n{SHOWN[name]}"
    assert scripting.check_script(source).asks
    scripting.run(source)
    assert "Cube" not in bpy.data.objects


PARTS = {
    "an alias": ("m = bpy.data.objects['Cube'].modifiers\nm.clear()", True),
    "an argument": ("def f(m): m.remove(m[0])\nf(bpy.data.objects['Cube'].modifiers)", True),
    "an item": ("d = [bpy.data.objects['Cube'].modifiers]\nd[0].clear()", False),
    "a method in a name": ("c = [bpy.data.objects['Cube'].modifiers][0].clear\nc()", False),
    "what the script added": ("x = [bpy.data.objects['Cube'].modifiers][0]\nx.remove(x.new('n', 'BEVEL'))", None),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_that_were_there_are_not_removed_unasked(name: str) -> None:
    """True: the artist is asked; False: it is refused; None: neither, since nothing was there before."""
    source, asked = PARTS[name]
    bpy.data.objects["Cube"].modifiers.new("Mine", "SUBSURF")
    assert bool(scripting.check_script(f"import bpy\n{source}").asks) is bool(asked)
    if asked is False:
        assert "asked" in why_stopped(source)
    else:
        scripting.run(f"import bpy\n{source}")
    assert bool(bpy.data.objects["Cube"].modifiers) is not asked


LESSENING = (
    "dissolve_limited(angle_limit=3.0)", "decimate(ratio=0.1)", "convex_hull()", "dissolve_faces()", "unsubdivide()",
    "merge(type='CENTER')", "edge_collapse()",
)  # fmt: skip
"""Operators in Edit Mode that leave less of a mesh."""


@pytest.mark.parametrize("call", LESSENING)
def test_operators_that_leave_less_of_a_mesh_are_asked_about(call: str) -> None:
    source = f"""
import bpy
for mine in (True, False):
    if mine:
        bpy.ops.mesh.primitive_cube_add()
    else:
        bpy.context.view_layer.objects.active = bpy.data.objects['Cube']
    bpy.ops.object.mode_set(mode='EDIT')
    bpy.ops.mesh.select_all(action='SELECT')
    print(mine)
    bpy.ops.mesh.{call}
    bpy.ops.object.mode_set(mode='OBJECT')
"""
    before = len(bpy.data.meshes["Cube"].vertices)
    with pytest.raises(AssistantError, match="removes data") as error:
        api.run_script(source)
    assert error.value.code == "approval_required" and "'Cube'" in str(error.value)
    assert len(bpy.data.meshes["Cube"].vertices) == before
    api.run_script(source.replace("(True, False)", "(True,)"))


TREE = "t = bpy.data.materials['Material'].node_tree\n"
NODES = {
    "written out": (TREE + "t.nodes.clear()", True),
    "a name": ("n = bpy.data.materials['Material'].node_tree.nodes\nn.remove(n[0])", True),
    "an argument": ("def f(n): n.clear()\nf(bpy.data.materials['Material'].node_tree.nodes)", False),
    "an item": (TREE + "[t.nodes][0].clear()", False),
    "inputs of a group": ("[bpy.data.node_groups['Mine'].interface][0].clear()", False),
    "its own": (TREE + "[t.nodes][0].remove(t.nodes.new('ShaderNodeMath'))", None),
    "a tree of its own": (
        "t = [bpy.data.materials.new('x')][0]\nt.use_nodes = True\n[t.node_tree.nodes][0].clear()",
        None,
    ),
    "inputs of its own": (
        "t = [bpy.data.node_groups['Mine'].interface][0]\n"
        "[t][0].remove(t.new_socket('x', in_out='INPUT', socket_type='NodeSocketFloat'))",
        None,
    ),
}


# Removals of parts of what is prepared, that no list of methods knows; with what they lose.
WEIGHTS = "import bmesh\nb = bmesh.new()\nb.from_mesh(c.data)\nd = b.verts.layers.deform.active\n{}b.to_mesh(c.data)"
BMESH = "import bmesh\nb = bmesh.new()\nb.from_mesh(c.data)\nbmesh.ops.{}\nb.to_mesh(c.data)"
EFFECTS = {
    "weights": ("f = c.vertex_groups['Mine'].remove\nf([0, 1])", "weights"),
    "weights by a getter": ("f = getattr(c.vertex_groups['Mine'], 'remove')\nf([0, 1])", "weights"),
    "weights of a BMesh": (
        WEIGHTS.format("f = [v[d].clear for v in b.verts]\nfor g in f:\n    g()\n"),
        "was there before",
    ),
    "a weight of a BMesh": (WEIGHTS.format("for v in b.verts:\n    del v[d][0]\n"), "was there before"),
    "all weights of a BMesh": (WEIGHTS.format("b.verts.layers.deform.remove(d)\n"), "was there before"),
    "UV maps": ("f = c.data.uv_layers.remove\nf(c.data.uv_layers[0])", "uv layers"),
    "attributes": ("[g(c.data.attributes['at']) for g in [c.data.attributes.remove]]", "attributes"),
    "material slots": ("f = c.data.materials.clear\nf()", "material slots"),
    "markers": ("f = bpy.context.scene.timeline_markers.clear\nf()", "timeline markers"),
    "keys": ("f = c.keyframe_delete\nf('location', frame=1)", "animation curves"),
    "parts of a metaball": ("f = bpy.data.metaballs[0].elements.clear\nf()", "elements of"),
    "layers of drawings": (
        "b = bpy.data\np = [p for p in (*getattr(b, 'grease_pencils_v3', ()), *b.grease_pencils) if p.layers][0]\n"
        "f = p.layers.remove\nf(p.layers[0])",
        "grease pencil",
    ),
    "its own properties": ("del c['mine']", "properties"),
    "half of it": (
        BMESH.format(
            "bisect_plane(b, geom=[*b.verts, *b.edges, *b.faces], plane_co=(0, 0, 0), "
            "plane_no=(1, 0, 0), **{'clear_outer': True})"
        ),
        "was there before",
    ),
    "what lies far apart": (BMESH.format("remove_doubles(b, verts=b.verts[:], **{'dist': 2.5})"), "points"),
    "weights that are subtracted": ("c.vertex_groups['Mine'].add(range(4), 1.0, 'SUBTRACT')", "weights"),
    "all faces": (BMESH.format("remove_doubles(b, verts=b.verts[:], **{'dist': 1000})"), "surface"),
}
EDITS = {
    "other weights": "g = c.vertex_groups['Mine']\ng.add([0], 0.5, 'SUBTRACT')\ng.add([1], 0.5, 'REPLACE')",
    "other weights in a BMesh": WEIGHTS.format("for v in b.verts:\n    v[d][0] = 0.5\n"),
    "doubles": BMESH.format(
        "subdivide_edges(b, edges=b.edges[:], cuts=1)\nbmesh.ops.remove_doubles(b, verts=b.verts[:], dist=0.0001)"
    ),
    "a new name": "c.data.uv_layers[0].name = 'Other'\nc.data.attributes['at'].name = 'other'\nc.name = 'Box'",
    "another material": "f = c.data.materials.clear\nf()\nc.data.materials.append(bpy.data.materials.new('New'))",
    "smooth faces": "bpy.ops.object.shade_smooth()\nbpy.ops.object.shade_flat()",
    "subdivided": "import bmesh\nb = bmesh.new()\nb.from_mesh(c.data)\n"
    "bmesh.ops.subdivide_edges(b, edges=b.edges[:], cuts=2)\nb.to_mesh(c.data)",
    "an object of its own": "d = c.copy()\nd.data = c.data.copy()\nd.data.uv_layers.remove(d.data.uv_layers[0])",
}


# Removals of parts that the text shows: the artist is asked, and then they are removed.
WRITTEN = {
    "weights": "c.vertex_groups['Mine'].remove([0, 1])",
    "weights by a name": "g = c.vertex_groups['Mine']\ng.remove([0])",
    "weights of a group that is looked for": "c.vertex_groups.get('Mine').remove([0])",
    "weights of the active group": "c.vertex_groups.active.remove([0])",
    "weights of every group": "for g in c.vertex_groups:\n    g.remove([0])",
    "weights of a BMesh": WEIGHTS.format("for v in b.verts:\n    v[d].clear()\n"),
    "UV maps": "c.data.uv_layers.remove(c.data.uv_layers[0])",
    "UV maps by a name": "maps = c.data.uv_layers\nmaps.remove(maps[0])",
    "UV maps by an operator": "bpy.ops.mesh.uv_texture_remove()",
    "attributes": "c.data.attributes.remove(c.data.attributes['at'])",
    "material slots": "c.data.materials.clear()",
    "the last material slot": "c.data.materials.pop()",
    "material slots by an operator": "bpy.ops.object.material_slot_remove()",
    "markers": "bpy.context.scene.timeline_markers.clear()",
    "keys": "c.keyframe_delete('location', frame=1)",
    "a rigid body world": "f = bpy.ops.rigidbody.world_remove\nf()",
    "parts of a metaball": "bpy.data.metaballs[0].elements.clear()",
    "layers of drawings": "b = bpy.data\np = [p for p in (*getattr(b, 'grease_pencils_v3', ()), *b.grease_pencils) "
    "if p.layers][0]\np.layers.remove(p.layers[0])",
    "what an object is": "bpy.ops.object.convert(target='MESH')",
    "links": "t = bpy.data.materials['Material'].node_tree\nt.links.clear()",
    "some faces": "import bmesh\nb = bmesh.new()\nb.from_mesh(c.data)\n"
    "bmesh.ops.delete(b, geom=b.faces[:2], context='FACES')\nb.to_mesh(c.data)",
    "all faces": BMESH.format("delete(b, geom=b.faces[:], context='FACES')"),
    "half of it": BMESH.format(
        "bisect_plane(b, geom=[*b.verts, *b.edges, *b.faces], plane_co=(0, 0, 0), plane_no=(1, 0, 0), clear_outer=True)"
    ),
    "one vertex of all": BMESH.format("pointmerge(b, verts=b.verts[:], merge_co=(0, 0, 0))"),
    "what lies far apart": BMESH.format("remove_doubles(b, verts=b.verts[:], dist=2.5)"),
    "vertices in Edit Mode": "bpy.context.view_layer.objects.active = c\nbpy.ops.object.mode_set(mode='EDIT')\n"
    "bpy.ops.mesh.select_all(action='SELECT')\nbpy.ops.mesh.remove_doubles(threshold=2.5)\n"
    "bpy.ops.object.mode_set(mode='OBJECT')",
    "the values of an attribute": "bpy.context.view_layer.objects.active = c\n"
    "c.data.attributes.active = c.data.attributes['at']\n"
    "bpy.ops.geometry.attribute_convert(domain='FACE', data_type='BOOLEAN')",
    "faces that are merged": BMESH.format("dissolve_limit(b, angle_limit=3, verts=b.verts[:], edges=b.edges[:])"),
    "weights by an operator": "bpy.context.view_layer.objects.active = c\n"
    "bpy.ops.object.vertex_group_clean(group_select_mode='ALL', limit=1.0)",
    "a face": "import bmesh\nb = bmesh.new()\nb.from_mesh(c.data)\nb.faces.remove(list(b.faces)[0])\nb.to_mesh(c.data)",
    "faces in Edit Mode": "import bmesh\nbpy.context.view_layer.objects.active = c\n"
    "bpy.ops.object.mode_set(mode='EDIT')\nb = bmesh.from_edit_mesh(c.data)\n"
    "bmesh.ops.delete(b, geom=b.faces[:2], context='FACES')",
}
CHECKED_OTHERWISE = frozenset({
    "collections",  # of bones, and those in `bpy.data`
    "children", "objects",  # no `remove` but that of `bpy.data`
    "points", "inputs", "outputs", "path", "properties", "sequences",
})  # fmt: skip
"""Lists of parts whose names a script's own data often has, too, and those that `bpy.data` has."""
FRESH = {
    "a mesh of its own": "m = bpy.data.meshes.new('m')\nm.uv_layers.new()\nm.uv_layers.remove(m.uv_layers[0])",
    "links of its own": "t = bpy.data.node_groups.new('t', 'GeometryNodeTree')\nt.links.clear()",
    "what its own objects hold": "class A:\n    def __init__(self): self.layers = [1]\n"
    "    def f(self): self.layers.clear()\nA().f()",
    "doubles": "bpy.ops.object.mode_set(mode='EDIT')\nbpy.ops.mesh.remove_doubles()\n"
    "bpy.ops.object.mode_set(mode='OBJECT')",
}


def prepared() -> None:
    cube = bpy.data.objects["Cube"]
    cube.data.attributes.new("at", "FLOAT", "POINT")
    bpy.context.scene.timeline_markers.new("M", frame=3)
    cube.keyframe_insert("location", frame=1)
    cube["mine"] = 1
    cube.vertex_groups.new(name="Mine").add(range(8), 1.0, "REPLACE")
    bpy.ops.rigidbody.world_add()
    bpy.data.metaballs.new("Ball").elements.new()
    pencils = getattr(bpy.data, "grease_pencils_v3", bpy.data.grease_pencils)
    pencils.new("Pencil").layers.new("Lines")
    bpy.ops.ed.undo_push(message="start")


@pytest.mark.parametrize("name", EFFECTS)
def test_parts_are_not_lost_unasked_however_that_happens(name: str) -> None:
    prepared()
    source, what = EFFECTS[name]
    why = why_stopped(f"c = bpy.data.objects['Cube']\n{source}")
    assert "asked" in why and what in why


@pytest.mark.parametrize("name", EDITS)
def test_edits_lose_no_parts(name: str) -> None:
    prepared()
    scripting.run(f"import bpy\nc = bpy.data.objects['Cube']\n{EDITS[name]}")


@pytest.mark.parametrize("name", WRITTEN)
def test_parts_are_removed_after_a_question(name: str) -> None:
    prepared()
    source = f"import bpy\nc = bpy.data.objects['Cube']\n{WRITTEN[name]}"
    assert scripting.check_script(source).asks
    scripting.run(source)


@pytest.mark.parametrize("name", FRESH)
def test_nothing_is_asked_about_what_the_script_made(name: str) -> None:
    source = f"import bpy\n{FRESH[name]}"
    assert scripting.check_script(source).asks == []
    scripting.run(source)


def test_every_list_that_something_can_be_removed_from_is_known() -> None:
    """What Blender itself says can be removed from, of all types that a script may use, is asked about or excepted."""
    known = json.loads((ROOT / "rust/script/policy/reviewed.json").read_text())["removals"]
    listed = {*known["parts"], *known["lists"], *known["trees"], *CHECKED_OTHERWISE}
    allowed = policy.policy().attributes
    seen, missing = 0, set()
    for name in dir(bpy.types):
        described = getattr(getattr(bpy.types, name, None), "bl_rna", None)
        if described is None or name == "BlendData" or policy.is_refused(getattr(bpy.types, name)):
            continue
        for prop in described.properties:
            functions = prop.srna.functions if prop.type == "COLLECTION" and prop.srna is not None else ()
            if prop.identifier in allowed and {"remove", "clear", "pop"} & {one.identifier for one in functions}:
                seen += 1
                if prop.identifier not in listed:
                    missing.add(f"{name}.{prop.identifier}")
    assert seen > 50
    assert missing == set()


SOUNDING = re.compile("remove|clear|delete|unlink|purge|pop|unassign")
KEEPING = frozenset({
    "to_mesh_clear", "to_curve_clear", "crazyspace_eval_clear",  # copies that Blender evaluated
    "unassign",  # a bone stays, and is in one collection less
    "edge_creases_remove", "vertex_creases_remove", "vertex_paint_mask_remove",  # Python, and refused by the membrane
})  # fmt: skip
"""Functions with such a name that take nothing of the artist's."""


def test_every_function_that_sounds_like_a_removal_is_looked_at() -> None:
    allowed = policy.policy().attributes
    seen, missing = 0, set()
    for name in dir(bpy.types):
        kind = getattr(bpy.types, name)
        described = getattr(kind, "bl_rna", None)
        if described is None or policy.is_refused(kind) or issubclass(kind, bpy.types.Operator):
            continue
        for function in described.functions:
            if SOUNDING.search(function.identifier) and function.identifier in allowed:
                seen += 1
                if function.identifier not in removals.METHODS | KEEPING:
                    missing.add(f"{name}.{function.identifier}")
    assert seen > 100
    assert missing == set()


def nodes() -> tuple[list[str], int]:
    tree = bpy.data.materials["Material"].node_tree
    return [node.name for node in tree.nodes], len(bpy.data.node_groups["Mine"].interface.items_tree)


@pytest.mark.parametrize("name", NODES)
def test_nodes_that_were_there_are_not_removed_unasked(name: str) -> None:
    """As of the parts of objects. The last data-block that was made has a tree of its own."""
    source, asked = NODES[name]
    group = bpy.data.node_groups.new("Mine", "GeometryNodeTree")
    group.interface.new_socket("Size", in_out="INPUT", socket_type="NodeSocketFloat")
    bpy.data.materials.remove(bpy.data.materials["Material"])
    bpy.data.materials.new("Material").use_nodes = True
    bpy.ops.ed.undo_push(message="start")
    before = nodes()
    asks = scripting.check_script(f"import bpy\n{source}").asks
    assert [one.code for one in asks] == (["script_removes_nodes"] if asked else [])
    if asked is False:
        assert "asked" in why_stopped(source)
    else:
        scripting.run(f"import bpy\n{source}")
    assert (nodes() != before) is bool(asked)
    if asked:
        bpy.ops.ed.undo()
        with pytest.raises(core.CoreError, match="asked"):
            api.run_script(f"import bpy\n{source}")
        assert nodes() == before


def test_a_mesh_that_was_there_is_replaced_after_a_question() -> None:
    replaced = "import bpy, bmesh\nb = bmesh.new()\nbmesh.ops.create_circle(b, segments=5)\nb.to_mesh({})"
    assert scripting.check_script(replaced.format("bpy.data.meshes['Cube']")).asks
    assert not scripting.check_script(replaced.format("bpy.data.meshes.new('x')")).asks
    scripting.run(replaced.format("bpy.data.meshes['Cube']"))
    assert len(bpy.data.meshes["Cube"].vertices) == 5


def test_a_mesh_is_edited_without_a_question() -> None:
    source = "import bpy, bmesh\nm = bpy.data.meshes['Cube']\nb = bmesh.new()\nb.from_mesh(m)\nb.copy().to_mesh(m)"
    assert not scripting.check_script(source).asks
    scripting.run(source)


def test_shape_keys_are_not_lost_unasked() -> None:
    """New voxels leave the data-block of the keys in the file, which nothing uses any more."""
    prepared()
    cube = bpy.data.objects["Cube"]
    cube.shape_key_add(name="Basis")
    before = census.census()
    source = "import bpy\nbpy.context.view_layer.objects.active = bpy.data.objects['Cube']\n"
    source += "bpy.data.meshes['Cube'].remesh_voxel_size = 1\nbpy.ops.object.voxel_remesh()"
    with pytest.raises(AssistantError, match="shapes"):
        api.run_script(source)
    assert bpy.data.objects["Cube"].data.shape_keys is not None
    scripting.run(source)
    assert bpy.data.objects["Cube"].data.shape_keys is None
    assert "shapes" in census.difference(before, census.census())["removed"]


@pytest.mark.parametrize("way", ["bmesh", "operator"])
def test_merging_what_lies_in_the_same_place_is_an_edit(way: str) -> None:
    mesh = bpy.data.meshes["Cube"]
    mesh.clear_geometry()
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    mesh.from_pydata([*corners, *corners[:2], (0, -1, 0)], [], [(0, 1, 2), (3, 4, 5)])
    source = "import bpy\nc = bpy.data.objects['Cube']\n" + BMESH.format(
        "remove_doubles(b, verts=b.verts[:], dist=0.0001)"
    )
    if way == "operator":
        source = "import bpy\nbpy.context.view_layer.objects.active = bpy.data.objects['Cube']\n"
        source += "bpy.ops.object.mode_set(mode='EDIT')\nbpy.ops.mesh.select_all(action='SELECT')\n"
        source += "bpy.ops.mesh.remove_doubles()\nbpy.ops.object.mode_set(mode='OBJECT')"
    assert scripting.check_script(source).asks == []
    scripting.run(source)
    assert len(bpy.data.meshes["Cube"].vertices) == 4


def test_what_a_trial_names_of_meshes_and_weights() -> None:
    prepared()
    before = census.census()
    scripting.run(f"import bpy\nc = bpy.data.objects['Cube']\n{WRITTEN['one vertex of all']}")
    removed = census.difference(before, census.census())["removed"]
    assert removed["points"] == ["Cube › vertices"] and removed["weights"] == ["Cube › vertices"]


def test_the_reason_says_how_to_write_it() -> None:
    assert "bpy.data.objects.remove" in why_stopped(UNSHOWN["an argument"])


def test_what_the_script_made_is_removed_freely() -> None:
    scripting.run("""
import bpy, bmesh
def drop(collection, one):
    collection.remove(one)
mesh = bpy.data.meshes.new('m')
drop(bpy.data.objects, bpy.data.objects.new('new', mesh))
bm = bmesh.new()
bm.to_mesh(mesh)
drop(bpy.data.meshes, mesh)
copy = bpy.data.objects['Cube'].copy()
bpy.context.collection.objects.link(copy)
bpy.context.collection.objects.unlink(copy)
numbers = [3, 1]
numbers.remove(1)
tree = bpy.data.materials['Material'].node_tree
nodes = [tree.nodes][0]
nodes.remove(nodes.new('ShaderNodeMath'))
""")
    assert "new" not in bpy.data.objects


def test_an_object_moves_to_another_collection() -> None:
    scripting.run("""
import bpy
made = bpy.data.collections.new('Props')
bpy.context.scene.collection.children.link(made)
obj = bpy.data.objects['Cube']
for one in list(obj.users_collection):
    one.objects.unlink(obj)
made.objects.link(obj)
""")
    assert [one.name for one in bpy.data.objects["Cube"].users_collection] == ["Props"]


def test_what_a_trial_listed_may_be_removed() -> None:
    source = "import bpy\n" + UNSHOWN["an argument"]
    listed: dict[str, Any] = {"objects": ["Camera"]}
    with pytest.raises(core.CoreError):
        scripting.execute(source, removable=census.named(listed))
    scripting.execute(source, removable=census.named({"objects": ["Cube"]}))
    assert "Cube" not in bpy.data.objects


def test_on_a_copy_everything_may_be_removed() -> None:
    scripting.execute("import bpy\n" + UNSHOWN["taken out of the scene"], removable=None)
    assert not bpy.data.objects["Cube"].users_collection


# Removals of what is prepared, beside one that the artist was asked about: it excuses nothing else.
BESIDE = {
    "another block": "f = [bpy.data.objects][0].remove\nf(bpy.data.objects['Light'])",
    "modifiers": "[c.modifiers][0].clear()",
    "UV maps": "f = c.data.uv_layers.remove\nf(c.data.uv_layers[0])",
    "a place in the scene": "o = bpy.data.objects['Light']\nfor one in o.users_collection:\n    one.objects.unlink(o)",
    "its own properties": "del c['mine']",
    "markers": "f = bpy.context.scene.timeline_markers.clear\nf()",
    "keys": "f = c.keyframe_delete\nf('location', frame=1)",
    "links": "f = bpy.data.materials['Material'].node_tree.links.clear\nf()",
    "a driver's variables": "v = [c.animation_data.drivers[0].driver.variables][0]\nv.remove(v[0])",
    "one of several links": "t = bpy.data.node_groups['Mine']\nf = t.links.remove\nf(t.links[0])",
    "some faces": "import bmesh\nb = bmesh.new()\nb.from_mesh(c.data)\nf = bmesh.ops.delete\n"
    "f(b, geom=b.faces[:2], context='FACES')\nb.to_mesh(c.data)",
    "some faces, one by one": "import bmesh\nb = bmesh.new()\nb.from_mesh(c.data)\nf = b.faces\n"
    "f.remove(list(f)[0])\nb.to_mesh(c.data)",
    "all faces, made anew": "import bmesh\nb = bmesh.new()\nb.from_mesh(c.data)\nb.clear()\n"
    "bmesh.ops.create_cube(b)\nb.to_mesh(c.data)",
    "faces in Edit Mode": "import bmesh\nbpy.context.view_layer.objects.active = c\n"
    "bpy.ops.object.mode_set(mode='EDIT')\nb = bmesh.from_edit_mesh(c.data)\n"
    "f = bmesh.ops.delete\nf(b, geom=b.faces[:2], context='FACES')",
    "what it swallows": "try:\n    [c.modifiers][0].clear()\nexcept Exception:\n    pass",
    "by another name": "maps = [c.data.uv_layers][0]\nnew = maps.new(name='new')\nnew.name = 'away'\n"
    "maps[0].name = 'new'\nf = maps.remove\nf(maps['new'])",
}
OWN = {
    "weights": "g = c.vertex_groups.new(name='new')\ng.add([0], 1, 'REPLACE')\ng.remove([0])",
    "weights of its own mesh": "import bmesh\nb = bmesh.new()\nbmesh.ops.create_cube(b)\n"
    "d = b.verts.layers.deform.new()\nfor v in b.verts:\n    v[d][0] = 1\n    v[d].clear()\n"
    "b.to_mesh(bpy.data.meshes.new('new'))",
    "an object": "o = bpy.data.objects.new('n', None)\nbpy.data.objects.remove(o)",
    "by an operator": "bpy.ops.mesh.primitive_cube_add()\nbpy.ops.object.delete()",
    "joined": "for n in range(2):\n    bpy.ops.mesh.primitive_cube_add()\n    p = bpy.context.object\n"
    "for o in bpy.data.objects:\n    o.select_set(o.name.startswith('Cube.'))\nbpy.ops.object.join()",
    "converted": "bpy.ops.curve.primitive_bezier_circle_add()\nbpy.ops.object.convert(target='MESH')",
    "faces in Edit Mode": "bpy.ops.mesh.primitive_cube_add()\nbpy.ops.object.mode_set(mode='EDIT')\n"
    "bpy.ops.mesh.delete(type='VERT')\nbpy.ops.object.mode_set(mode='OBJECT')",
    "a modifier": "m = c.modifiers.new('new', 'BEVEL')\nc.modifiers.remove(m)",
    "a modifier of an operator": "bpy.context.view_layer.objects.active = c\n"
    "bpy.ops.object.modifier_add(type='BEVEL')\nc.modifiers.remove(c.modifiers[-1])",
    "an applied modifier": "m = c.modifiers.new('new', 'BEVEL')\nbpy.context.view_layer.objects.active = c\n"
    "c.modifiers.move(len(c.modifiers) - 1, 0)\nbpy.ops.object.modifier_apply(modifier='new')",
    "a UV map": "m = c.data.uv_layers.new(name='new')\nc.data.uv_layers.new(name='more')\n"
    "c.data.uv_layers.remove(c.data.uv_layers['new'])",
    "a renamed UV map": "m = c.data.uv_layers.new(name='new')\nm.name = 'other'\n"
    "c.data.uv_layers.remove(c.data.uv_layers['other'])",
    "a vertex group": "g = c.vertex_groups.new(name='new')\nc.vertex_groups.remove(g)",
    "a shape key": "k = c.shape_key_add(name='new')\nc.shape_key_remove(k)",
    "a driver": "c.driver_add('location', 0)\nc.driver_remove('location', 0)",
    "a variable": "v = c.driver_add('location', 0).driver.variables\nv.new()\nv.remove(v[0])",
    "faces of its own": "import bmesh\nbpy.ops.mesh.primitive_cube_add()\no = bpy.context.object\nb = bmesh.new()\n"
    "b.from_mesh(o.data)\nbmesh.ops.delete(b, geom=b.faces[:2], context='FACES')\nb.to_mesh(o.data)",
    "faces of its own that are merged": "import bmesh\nbpy.ops.mesh.primitive_cube_add()\no = bpy.context.object\n"
    "b = bmesh.new()\nb.from_mesh(o.data)\n"
    "bmesh.ops.dissolve_limit(b, angle_limit=3, verts=b.verts[:], edges=b.edges[:])\nb.to_mesh(o.data)",
    "keys on a new curve": "c.keyframe_insert('scale', frame=3)\nc.keyframe_delete('scale', frame=3)",
    "a marker": "m = bpy.context.scene.timeline_markers.new('n')\nbpy.context.scene.timeline_markers.remove(m)",
    "a stop of a new ramp": "t = bpy.data.materials['Material'].node_tree\nn = t.nodes.new('ShaderNodeValToRGB')\n"
    "e = n.color_ramp.elements\ne.new(0.5)\ne.remove(e[0])",
    "an element": "b = bpy.data.metaballs[0]\ne = b.elements.new()\nb.elements.remove(e)",
    "a new animation": "c = bpy.data.objects['Light']\nc.keyframe_insert('scale', frame=1)\nc.animation_data_clear()",
    "nothing": "bpy.data.objects['Light'].animation_data_clear()",
    "other materials": "c.data.materials.clear()\nc.data.materials.append(bpy.data.materials.new('new'))",
    "another link": "t = bpy.data.materials['Material'].node_tree\nl = t.links[0]\na, b = l.from_socket, l.to_socket\n"
    "t.links.remove(l)\nt.links.new(a, b)",
}


def with_more() -> None:
    prepared()
    cube = bpy.data.objects["Cube"]
    cube.modifiers.new("Mine", "SUBSURF")
    assert len(bpy.data.materials["Material"].node_tree.links)
    driver = cube.driver_add("scale", 0).driver
    driver.type = "SUM"
    driver.variables.new()
    group = bpy.data.node_groups.new("Mine", "GeometryNodeTree")
    join = group.nodes.new("GeometryNodeJoinGeometry")
    for _ in range(2):
        group.links.new(group.nodes.new("GeometryNodeMeshCube").outputs[0], join.inputs[0])


@pytest.mark.parametrize("name", BESIDE)
def test_what_was_asked_about_excuses_nothing_else(name: str) -> None:
    with_more()
    before = state()
    asked = "c.constraints.remove(c.constraints.new('FLOOR'))\nbpy.data.objects.remove(bpy.data.objects['Camera'])"
    source = f"c = bpy.data.objects['Cube']\n{asked}\n{BESIDE[name]}"
    assert {one.line for one in scripting.check_script(f"import bpy\n{source}").asks} == {3, 4}
    assert "asked" in why_stopped(source) or "in no scene" in why_stopped(source)
    assert differences(before, state()) == []


@pytest.mark.parametrize("name", OWN)
def test_a_script_without_approval_removes_what_it_made(name: str) -> None:
    with_more()
    api.run_script(f"import bpy\nc = bpy.data.objects['Cube']\n{OWN[name]}")


@pytest.mark.parametrize("name", WRITTEN)
def test_a_script_without_approval_removes_nothing_else(name: str) -> None:
    prepared()
    before = state()
    with pytest.raises(AssistantError, match="approve") as refused:
        api.run_script(f"import bpy\nc = bpy.data.objects['Cube']\n{WRITTEN[name]}")
    assert refused.value.code == "approval_required"
    assert differences(before, state()) == []


@pytest.mark.parametrize("given", ["3", "list(b.faces)[0]", "None"])
def test_what_is_no_vertex_cannot_be_removed_from_vertices(given: str) -> None:
    """Blender fails here without saying why."""
    assert "SystemError" in why_stopped(
        f"import bmesh\nb = bmesh.new()\nbmesh.ops.create_cube(b)\nb.verts.remove({given})"
    )
