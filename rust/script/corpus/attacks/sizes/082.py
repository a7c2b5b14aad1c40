# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 10 ** 9
bpy.context.object.modifiers.new("p", 'PARTICLE_SYSTEM')
bpy.context.object.particle_systems[0].settings.count = n
bpy.context.view_layer.update()
