# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
m = bpy.context.object.modifiers.new("f", 'FLUID')
m.fluid_type = 'DOMAIN'
m.domain_settings.cache_directory = "/tmp/sx_pwned"
bpy.ops.fluid.bake_all()
