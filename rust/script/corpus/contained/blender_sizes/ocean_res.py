# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
m = bpy.context.object.modifiers.new("o", 'OCEAN')
m.resolution = 1024
m.viewport_resolution = 1024
bpy.context.view_layer.update()
