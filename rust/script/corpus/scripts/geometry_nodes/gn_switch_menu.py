# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
g = bpy.data.node_groups.new("Menu", "GeometryNodeTree")
g.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
sw = g.nodes.new("GeometryNodeMenuSwitch")
sw.data_type = "GEOMETRY"
items = sw.enum_definition.enum_items if hasattr(sw, "enum_definition") else sw.enum_items
items[0].name = "Cube"
items[1].name = "Ball"
cube = g.nodes.new("GeometryNodeMeshCube")
ball = g.nodes.new("GeometryNodeMeshUVSphere")
go = g.nodes.new("NodeGroupOutput")
g.links.new(cube.outputs["Mesh"], sw.inputs["Cube"])
g.links.new(ball.outputs["Mesh"], sw.inputs["Ball"])
g.links.new(sw.outputs[0], go.inputs[0])
s2 = g.nodes.new("GeometryNodeSwitch")
s2.input_type = "FLOAT"
s2.inputs["False"].default_value = 1.0
s2.inputs["True"].default_value = 2.0
cmp = g.nodes.new("FunctionNodeCompare")
cmp.data_type, cmp.operation = "INT", "GREATER_THAN"
g.links.new(cmp.outputs["Result"], s2.inputs["Switch"])
print([i.name for i in items], len(g.links))
