# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
mod = bpy.context.object.modifiers.new('s', 'SUBSURF')
mod.levels = 14
