# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy

def new_tree(name):
    ng = bpy.data.node_groups.new(name, "GeometryNodeTree")
    ng.interface.new_socket("Geometry", in_out='INPUT', socket_type='NodeSocketGeometry')
    it = ng.interface.new_socket("Iterations", in_out='INPUT', socket_type='NodeSocketInt')
    it.default_value, it.min_value, it.max_value = 4, 0, 50
    ng.interface.new_socket("Geometry", in_out='OUTPUT', socket_type='NodeSocketGeometry')
    return ng

ng = new_tree("RepeatExtrude")
N = ng.nodes.new
gi, go = N("NodeGroupInput"), N("NodeGroupOutput")
rin, rout = N("GeometryNodeRepeatInput"), N("GeometryNodeRepeatOutput")
rin.pair_with_output(rout)
rout.repeat_items.clear()
rout.repeat_items.new('GEOMETRY', "Geometry")
rout.repeat_items.new('FLOAT', "Scale")
ext = N("GeometryNodeExtrudeMesh")
ext.mode = 'FACES'
scale = N("GeometryNodeScaleElements")
math_n = N("ShaderNodeMath")
math_n.operation = 'MULTIPLY'
math_n.inputs[1].default_value = 0.9
L = ng.links.new
L(gi.outputs["Geometry"], rin.inputs["Geometry"])
L(gi.outputs["Iterations"], rin.inputs["Iterations"])
rin.inputs["Scale"].default_value = 0.8
L(rin.outputs["Geometry"], ext.inputs["Mesh"])
L(ext.outputs["Mesh"], scale.inputs["Geometry"])
L(ext.outputs["Top"], scale.inputs["Selection"])
L(rin.outputs["Scale"], scale.inputs["Scale"])
L(rin.outputs["Scale"], math_n.inputs[0])
L(scale.outputs["Geometry"], rout.inputs["Geometry"])
L(math_n.outputs[0], rout.inputs["Scale"])
L(rout.outputs["Geometry"], go.inputs["Geometry"])
for i, n in enumerate((gi, rin, ext, scale, math_n, rout, go)):
    n.location = (i * 200 - 600, 0)
    n.width = 150
bpy.ops.mesh.primitive_cube_add()
m = bpy.context.object.modifiers.new("GeometryNodes", 'NODES')
m.node_group = ng
dg = bpy.context.evaluated_depsgraph_get()
print(len(bpy.context.object.evaluated_get(dg).data.vertices))
