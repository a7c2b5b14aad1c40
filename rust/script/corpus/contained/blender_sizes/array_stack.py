# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

for i in range(5):
    bpy.context.object.modifiers.new("a", "ARRAY").count = 900
bpy.context.view_layer.update()
