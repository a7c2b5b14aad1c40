# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
mod = bpy.context.object.modifiers.new('a', 'ARRAY')
mod.count = 10**8
