# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
setattr(bpy.context.object.modifiers[0], 'levels', 20)
