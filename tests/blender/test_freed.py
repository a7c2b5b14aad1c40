# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script keeps after Blender has freed or moved it: an access raises, and what is still there stays usable."""

from __future__ import annotations

import gc
from typing import Any

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting
from geonode_assistant.scripting import blender_methods, freed, policy, reached, removals, watches

KEPT = """
import bpy, bmesh
from mathutils import Vector
def gone(act):
    try: act()
    except ReferenceError: return
    assert False, "STILL THERE"
def put(thing, name, value):
    def act(): setattr(thing, name, value)
    return act
mesh = bpy.data.meshes.new("m")
mesh.from_pydata([(n, 0, 0) for n in range(600)], [], [(0, 1, 2), (2, 3, 4)])
curve = bpy.data.curves.new("c", "CURVE")
spline = curve.splines.new("POLY")
spline.points.add(600)
tree = bpy.data.node_groups.new("t", "GeometryNodeTree")
obj = bpy.data.objects.new("o", mesh)
bpy.context.collection.objects.link(obj)
"""
GONE = {
    "a profile's segment": "curve.bevel_mode = 'PROFILE'\ncurve.bevel_resolution = 20\n"
    "s = curve.bevel_profile.segments[15]\ncurve.bevel_resolution = 1\ngone(lambda: s.location)",
    "a vertex": "v = mesh.vertices[500]\nmesh.clear_geometry()\ngone(lambda: v.co)\ngone(put(v, 'co', (1, 2, 3)))",
    "its vector": "c = mesh.vertices[500].co\nmesh.clear_geometry()\ngone(lambda: c.x)\ngone(put(c, 'x', 1.0))",
    "a vector over an addition": "c = mesh.vertices[500].co\nmesh.vertices.add(90000)\ngone(put(c, 'x', 1.0))",
    "an argument of a call": "def first(v, other): return v\nv = first(mesh.vertices[9], mesh.clear_geometry())\n"
    "gone(lambda: v.co)",
    "a list of vertices": "all = list(mesh.vertices)\nmesh.clear_geometry()\ngone(lambda: all[3].co)",
    "a point": "p = spline.points[500]\nspline.points.add(3000)\ngone(put(p, 'co', (1, 2, 3, 4)))",
    "a point of a spline that is gone": "p = spline.points[3]\ncurve.splines.remove(spline)\ngone(lambda: p.co)",
    "the points themselves": "p = spline.points\ncurve.splines.clear()\ngone(lambda: len(p))\ngone(lambda: p[0])",
    "a method": "add = spline.points.add\ncurve.splines.clear()\ngone(lambda: add(9000))",
    "a spline kept twice": "one = curve.splines[0]\ncurve.splines.clear()\ngone(lambda: one.type)",
    "a change of its type": "p = spline.points[500]\nspline.type = 'BEZIER'\ngone(put(p, 'co', (1, 2, 3, 4)))",
    "an attribute's value": "a = mesh.attributes.new('a', 'FLOAT_VECTOR', 'POINT')\nd = a.data[500]\n"
    "mesh.attributes.remove(a)\ngone(put(d, 'vector', (1, 2, 3)))",
    "a layer's values": "u = mesh.uv_layers.new(name='a')\nd = u.data\nmesh.uv_layers.remove(u)\ngone(lambda: d[0].uv)",
    "a slot of other data": "for n in range(20): mesh.materials.append(None)\ns = obj.material_slots[15]\n"
    "obj.data = bpy.data.meshes.new('n')\ngone(lambda: s.link)",
    "a lattice's point": "l = bpy.data.lattices.new('l')\nl.points_u = 60\np = l.points[50]\nl.points_u = 2\n"
    "gone(put(p, 'co_deform', (1, 2, 3)))",
    "a layer collection": "c = bpy.data.collections.new('c')\nkids = bpy.context.scene.collection.children\n"
    "kids.link(c)\nk = bpy.context.view_layer.layer_collection.children['c']\nkids.unlink(c)\n"
    "bpy.context.view_layer.update()\ngone(lambda: k.exclude)",
    "sockets of a group's users": "it = tree.interface.new_socket('A', in_out='INPUT', socket_type='NodeSocketFloat')\n"
    "t = bpy.data.node_groups.new('u', 'GeometryNodeTree')\nn = t.nodes.new('GeometryNodeGroup')\nn.node_tree = tree\n"
    "s = n.inputs[0]\ntree.interface.remove(it)\ngone(lambda: s.name)",
    "a socket of another type": "it = tree.interface.new_socket('A', in_out='INPUT', socket_type='NodeSocketFloat')\n"
    "s = tree.nodes.new('NodeGroupInput').outputs[0]\nit.socket_type = 'NodeSocketColor'\ngone(lambda: s.name)",
    "sockets of another group": "it = tree.interface.new_socket('A', in_out='INPUT', socket_type='NodeSocketFloat')\n"
    "t = bpy.data.node_groups.new('u', 'GeometryNodeTree')\nn = t.nodes.new('GeometryNodeGroup')\nn.node_tree = tree\n"
    "s = n.inputs[0]\nn.node_tree = bpy.data.node_groups.new('v', 'GeometryNodeTree')\ngone(lambda: s.name)",
    "keys that become samples": "obj.keyframe_insert('location', index=0, frame=1)\n"
    "obj.keyframe_insert('location', index=0, frame=9)\n"
    "a = obj.animation_data.action\nf = (a.fcurves if hasattr(a, 'fcurves') else "
    "a.layers[0].strips[0].channelbags[0].fcurves)[0]\nk = f.keyframe_points[1]\nf.convert_to_samples(1, 9)\n"
    "gone(lambda: k.co)",
    "vertices of split faces": "v = mesh.vertices[500]\nmesh.edges.foreach_set('use_edge_sharp', [True] * 6)\n"
    "mesh.split_faces()\ngone(lambda: v.co)",
    "weights of other groups": "g = obj.vertex_groups.new(name='a')\nh = obj.vertex_groups.new(name='b')\n"
    "g.add([5], 0.5, 'REPLACE')\nw = mesh.vertices[5].groups[0]\nh.add([5], 0.5, 'REPLACE')\ngone(lambda: w.weight)",
    "letters of a text": "t = bpy.data.curves.new('t', 'FONT')\nt.body = 'x' * 2000\nb = t.body_format[1500]\n"
    "t.body = 'yyyy'\ngone(lambda: b.kerning)",
    "a key's points": "obj.shape_key_add(name='A')\nk = obj.shape_key_add(name='B')\nd = k.data\np = d[5]\n"
    "obj.shape_key_remove(k)\ngone(lambda: p.co)\ngone(lambda: d[0])",
    **{
        f"keys after {how}": "f = obj.driver_add('scale', 0)\nf.keyframe_points.add(200)\n"
        f"k = f.keyframe_points[100]\nf.{how}\ngone(lambda: k.co)"
        for how in ("extrapolation = 'LINEAR'", "auto_smoothing = 'NONE'")
    },
    **{
        f"a texture's slot after {how}": "l, m = bpy.data.linestyles.new('l'), bpy.data.linestyles.new('m')\n"
        "s = l.texture_slots.add()\ns.texture = bpy.data.textures.new('t', 'CLOUDS')\nl.active_texture_index = 0\n"
        f"l.{how}\ngone(lambda: s.offset)"
        for how in ("active_texture = None", "texture_slots.clear(0)")
    },
    "a socket": "n = tree.nodes.new('GeometryNodeTransform')\ns = n.inputs[0]\n"
    "tree.nodes.remove(n)\ngone(lambda: s.name)",
    "a socket's vector": "n = tree.nodes.new('GeometryNodeTransform')\nv = n.inputs['Scale'].default_value\n"
    "tree.nodes.clear()\ngone(put(v, 'x', 2.0))",
    "a driver's target": "d = obj.driver_add('location', 0).driver\nt = d.variables.new().targets[0]\n"
    "obj.driver_remove('location', 0)\ngone(lambda: t.data_path)",
    "the list of a data-block": "v = mesh.vertices\nbpy.data.objects.remove(obj)\nbpy.data.meshes.remove(mesh)\n"
    "gone(lambda: len(v))",
    "a part of a data-block": "m = obj.modifiers.new('A', 'ARRAY')\n"
    "bpy.data.objects.remove(obj)\ngone(lambda: m.count)",
    "what an operator removes": "m = obj.modifiers.new('A', 'ARRAY')\nbpy.context.view_layer.objects.active = obj\n"
    "n = obj.modifiers[0]\nbpy.ops.object.modifier_remove(modifier='A')\ngone(lambda: n.count)",
    "a mesh for a while": "e = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())\nm = e.to_mesh()\n"
    "v, all = m.vertices[500], m.vertices\ne.to_mesh_clear()\ngone(lambda: v.co)\n"
    "gone(lambda: all[3])\ngone(lambda: m.name)",
    "a mesh for another": "e = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())\nv = e.to_mesh().vertices[5]\n"
    "e.to_mesh()\ngone(lambda: v.co)",
    "a curve for a while": "o = bpy.data.objects.new('c', curve)\nbpy.context.collection.objects.link(o)\n"
    "dg = bpy.context.evaluated_depsgraph_get()\ne = o.evaluated_get(dg)\np = e.to_curve(dg).splines[0].points[5]\n"
    "e.to_curve_clear()\ngone(lambda: p.co)",
    "what was evaluated": "obj.modifiers.new('w', 'WAVE')\ndg = bpy.context.evaluated_depsgraph_get()\n"
    "e = obj.evaluated_get(dg)\nv, c, all = e.data.vertices[5], e.data.vertices[6].co, e.data.vertices\n"
    "bpy.context.scene.frame_set(30)\ngone(lambda: v.co)\ngone(lambda: c.x)\ngone(lambda: len(all))\n"
    "assert e.name and len(e.data.vertices) == 600",
    "parts of what was evaluated": "obj.modifiers.new('w', 'BEVEL')\ndg = bpy.context.evaluated_depsgraph_get()\n"
    "m = obj.evaluated_get(dg).modifiers[0]\nobj.modifiers.new('x', 'ARRAY')\ndg.update()\n"
    "try: assert m.name == 'w'\nexcept ReferenceError: pass",  # Blender may put the new one where the old one was
    "what another type is where it was": "dg = bpy.context.evaluated_depsgraph_get()\n"
    "for kind in ('ARRAY', 'DISPLACE', 'CORRECTIVE_SMOOTH', 'SHRINKWRAP', 'LATTICE', 'HOOK') * 4:\n"
    "    obj.modifiers.clear()\n    obj.modifiers.new('w', 'BEVEL')\n    dg.update()\n"
    "    m = obj.evaluated_get(dg).modifiers[0]\n    obj.modifiers.clear()\n"
    "    for n in range(4): obj.modifiers.new('x', kind)\n    dg.update()\n    gone(lambda: m.segments)",
    "a socket's former type": "kinds = ('Float', 'String', 'Object', 'Vector', 'Color', 'Rotation', 'Material')\n"
    "for old in kinds:\n    for new in kinds:\n        if old == new: continue\n"
    "        it = tree.interface.new_socket('A', in_out='INPUT', socket_type='NodeSocket' + old)\n"
    "        it.socket_type = 'NodeSocket' + new\n        gone(lambda: it.default_value)",
    **{
        f"what was evaluated before {asked}": "for n in range(3): obj.modifiers.new('w', 'SUBSURF')\n"
        "dg = bpy.context.evaluated_depsgraph_get()\ne = obj.evaluated_get(dg)\n"
        "v, all, m = e.data.vertices[5], e.data.vertices, e.modifiers[0]\n"
        "mesh.clear_geometry()\nobj.modifiers.clear()\n"
        "other = bpy.data.objects.new('n', bpy.data.meshes.new('n'))\nbpy.context.collection.objects.link(other)\n"
        f"try: other.{asked}\nexcept RuntimeError: pass\n"
        "gone(lambda: v.co)\ngone(lambda: m.levels)\ngone(lambda: len(all))"
        for asked in ("closest_point_on_mesh((0, 0, 1))", "ray_cast((0, 0, 1), (0, 0, -1))")
    },
    "what is not evaluated any more": "dg = bpy.context.evaluated_depsgraph_get()\ne = obj.evaluated_get(dg)\n"
    "all = e.data.vertices\nbpy.data.objects.remove(obj)\nbpy.context.view_layer.update()\ngone(lambda: len(all))",
    "a depsgraph": "s = bpy.context.scene\nl = s.view_layers.new('L')\nbpy.context.window.view_layer = l\n"
    "dg = bpy.context.evaluated_depsgraph_get()\nbpy.context.window.view_layer = s.view_layers[0]\n"
    "s.view_layers.remove(l)\ngone(lambda: dg.mode)",
    "a vertex seen by a search before": "v = mesh.vertices[500]\nother = bpy.data.meshes.new('n')\n"
    "for n in range(3): other.vertices.add(5)\nmesh.clear_geometry()\ngone(lambda: v.co)",
    "its vector, seen before": "c = mesh.vertices[500].co\nother = bpy.data.meshes.new('n')\n"
    "for n in range(3): other.vertices.add(5)\nmesh.clear_geometry()\ngone(put(c, 'x', 1.0))",
    "one in a cycle, seen before": "class Holder: pass\nh = Holder()\nh.own, h.v = h, mesh.vertices[500]\n"
    "other = bpy.data.meshes.new('n')\nfor n in range(3): other.vertices.add(5)\n"
    "mesh.clear_geometry()\ngone(lambda: h.v.co)",
    "a socket found by its route": "a, b, c = (tree.nodes.new('ShaderNodeMath') for _ in range(3))\n"
    "s, t = b.inputs[1], c.inputs[0]\nfor n in range(2): s.keyframe_insert('default_value', frame=n)\n"
    "tree.nodes.remove(a)\ns.default_value = 2.0\nassert s.default_value == 2.0\nb.name = 'other'\n"
    "s.keyframe_insert('default_value', frame=5)\nassert s.node == b and t.node == c\n"
    "tree.nodes.remove(b)\ngone(lambda: s.name)\nassert t.default_value == 0.5\n"
    "tree.nodes.clear()\ngone(lambda: t.name)",
    "a node whose like takes its place": "a = tree.nodes.new('ShaderNodeMath')\ns = a.inputs[0]\n"
    "for n in range(2): s.keyframe_insert('default_value', frame=n)\ntree.nodes.clear()\n"
    "b = tree.nodes.new('ShaderNodeMath')\ngone(lambda: s.name)\nassert b.inputs[0].name == 'Value'",
    "a modifier found by its route": "m, n = (obj.modifiers.new('m', 'SUBSURF') for _ in range(2))\n"
    "for f in range(2): m.keyframe_insert('levels', frame=f)\nobj.modifiers.remove(n)\n"
    "assert m.levels == 1\ngone(lambda: n.levels)\nobj.modifiers.clear()\ngone(lambda: m.levels)",
    "a link that another replaces": "a, b, c = (tree.nodes.new('ShaderNodeMath') for n in range(3))\n"
    "l = tree.links.new(a.outputs[0], b.inputs[0])\nm = tree.links.new(c.outputs[0], b.inputs[0])\n"
    "gone(lambda: l.from_node)\nassert m.from_node == c and b.inputs[1].default_value == 0.5",
    "a reroute's value": "r, f = tree.nodes.new('NodeReroute'), tree.nodes.new('ShaderNodeMath')\n"
    "d, s = r.inputs[0].default_value, r.outputs[0]\ntree.links.new(f.outputs[0], r.inputs[0])\n"
    "gone(lambda: d[0])\ngone(lambda: s.default_value)",
    "a curve of a node that is gone": "n = tree.nodes.new('ShaderNodeMath')\n"
    "n.inputs[0].keyframe_insert('default_value', frame=1)\nact = tree.animation_data.action\n"
    "bag = act if hasattr(act, 'fcurves') else act.layers[0].strips[0].channelbags[0]\nf = bag.fcurves[0]\n"
    "tree.nodes.remove(n)\ngone(lambda: f.data_path)",
    "a keyframe among more": "n = tree.nodes.new('ShaderNodeMath')\n"
    "n.inputs[0].keyframe_insert('default_value', frame=1)\nact = tree.animation_data.action\n"
    "bag = act if hasattr(act, 'fcurves') else act.layers[0].strips[0].channelbags[0]\n"
    "k = bag.fcurves[0].keyframe_points[0]\nfor f in range(2, 90): "
    "n.inputs[0].keyframe_insert('default_value', frame=f)\ngone(lambda: k.co)",
    "a vertex group that is gone": "b = obj.vertex_groups.new(name='b')\nobj.vertex_groups.clear()\n"
    "gone(lambda: b.name)\ngone(put(b, 'lock_weight', True))",
    "a vertex group held twice": "b = obj.vertex_groups.new(name='b')\nc = obj.vertex_groups['b']\n"
    "obj.vertex_groups.remove(b)\ngone(put(c, 'lock_weight', True))",
    "a weight among many": "big = bpy.data.meshes.new('g')\nbig.vertices.add(10500)\n"
    "o = bpy.data.objects.new('g', big)\ng, h = (o.vertex_groups.new(name=n) for n in 'gh')\n"
    "g.add([0], 0.5, 'ADD')\nh.add([0], 0.5, 'ADD')\ne = big.vertices[0].groups[0]\nh.remove([0])\n"
    "gone(lambda: e.weight)",
    "a pose whose armature is another": "a, b = (bpy.data.armatures.new(n) for n in 'ab')\n"
    "o = bpy.data.objects.new('o', a)\nbpy.context.collection.objects.link(o)\n"
    "bpy.context.view_layer.objects.active = o\nbpy.ops.object.mode_set(mode='EDIT')\n"
    "e = a.edit_bones.new('x')\ne.tail = (0, 0, 1)\nbpy.ops.object.mode_set(mode='OBJECT')\n"
    "p = o.pose.bones[0]\nl = p.location\na.user_remap(b)\nbpy.context.view_layer.update()\n"
    "gone(lambda: p.name)\ngone(put(l, 'x', 3.0))",
    "a solver's settings": "a = bpy.data.armatures.new('a')\no = bpy.data.objects.new('o', a)\n"
    "bpy.context.collection.objects.link(o)\nbpy.context.view_layer.update()\no.pose.ik_solver = 'ITASC'\n"
    "p = o.pose.ik_param\no.pose.ik_solver = 'LEGACY'\ngone(lambda: p.precision)",
    "a tile of an image": "i = bpy.data.images.new('x', 8, 8, tiled=True)\ni.tiles.new(1002)\ni.tiles.new(1003)\n"
    "k = i.tiles[1]\ni.source = 'GENERATED'\ngone(lambda: k.number)",
    "an instance's object": "e = bpy.data.objects.new('e', None)\ne.instance_type = 'COLLECTION'\n"
    "c = bpy.data.collections.new('c')\nc.objects.link(bpy.data.objects['Cube'])\ne.instance_collection = c\n"
    "bpy.context.collection.objects.link(e)\nkept = []\n"
    "for i in bpy.context.evaluated_depsgraph_get().object_instances:\n"
    "    if i.is_instance:\n        kept.append(i.object)\n        assert i.object.name == 'Cube'\n"
    "assert len(kept) == 1\ngone(lambda: kept[0].location)",
    "a slot of material": "o = bpy.data.objects['Cube']\ns = o.material_slots[0]\no.data.materials.clear()\n"
    "gone(lambda: s.link)\ngone(put(s, 'link', 'DATA'))",
    "a slot of a mesh that is another": "o = bpy.data.objects['Cube']\ns = o.material_slots[0]\n"
    "o.data = bpy.data.meshes.new('z')\ngone(lambda: s.link)",
    "a slot that an operator removes": "bpy.context.view_layer.objects.active = o = bpy.data.objects['Cube']\n"
    "s = o.material_slots[0]\nbpy.ops.object.material_slot_remove()\ngone(lambda: s.link)",
    "a socket of a group that is removed": "t = bpy.data.node_groups.new('A', 'GeometryNodeTree')\n"
    "g = bpy.data.node_groups.new('B', 'GeometryNodeTree')\nn = t.nodes.new('GeometryNodeGroup')\n"
    "g.interface.new_socket('a', in_out='INPUT', socket_type='NodeSocketVector')\nn.node_tree = g\n"
    "s, d = n.inputs[0], n.inputs[0].default_value\nbpy.data.node_groups.remove(g)\n"
    "gone(lambda: s.name)\ngone(lambda: d[0])",
    "a vertex while it is set": "v = mesh.vertices[500]\ndef parts():\n    mesh.clear_geometry()\n    yield 1.0\n"
    "    yield 2.0\n    yield 3.0\ngone(put(v, 'co', parts()))",
}


@pytest.mark.parametrize("name", GONE)
def test_what_blender_has_freed_is_not_used(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.execute(KEPT + GONE[name], removable=None)


def test_what_an_instance_shows_is_a_copy() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    shown = "[(i.object.name, i.matrix_world, i.orco, i.uv, i.persistent_id) for i in walk]"
    source = (
        "import bpy\nbpy.data.objects['Cube'].location = (1, 2, 3)\n"
        f"walk = bpy.context.evaluated_depsgraph_get().object_instances\nfound = {shown}\n"
        "by = {one[0]: one for one in found}\nbpy.context.scene.frame_set(5)\n"
        "assert list(by['Cube'][1].translation) == [1, 2, 3] and len(by['Cube'][2]) == 3 and len(by['Cube'][4]) > 1\n"
        "by['Cube'][1][0][3] = 4.0"
    )
    scripting.execute(source, removable=None)
    assert tuple(bpy.data.objects["Cube"].location) == (1, 2, 3)


INSTANCES = """
import bpy
o, t = bpy.data.objects["Cube"], bpy.data.node_groups.new("A", "GeometryNodeTree")
t.interface.new_socket("G", in_out="OUTPUT", socket_type="NodeSocketGeometry")
out, grid = t.nodes.new("NodeGroupOutput"), t.nodes.new("GeometryNodeMeshGrid")
cube, on = t.nodes.new("GeometryNodeMeshCube"), t.nodes.new("GeometryNodeInstanceOnPoints")
for one, other in (grid.outputs[0], on.inputs[0]), (cube.outputs[0], on.inputs[2]), (on.outputs[0], out.inputs[0]):
    t.links.new(one, other)
o.modifiers.new("n", "NODES").node_group = t
kept = [i.object for i in bpy.context.evaluated_depsgraph_get().object_instances if i.is_instance]
parts = []
for i in bpy.context.evaluated_depsgraph_get().object_instances:
    if i.is_instance:
        parts.append((i.object.name, i.object.PART, i.object.type, len(i.object.data.vertices)))
assert len(parts) == 9 and all(one[2:] == ("MESH", 8) for one in parts)
"""


@pytest.mark.parametrize(
    "part", ("location", "matrix_world", "color", "rotation_euler", "modifiers", "material_slots", "display")
)
def test_parts_of_an_instances_object_last(part: str) -> None:
    """Numbers are copies, and what has parts of its own is that of the object for which the instance stands."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    of_whole = "" if part == "display" else "assert [len(one[1]) for one in parts] == [len(o.PART)] * 9\n"
    gone = "try:\n    kept[0].name\nexcept ReferenceError:\n    pass\nelse:\n    assert False, 'it does not last'\n"
    scripting.execute((INSTANCES + of_whole + gone).replace("PART", part), removable=None)


def test_names_of_custom_properties_are_a_copy() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.execute(
        "import bpy\no = bpy.data.objects['Cube']\no['h'], o['i'] = [1, 2], {'q': 1}\n"
        "keys = o.keys()\nwalk = iter(keys)\nnext(walk)\nassert 'h' in keys and keys & {'i'} == {'i'}\n"
        "bpy.data.objects.remove(o)\nassert list(keys) == ['h', 'i'] and next(walk) == 'i' and len(keys) == 2",
        removable=None,
    )


def test_meshes_and_trees_are_made_of_an_instances_object() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    look = (
        "import bmesh\nfrom mathutils.bvhtree import BVHTree\n"
        "dg, bm = bpy.context.evaluated_depsgraph_get(), bmesh.new()\n"
        "for i in dg.object_instances:\n    if i.is_instance:\n        bm.from_object(i.object, dg)\n"
        "        bm.from_object(object=i.object, depsgraph=dg)\n        BVHTree.FromObject(i.object, dg)\n"
        "assert len(bm.verts) >= 144, len(bm.verts)"
    )
    scripting.execute(INSTANCES.replace("PART", "name") + look, removable=None)


@pytest.mark.parametrize(
    "refused", ("i.object.location = (1, 2, 3)", "i.object['a']", "i.object.path_resolve('color')")
)
def test_an_instances_object_is_only_read(refused: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    source = INSTANCES.replace("PART", "name").replace("parts.append", f"{refused}\n        parts.append")
    with pytest.raises(core.CoreError, match="instance"):
        scripting.execute(source, removable=None)


@pytest.mark.parametrize("act", ("bm.free()", "layers.remove(layer)", "layers.new('d')", "bm.clear()"))
def test_a_colour_of_bmesh_keeps_its_numbers(act: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    source = (
        "import bpy, bmesh\nbm = bmesh.new()\nbmesh.ops.create_cube(bm)\nlayers = bm.loops.layers.color\n"
        "layer = layers.new('c')\ncolour = bm.faces[:][0].loops[0][layer]\ncolour[:] = 1.0, 0.0, 1.0, 1.0\n"
        f"{act}\nmany = [bmesh.new() for _ in range(9)]\nfor one in many: bmesh.ops.create_cube(one)\n"
        "assert list(colour) == [1.0, 0.0, 1.0, 1.0], list(colour)\ncolour[0] = 0.5"
    )
    scripting.execute(source, removable=None)


@pytest.mark.parametrize("name", ("bakes", "panels"))
def test_parts_made_for_the_nodes_of_a_tree_are_not_given_away(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    source = (
        "import bpy\nm = bpy.data.objects['Cube'].modifiers.new('n', 'NODES')\n"
        f"m.node_group = bpy.data.node_groups.new('t', 'GeometryNodeTree')\nx = m.{name}"
    )
    with pytest.raises(core.CoreError):
        scripting.run(source)


def test_a_search_looks_at_what_is_new_and_what_is_held() -> None:
    """Each object that a script has made would otherwise be looked at by each call that may free something."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    freed.begin()
    try:
        mesh = bpy.data.meshes.new("m")
        mesh.vertices.add(5)
        kept, dropped = mesh.vertices[1], mesh.vertices[2]
        held = [[one[3] for one in core.references_held()] for _ in range(2)]
        assert held[0] == held[1] and {kept.as_pointer(), dropped.as_pointer()} <= set(held[0])
        address = dropped.as_pointer()
        del dropped
        many = [[] for _ in range(1000)]
        again = [one[3] for one in core.references_held()]
        assert address not in again and kept.as_pointer() in again
        assert len(many) == 1000 and len(gc.get_objects()) < 500
    finally:
        freed.end()
    assert gc.get_freeze_count() == 0


def test_each_method_of_blender_is_known_to_free_something_or_nothing() -> None:
    """A method that a script may call and nobody has looked at might free what the script keeps."""
    looked_at = freed.METHODS | freed.FREES_NOTHING | freed.EVALUATING | removals.METHODS
    names = policy.policy().attributes
    unknown = set()
    for name in dir(bpy.types):
        kind = getattr(bpy.types, name)
        for function in getattr(kind, "bl_rna", None) and kind.bl_rna.functions or ():
            if function.identifier in names and function.identifier not in looked_at:
                unknown.add(function.identifier)
    assert not unknown and not freed.METHODS & freed.FREES_NOTHING


@pytest.mark.parametrize(
    "call",
    (
        "scene.collection.objects.unlink(None)",
        "scene.collection.children.unlink(child=bpy.data.collections.get('?'))",
        "bpy.data.armatures.new('a').collections.remove(None)",
        "obj.calc_matrix_camera(None)",
        "obj.visible_in_viewport_get(None)",
        "tree.nodes.new('GeometryNodeRepeatInput').pair_with_output(None)",
    ),
)
def test_blender_is_not_given_nothing_for_something(call: str) -> None:
    """It would crash."""
    with pytest.raises(core.CoreError, match="TypeError"):
        scripting.execute(f"{KEPT}scene = bpy.context.scene\n{call}", removable=None)
    scripting.execute(KEPT + "mesh.materials.append(None)\nassert bpy.data.objects.new('e', None)", removable=None)


def _argument(described: Any, samples: list[Any]) -> Any:
    """Something of the type that a parameter of Blender's has."""
    if described.type == "POINTER":
        kind = getattr(bpy.types, described.fixed_type.identifier)
        return next((one for one in samples if isinstance(one, kind)), None)
    if described.type == "ENUM":
        return {described.enum_items[0].identifier} if described.is_enum_flag else described.enum_items[0].identifier
    plain = {"STRING": "location", "BOOLEAN": False, "INT": 1, "FLOAT": 1.0}[described.type]
    count = getattr(described, "array_length", 0)
    return [plain] * count if count else plain


def test_methods_that_free_nothing_do_not_evaluate() -> None:
    """Whatever evaluates frees what was evaluated before; the handler of evaluations tells which methods do."""
    told: list[str] = []
    evaluating: set[str] = set()
    called: set[str] = set()

    def handler(*_: Any) -> None:
        told.append("")

    known = freed.FREES_NOTHING | {"closest_point_on_mesh", "ray_cast"}
    for kind in ("MESH", "CURVE", "ARMATURE", "CAMERA"):
        bpy.ops.wm.read_homefile(use_factory_startup=True)
        bpy.app.handlers.depsgraph_update_post.append(handler)
        data: Any = {
            "MESH": lambda: bpy.data.meshes.new("n"),
            "CURVE": lambda: bpy.data.curves.new("n", "CURVE"),
            "ARMATURE": lambda: bpy.data.armatures.new("n"),
            "CAMERA": lambda: bpy.data.cameras.new("n"),
        }[kind]()
        scene, layer = bpy.context.scene, bpy.context.view_layer
        assert scene is not None and layer is not None
        dg, modifier = bpy.context.evaluated_depsgraph_get(), bpy.data.objects["Cube"].modifiers.new("m", "SUBSURF")
        for number, function in enumerate(sorted(known)):
            obj = bpy.data.objects.new(f"n{number}", data)
            scene.collection.objects.link(obj)
            samples = [obj, obj.data, scene, layer, dg, modifier, scene.collection, layer.objects, bpy.data.objects]
            for one in samples:
                found = one.bl_rna.functions.get(function)
                if found is None or function == "evaluated_get":
                    continue
                wanted = [each for each in found.parameters if each.is_required and not each.is_output]
                given = {each.identifier: _argument(each, samples) for each in wanted}
                if None in given.values():
                    continue
                obj.update_tag()
                told.clear()
                try:
                    getattr(one, function)(**given)
                except (RuntimeError, TypeError, ReferenceError):
                    pass
                called.add(function)
                if told:
                    evaluating.add(function)
        bpy.app.handlers.depsgraph_update_post.remove(handler)
    assert len(called) > 20, called
    assert evaluating == known - freed.FREES_NOTHING


def test_rows_of_tables_are_numbers() -> None:
    """They stay what they were when their data is gone; which properties are tables is known."""
    scripting.execute(
        KEPT
        + """
mesh.calc_loop_triangles()
box, rows = list(obj.bound_box), list(mesh.loop_triangles[0].split_normals)
size = max(row[0] for row in box)
mesh.clear_geometry()
bpy.data.objects.remove(obj)
assert [len(row) for row in rows] == [3, 3, 3] and max(row[0] for row in box) == size
""",
        removable=None,
    )
    tables = set()
    for name in dir(bpy.types):
        described = getattr(getattr(bpy.types, name), "bl_rna", None)
        for prop in described.properties if described is not None else ():
            if prop.type in ("FLOAT", "INT", "BOOLEAN") and prop.is_array and prop.array_dimensions[1]:
                if prop.subtype != "MATRIX" and prop.identifier in policy.policy().attributes:
                    tables.add(prop.identifier)
    assert tables <= blender_methods.TABLES


def test_attributes_that_define_the_mesh_are_read() -> None:
    scripting.execute(
        KEPT
        + """
edges, corners = mesh.attributes[".edge_verts"].data, mesh.attributes[".corner_vert"].data
assert len(edges) == len(mesh.edges) and tuple(edges[0].value) == tuple(mesh.edges[0].vertices)
assert [one.value for one in corners] == [loop.vertex_index for loop in mesh.loops]
flat = [0] * (2 * len(edges))
edges.foreach_get("value", flat)
assert flat[:2] == list(mesh.edges[0].vertices) and edges[-1].value[1] == flat[-1]
"""
    )


def test_what_is_still_there_is_used() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.execute(
        KEPT
        + """
other = curve.splines.new("POLY")
point, mine = other.points[0], spline.points[7]
curve.splines.remove(spline)
point.co = (1, 2, 3, 4)
gone(lambda: mine.co)
nodes = [tree.nodes.new("GeometryNodeTransform") for _ in range(4)]
socket = nodes[0].inputs[0]
for node in list(tree.nodes)[1:]: tree.nodes.remove(node)
assert socket.name == "Geometry" and nodes[0].name and len(tree.nodes) == 1
one = tree.interface.new_socket("A", in_out="INPUT", socket_type="NodeSocketFloat")
user = bpy.data.node_groups.new("u", "GeometryNodeTree").nodes.new("GeometryNodeGroup")
user.node_tree = tree
value = user.inputs[0]
one.subtype = "FACTOR"
one.default_value, value.default_value = 0.25, 0.5
place = tree.interface.new_socket("P", in_out="INPUT", socket_type="NodeSocketVector")
if hasattr(place, "dimensions"): place.dimensions = 2
place.subtype = "XYZ"
place.default_value = [1.0, 2.0, 3.0][:len(place.default_value)]
assert (one.default_value, value.default_value, place.default_value[1]) == (0.25, 0.5, 2.0)
first, second = obj.modifiers.new("A", "ARRAY"), obj.modifiers.new("B", "BEVEL")
vertex = mesh.vertices[3]
obj.modifiers.remove(first)
second.segments = 3
vertex.co.x += 1
polygon, name = mesh.polygons[1], obj.name
group = obj.vertex_groups.new(name="G")
group.add([0, 1], 1.0, "REPLACE")
assert polygon.vertices[0] == 2 and group.name == "G"
material = bpy.data.materials.new("x")
mesh.materials.append(material)
assert obj.material_slots[0].material == material
bpy.context.view_layer.objects.active = obj
bpy.ops.object.modifier_add(type="SOLIDIFY")
assert second.segments == 3 and obj.modifiers[-1].type == "SOLIDIFY"
obj.keyframe_insert("location", frame=1)
obj.keyframe_insert("location", frame=9)
obj["list"], obj["group"] = [1.0, 2.0], {"a": {"b": [1, 2]}, "c": "d"}
numbers, inner = obj["list"], obj["group"]["a"]
numbers[0] = 5.0
inner["b"][1] = 7
inner["new"] = 3
assert list(obj["list"]) == [5.0, 2.0] and Vector(obj["list"]).x == 5.0 and len(numbers) == 2
assert obj["group"].to_dict() == {"a": {"b": [1, 7], "new": 3}, "c": "d"} and obj.get("group")["c"] == "d"
assert sorted(obj["group"].keys()) == ["a", "c"] and dict(obj.items())["list"].to_list() == [5.0, 2.0]
obj["list"] = [9.0]
assert numbers[0] == 9.0 and obj.get("none", 4) == 4 and "list" in obj.keys()
curve["copy"] = obj["group"]
assert curve["copy"]["a"]["b"].to_list() == [1, 7]
shown = obj.id_properties_ui("list")
shown.update(min=0.0, max=9.0, description="words")
assert obj.id_properties_ui("list").as_dict()["max"] == 9.0 and shown.as_dict()["description"] == "words"
del obj["list"]
try: shown.update(min=1.0)
except (KeyError, TypeError): pass
else: assert False
b = bmesh.new()
bmesh.ops.create_grid(b, x_segments=3, y_segments=3, size=1)
b.verts.ensure_lookup_table()
co, kept = b.verts[0].co, b.verts[1].co
kept.x = 4.0
b.verts.remove(b.verts[0])
co.x = 3.0
kept.y = 5.0
assert co.x == 3.0 and any(tuple(v.co)[:2] == (4.0, 5.0) for v in b.verts)
layer = b.loops.layers.uv.new("u")
uv = next(iter(b.faces)).loops[0][layer].uv
uv.x = 0.5
assert next(iter(b.faces)).loops[0][layer].uv.x == 0.5
b.loops.layers.uv.new("w")
uv.x = 0.7
deform = b.verts.layers.deform.new()
weights = next(iter(b.verts))[deform]
weights[0] = 1.0
b.free()
kept.x = 6.0
assert kept.x == 6.0 and kept.y == 5.0
with bpy.context.temp_override(object=obj, active_object=obj):
    assert bpy.context.object == obj
for curve in getattr(bpy.data.actions[0], "fcurves", ()):
    curve.keyframe_points.foreach_set("interpolation", [0, 1])
""",
        removable=None,
    )


REFUSED = {
    "a type for all": "obj.modifiers.new('A', 'FLUID')\nobj.modifiers.foreach_set('fluid_type', [1])",
    "too many for all": "obj.modifiers.new('A', 'SUBSURF')\nobj.modifiers.foreach_set('levels', [11])",
    "a value that is not one": "obj.modifiers.new('A', 'OCEAN')\nobj.modifiers.foreach_set('geometry_mode', [77])",
    "an attribute by text": "mesh.vertices.foreach_set('as_' + 'pointer', [1])",
    "an attribute that defines the mesh": "mesh.attributes['.edge_verts'].data.foreach_set('value', [0, 9] * 6)",
    "a value of such an attribute": "mesh.attributes['.corner_vert'].data[0].value = 99999\nlist(mesh.vertices)",
    "a deep group": "obj['a'] = {}\nd = {}\nfor _ in range(60000): d = {'a': d}\nobj['a']['b'] = d",
    "a deep update": "obj['a'] = {}\nd = {}\nfor _ in range(60000): d = {'a': d}\nobj['a'].update(d)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_blender_would_not_survive_is_refused(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    with pytest.raises((core.CoreError, core.PolicyError)):
        scripting.execute(KEPT + REFUSED[name], removable=None)


@pytest.mark.skipif(not hasattr(bpy.types.NodesModifier, "properties"), reason="inputs are custom properties here")
def test_types_that_blender_makes_anew_are_not_used() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.execute(
        KEPT
        + """
def socket(name, kind): return tree.interface.new_socket(name, in_out="INPUT", socket_type=kind)
first = socket("A", "NodeSocketFloat")
socket("V", "NodeSocketVector")
m = obj.modifiers.new("n", "NODES")
m.node_group = tree
def parts():
    inputs = m.properties.inputs
    return [lambda it=inputs: it.Socket_0, lambda it=inputs.Socket_0: it.value, lambda it=inputs.Socket_1.value: it[0]]
def change(act):
    before = parts()
    for one in before: one()
    act()
    for one in before: gone(one)
def name(): first.name = "B"
change(lambda: socket("C", "NodeSocketInt"))
change(name)
change(lambda: tree.interface.move(first, 1))
change(lambda: tree.interface.remove(tree.interface.items_tree["C"]))
other = obj.modifiers.new("o", "BEVEL")
kept = m.properties.inputs
obj.modifiers.remove(other)
kept.Socket_0.value = 3.0
assert m.properties.inputs.Socket_0.value == 3.0
change(lambda: obj.modifiers.remove(m))
""",
        removable=None,
    )


# Loops in which a script keeps what it makes: each change looks at its own parts only.
LOOPS = {
    "nodes": """
tree = bpy.data.node_groups.new("T", "GeometryNodeTree")
nodes, kept = [], []
for i in range(150):
    nodes.append(tree.nodes.new("ShaderNodeMath"))
    nodes[-1].operation = "MULTIPLY"
    kept += nodes[-1].inputs
assert len(tree.nodes) == 150
""",
    "splines": """
curve = bpy.data.curves.new("C", "CURVE")
splines = []
for i in range(150):
    splines.append(curve.splines.new("POLY"))
    splines[-1].points.add(4)
    splines[-1].points[4].co = (i, 0, 0, 1)
assert splines[3].points[4].co.x == 3
""",
}


@pytest.mark.parametrize("loop", LOOPS)
def test_watching_does_not_grow_with_what_is_kept(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    end = watches.Watch.__exit__

    def counted(self: watches.Watch, *error: Any) -> None:
        looked_at.append(len(self._held))  # noqa: SLF001
        end(self, *error)

    monkeypatch.setattr(watches.Watch, "__exit__", counted)
    scripting.execute("import bpy\n" + LOOPS[loop], timeout_ms=60_000)
    assert len(looked_at) >= 150 and max(looked_at) < 20, looked_at[-9:]


def test_the_context_keeps_no_scene_that_is_gone() -> None:
    """Blender 4.2 keeps the scene in it, and `blend_data` reads its memory when it is gone."""
    assert bpy.context.view_layer and bpy.context.tool_settings
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.run(
        "import bpy\n"
        "assert bpy.context.blend_data.id_data is None\n"
        "other = bpy.data.scenes.new('other')\n"
        "bpy.context.window.scene = other\n"
        "assert bpy.context.view_layer.name and bpy.context.tool_settings\n"
        "bpy.data.scenes.remove(other)\n"
        "assert bpy.context.blend_data.objects.id_data is None"
    )


def test_types_of_operators_that_are_gone_are_not_asked() -> None:
    """What an operator was called with has a class that stays when its add-on is disabled, without its description."""

    class Gone(bpy.types.Operator):
        bl_idname = "object.gone_after_a_while"
        bl_label = "Gone"

        def execute(self, context: bpy.types.Context) -> set[str]:
            return {self.properties.bl_rna.identifier and "FINISHED"}

    bpy.utils.register_class(Gone)
    assert bpy.ops.object.gone_after_a_while() == {"FINISHED"}
    named = "OBJECT_OT_gone_after_a_while"
    assert named in [one.__name__ for one in type.__subclasses__(bpy.types.OperatorProperties)]
    bpy.utils.unregister_class(Gone)
    reached.families.cache_clear()
    assert named not in reached._derived("OperatorProperties")  # noqa: SLF001
    assert "FloatAttribute" in reached._derived("Attribute")  # noqa: SLF001


ITEMS = (
    "repeat_items", "state_items", "enum_items", "capture_items", "bake_items", "format_items", "bundle_items",
    "index_switch_items", "input_items", "output_items", "main_items", "generation_items", "viewer_items",
)  # fmt: skip


def parts_of(node: Any) -> set[int]:
    lists = (getattr(node, name, ()) for name in ("inputs", "outputs", *ITEMS))
    return {one.as_pointer() for parts in lists for one in parts}


def freeing_choices(thing: Any, node: Any) -> set[str]:
    """The menus and switches of a node, or of an item of it, of which a value frees some of the node's parts."""
    found = set()
    for prop in thing.bl_rna.properties:
        name = prop.identifier
        if name not in policy.policy().attributes or name.startswith("bl_") or prop.type not in ("ENUM", "BOOLEAN"):
            continue
        if prop.is_readonly or getattr(prop, "is_array", False) or getattr(prop, "is_enum_flag", False):
            continue
        values = [one.identifier for one in prop.enum_items] if prop.type == "ENUM" else [True, False]
        for value in values[:12]:
            before = parts_of(node)
            try:
                setattr(thing, name, value)
            except (TypeError, AttributeError):
                continue
            if before - parts_of(node):
                found.add(name)
                break
    return found


def test_every_choice_of_a_node_that_frees_its_parts_is_watched() -> None:
    tree = bpy.data.node_groups.new("t", "GeometryNodeTree")
    found: set[str] = set()
    for kind in dir(bpy.types):
        known = getattr(bpy.types, kind, None)
        if not (isinstance(known, type) and issubclass(known, bpy.types.Node)):
            continue
        if not kind.startswith(("GeometryNode", "FunctionNode")) or "Import" in kind:
            continue
        try:
            node = tree.nodes.new(kind)
        except RuntimeError:
            continue
        found |= freeing_choices(node, node)
        for name in ITEMS:
            for arguments in (("FLOAT", "x"), ("x",), ()) if hasattr(getattr(node, name, None), "new") else ():
                try:
                    item = getattr(node, name).new(*arguments)
                except (TypeError, RuntimeError):
                    continue
                found |= freeing_choices(item, node)
                break
        tree.nodes.remove(node)
    bpy.data.node_groups.remove(tree)
    assert {"data_type", "input_type"} <= found
    assert found <= freed.STORED, found - freed.STORED


def test_normals_of_hair_are_no_elements_to_keep() -> None:
    made = "import bpy\nc = bpy.data.hair_curves.new('c')\nc.add_curves([3])\n"
    with pytest.raises(core.CoreError, match="normals"):
        scripting.execute(made + "v = c.normals[1]")
