# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

def socket(tree, name, io, kind):
    return tree.interface.new_socket(name=name, in_out=io, socket_type=kind)

ng = bpy.data.node_groups.new("GridScatter", "GeometryNodeTree")
socket(ng, "Geometry", 'INPUT', "NodeSocketGeometry")
d = socket(ng, "Density", 'INPUT', "NodeSocketFloat")
d.default_value = 5.0
d.min_value = 0.0
d.max_value = 100.0
socket(ng, "Geometry", 'OUTPUT', "NodeSocketGeometry")
N, L = ng.nodes, ng.links
gi = N.new("NodeGroupInput")
go = N.new("NodeGroupOutput")
dist = N.new("GeometryNodeDistributePointsOnFaces")
inst = N.new("GeometryNodeInstanceOnPoints")
cube = N.new("GeometryNodeMeshCube")
rand = N.new("FunctionNodeRandomValue")
rand.data_type = 'FLOAT_VECTOR'
join = N.new("GeometryNodeJoinGeometry")
for i, n in enumerate((gi, dist, cube, rand, inst, join, go)):
    n.location.x = 220 * i
    n.select = False
cube.inputs["Size"].default_value = (0.1, 0.1, 0.3)
L.new(gi.outputs["Geometry"], dist.inputs["Mesh"])
L.new(gi.outputs["Density"], dist.inputs["Density"])
L.new(dist.outputs["Points"], inst.inputs["Points"])
L.new(cube.outputs["Mesh"], inst.inputs["Instance"])
L.new(rand.outputs[0], inst.inputs["Rotation"])
L.new(inst.outputs["Instances"], join.inputs[0])
L.new(gi.outputs["Geometry"], join.inputs[0])
L.new(join.outputs[0], go.inputs[0])
mod = bpy.context.object.modifiers.new("Scatter", 'NODES')
mod.node_group = ng
print([n.bl_idname for n in ng.nodes][:3])
