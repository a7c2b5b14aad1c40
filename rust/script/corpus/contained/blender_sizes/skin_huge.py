# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
o = bpy.context.object
o.modifiers.new("a", 'ARRAY').count = 100000
o.modifiers.new("s", 'SKIN')
bpy.context.view_layer.update()
