# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

t = bpy.data.node_groups.new("g", "GeometryNodeTree")
t.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
n = t.nodes.new("GeometryNodeMeshCube")
s = t.nodes.new("GeometryNodeSubdivideMesh")
s.inputs["Level"].default_value = 11
o = t.nodes.new("NodeGroupOutput")
t.links.new(n.outputs[0], s.inputs[0])
t.links.new(s.outputs[0], o.inputs[0])
bpy.context.object.modifiers.new("g", "NODES").node_group = t
bpy.context.view_layer.update()
