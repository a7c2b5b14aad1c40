# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
g = bpy.data.node_groups.new("Wear", "ShaderNodeTree")
g.interface.new_socket("Fac", in_out="INPUT", socket_type="NodeSocketFloat").default_value = 0.3
g.interface.new_socket("Base", in_out="INPUT", socket_type="NodeSocketColor").default_value = (0.5, 0.1, 0.1, 1)
g.interface.new_socket("Color", in_out="OUTPUT", socket_type="NodeSocketColor")
gi, go = g.nodes.new("NodeGroupInput"), g.nodes.new("NodeGroupOutput")
mix = g.nodes.new("ShaderNodeMix")
mix.data_type = "RGBA"
mix.blend_type = "MULTIPLY"
noise = g.nodes.new("ShaderNodeTexNoise")
noise.inputs["Scale"].default_value = 12
g.links.new(gi.outputs["Fac"], mix.inputs[0])
g.links.new(gi.outputs["Base"], mix.inputs[6])
g.links.new(noise.outputs["Color"], mix.inputs[7])
g.links.new(mix.outputs[2], go.inputs["Color"])
m = bpy.data.materials.new("Worn")
m.use_nodes = True
node = m.node_tree.nodes.new("ShaderNodeGroup")
node.node_tree = g
bsdf = next(n for n in m.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
m.node_tree.links.new(node.outputs["Color"], bsdf.inputs["Base Color"])
print([i.name for i in node.inputs], node.outputs[0].is_linked)
