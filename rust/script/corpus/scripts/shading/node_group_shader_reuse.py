# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

grp = bpy.data.node_groups.new("Tint", 'ShaderNodeTree')
grp.interface.new_socket("Color", in_out='INPUT', socket_type='NodeSocketColor')
amt = grp.interface.new_socket("Amount", in_out='INPUT', socket_type='NodeSocketFloat')
amt.min_value, amt.max_value, amt.default_value = 0, 1, 0.5
grp.interface.new_socket("Color", in_out='OUTPUT', socket_type='NodeSocketColor')
a, b = grp.nodes.new("NodeGroupInput"), grp.nodes.new("NodeGroupOutput")
mix = grp.nodes.new("ShaderNodeMix")
mix.data_type = 'RGBA'
mix.blend_type = 'MULTIPLY'
b.location.x = 400
mix.location.x = 200
grp.links.new(a.outputs["Color"], mix.inputs[6])
grp.links.new(a.outputs["Amount"], mix.inputs[0])
grp.links.new(mix.outputs[2], b.inputs[0])
for m in bpy.data.materials:
    if m.use_nodes and m.node_tree:
        node = m.node_tree.nodes.new("ShaderNodeGroup")
        node.node_tree = grp
        node.width = 180
print(grp.users)
