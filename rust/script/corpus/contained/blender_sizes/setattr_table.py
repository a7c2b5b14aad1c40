# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
m = bpy.context.object.modifiers.new("s", 'SUBSURF')
for k, v in {"levels": 11}.items():
    setattr(m, k, v)
