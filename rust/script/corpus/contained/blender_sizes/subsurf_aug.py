# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

m = bpy.context.object.modifiers.new("s", "SUBSURF")
for i in range(10):
    m.levels += 1
bpy.context.view_layer.update()
