# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

obj = bpy.context.active_object
group = bpy.data.node_groups.new(type='GeometryNodeTree', name="Wobble")
group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
nodes = {}
for key, idname, xy in (
    ("in", "NodeGroupInput", (-600, 0)),
    ("sub", "GeometryNodeSubdivideMesh", (-400, 0)),
    ("noise", "ShaderNodeTexNoise", (-400, -300)),
    ("math", "ShaderNodeVectorMath", (-200, -300)),
    ("set", "GeometryNodeSetPosition", (0, 0)),
    ("smooth", "GeometryNodeSetShadeSmooth", (200, 0)),
    ("out", "NodeGroupOutput", (400, 0)),
):
    nodes[key] = group.nodes.new(idname)
    nodes[key].location = xy
nodes["sub"].inputs["Level"].default_value = 4
nodes["math"].operation = 'SCALE'
nodes["math"].inputs["Scale"].default_value = 0.3
pairs = [("in", 0, "sub", 0), ("sub", 0, "set", 0), ("noise", 1, "math", 0), ("math", 0, "set", "Offset"), ("set", 0, "smooth", 0), ("smooth", 0, "out", 0)]
for a, o, b, i in pairs:
    group.links.new(nodes[a].outputs[o], nodes[b].inputs[i])
obj.modifiers.new(group.name, "NODES").node_group = group
