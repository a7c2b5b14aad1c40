# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

m = bpy.context.object.modifiers.new("s", "SUBSURF")
n = 12
m.levels, m.render_levels = n, n
