# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
m = bpy.context.object.modifiers.new("s", 'SUBSURF')
n = 11
setattr(m, "levels", n)
