# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 5
m = bpy.context.object.modifiers.new("s", 'SUBSURF')
m.levels = n + 6
bpy.context.view_layer.update()
