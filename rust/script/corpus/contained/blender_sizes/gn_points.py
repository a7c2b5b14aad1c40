# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

t = bpy.data.node_groups.new("g", "GeometryNodeTree")
t.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
n = t.nodes.new("GeometryNodeMeshGrid")
k = 20000
n.inputs[2].default_value = k
n.inputs[3].default_value = k
o = t.nodes.new("NodeGroupOutput")
t.links.new(n.outputs[0], o.inputs[0])
bpy.context.object.modifiers.new("g", "NODES").node_group = t
bpy.context.view_layer.update()
