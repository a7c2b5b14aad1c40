# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 10 ** 8
m = bpy.context.object.modifiers.new("a", 'ARRAY')
m.count = n
bpy.context.view_layer.update()
