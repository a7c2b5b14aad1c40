# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
world = bpy.context.scene.world or bpy.data.worlds.new("World")
bpy.context.scene.world = world
world.use_nodes = True
nodes, links = world.node_tree.nodes, world.node_tree.links
bg = nodes.get("Background") or nodes.new("ShaderNodeBackground")
coord = nodes.new("ShaderNodeTexCoord")
sep = nodes.new("ShaderNodeSeparateXYZ")
ramp = nodes.new("ShaderNodeValToRGB")
ramp.color_ramp.elements[0].color = (0.05, 0.08, 0.2, 1)
ramp.color_ramp.elements[1].color = (0.8, 0.7, 0.6, 1)
mid = ramp.color_ramp.elements.new(0.5)
mid.color = (0.4, 0.3, 0.5, 1)
links.new(coord.outputs["Generated"], sep.inputs["Vector"])
links.new(sep.outputs["Z"], ramp.inputs["Fac"])
links.new(ramp.outputs["Color"], bg.inputs["Color"])
bg.inputs["Strength"].default_value = 0.8
print(len(ramp.color_ramp.elements), len(links) >= 3)
