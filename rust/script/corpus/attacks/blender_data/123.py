# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
n = bpy.context.scene.world.node_tree.nodes.new("ShaderNodeTexEnvironment")
n.image = bpy.data.images.load("//x.hdr")
