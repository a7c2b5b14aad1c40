# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

world = bpy.context.scene.world or bpy.data.worlds.new("World")
bpy.context.scene.world = world
world.use_nodes = True
nt = world.node_tree
bg = nt.nodes.get("Background")
if bg:
    bg.inputs["Color"].default_value = (0.05, 0.07, 0.1, 1)
    bg.inputs["Strength"].default_value = 0.8
