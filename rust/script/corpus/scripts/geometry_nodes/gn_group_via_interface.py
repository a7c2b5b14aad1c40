# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
ng = bpy.data.node_groups.new("Lifted Grid", "GeometryNodeTree")
ng.is_modifier = True
s_in = ng.interface.new_socket(name="Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
amount = ng.interface.new_socket(name="Amount", in_out="INPUT", socket_type="NodeSocketFloat")
amount.default_value, amount.min_value, amount.max_value = 0.5, 0.0, 10.0
amount.subtype = "DISTANCE"
panel = ng.interface.new_panel("Options", default_closed=True)
res = ng.interface.new_socket(name="Resolution", in_out="INPUT", socket_type="NodeSocketInt", parent=panel)
res.default_value = 8
ng.interface.new_socket(name="Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
nodes, links = ng.nodes, ng.links
gin = nodes.new("NodeGroupInput"); gout = nodes.new("NodeGroupOutput")
grid = nodes.new("GeometryNodeMeshGrid")
setp = nodes.new("GeometryNodeSetPosition")
comb = nodes.new("ShaderNodeCombineXYZ")
join = nodes.new("GeometryNodeJoinGeometry")
links.new(gin.outputs["Resolution"], grid.inputs["Vertices X"])
links.new(gin.outputs["Resolution"], grid.inputs["Vertices Y"])
links.new(grid.outputs["Mesh"], setp.inputs["Geometry"])
links.new(gin.outputs["Amount"], comb.inputs["Z"])
links.new(comb.outputs["Vector"], setp.inputs["Offset"])
links.new(setp.outputs["Geometry"], join.inputs["Geometry"])
links.new(gin.outputs["Geometry"], join.inputs["Geometry"])
links.new(join.outputs["Geometry"], gout.inputs["Geometry"])
for i, n in enumerate(nodes):
    n.location = (i * 180 - 500, (i % 2) * 120)
mod = bpy.data.objects["Cube"].modifiers.new("Lifted", "NODES")
mod.node_group = ng
dg = bpy.context.evaluated_depsgraph_get()
print(len(bpy.data.objects["Cube"].evaluated_get(dg).data.vertices))
