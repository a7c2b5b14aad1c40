# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
m = bpy.context.object.modifiers.new("o", 'OCEAN')
m.filepath = "/tmp/sx_pwned"
bpy.ops.object.ocean_bake()
