# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

obj = bpy.context.object
mod = obj.modifiers.new("Hair", 'PARTICLE_SYSTEM')
settings = obj.particle_systems[-1].settings
settings.type = 'HAIR'
settings.count = 2000
settings.hair_length = 0.3
settings.use_advanced_hair = True
