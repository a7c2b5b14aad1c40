# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

for i in range(20):
    bpy.context.object.modifiers.new("s", "SUBSURF").levels = 4
bpy.context.view_layer.update()
