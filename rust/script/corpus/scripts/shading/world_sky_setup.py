# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

world = bpy.context.scene.world or bpy.data.worlds.new("World")
bpy.context.scene.world = world
world.use_nodes = True
tree = world.node_tree
bg = tree.nodes.get("Background") or tree.nodes.new("ShaderNodeBackground")
sky = tree.nodes.new("ShaderNodeTexSky")
sky.sun_elevation = 0.3
sky.sun_rotation = 1.2
sky.location = (bg.location.x - 300, bg.location.y)
bg.inputs["Strength"].default_value = 0.4
tree.links.new(sky.outputs["Color"], bg.inputs["Color"])
world.mist_settings.start = 5
world.mist_settings.depth = 40
