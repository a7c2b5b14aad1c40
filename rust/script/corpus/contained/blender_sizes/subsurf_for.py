# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

m = bpy.context.object.modifiers.new("s", "SUBSURF")
for m.levels in range(12):
    pass
