# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

tree = bpy.data.node_groups.new("Scatter", 'GeometryNodeTree')
tree.interface.new_socket(name="Geometry", in_out='INPUT', socket_type='NodeSocketGeometry')
density = tree.interface.new_socket(name="Density", in_out='INPUT', socket_type='NodeSocketFloat')
density.default_value = 20.0
density.min_value = 0.0
tree.interface.new_socket(name="Geometry", in_out='OUTPUT', socket_type='NodeSocketGeometry')
gin = tree.nodes.new('NodeGroupInput')
gout = tree.nodes.new('NodeGroupOutput')
dist = tree.nodes.new('GeometryNodeDistributePointsOnFaces')
inst = tree.nodes.new('GeometryNodeInstanceOnPoints')
cone = tree.nodes.new('GeometryNodeMeshCone')
join = tree.nodes.new('GeometryNodeJoinGeometry')
cone.inputs['Radius Bottom'].default_value = 0.05
cone.inputs['Depth'].default_value = 0.2
link = tree.links.new
link(gin.outputs['Geometry'], dist.inputs['Mesh'])
link(gin.outputs['Density'], dist.inputs['Density'])
link(dist.outputs['Points'], inst.inputs['Points'])
link(cone.outputs['Mesh'], inst.inputs['Instance'])
link(inst.outputs['Instances'], join.inputs['Geometry'])
link(gin.outputs['Geometry'], join.inputs['Geometry'])
link(join.outputs['Geometry'], gout.inputs['Geometry'])
for i, node in enumerate((gin, dist, cone, inst, join, gout)):
    node.location = (i * 200, 0)
mod = bpy.context.object.modifiers.new("Scatter", 'NODES')
mod.node_group = tree
