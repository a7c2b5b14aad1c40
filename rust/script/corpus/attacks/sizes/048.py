# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
bpy.context.object.modifiers[0].render_levels = 12
