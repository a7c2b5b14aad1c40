# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
ng = bpy.data.node_groups.new("Ripple", "GeometryNodeTree")
for io in ("INPUT", "OUTPUT"):
    ng.interface.new_socket("Geometry", in_out=io, socket_type="NodeSocketGeometry")
def add(kind, **props):
    node = ng.nodes.new(kind)
    for k, v in props.items():
        setattr(node, k, v)
    return node
gi, go = add("NodeGroupInput"), add("NodeGroupOutput")
pos = add("GeometryNodeInputPosition")
length = add("ShaderNodeVectorMath", operation="LENGTH")
mul = add("ShaderNodeMath", operation="MULTIPLY", label="Frequency")
mul.inputs[1].default_value = 6.0
sine = add("ShaderNodeMath", operation="SINE")
comb = add("ShaderNodeCombineXYZ")
setp = add("GeometryNodeSetPosition")
for a, b in [(pos.outputs[0], length.inputs[0]), (length.outputs["Value"], mul.inputs[0]), (mul.outputs[0], sine.inputs[0]), (sine.outputs[0], comb.inputs["Z"]), (comb.outputs[0], setp.inputs["Offset"]), (gi.outputs[0], setp.inputs[0]), (setp.outputs[0], go.inputs[0])]:
    ng.links.new(a, b)
bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=4)
ob = bpy.context.active_object
ob.modifiers.new("Ripple", "NODES").node_group = ng
print(len(ng.links), ob.modifiers[0].type)
