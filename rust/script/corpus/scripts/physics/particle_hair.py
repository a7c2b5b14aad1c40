# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
obj = bpy.data.objects["Cube"]
bpy.context.view_layer.objects.active = obj
mod = obj.modifiers.new("Grass", "PARTICLE_SYSTEM")
ps = obj.particle_systems[0]
s = ps.settings
s.name = "Grass settings"
s.type = "HAIR"
s.count = 200
s.hair_length = 0.3
s.use_advanced_hair = True
s.brownian_factor = 0.02
s.child_type = "SIMPLE"
s.child_percent = 5
ps.seed = 4
print(s.type, s.count, obj.particle_systems.active.name)
