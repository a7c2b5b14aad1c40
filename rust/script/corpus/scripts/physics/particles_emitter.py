# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

ob = bpy.context.object
ob.modifiers.new("Emit", 'PARTICLE_SYSTEM')
ps = ob.particle_systems[-1]
s = ps.settings
s.count = 300
s.frame_start = 1
s.frame_end = 50
s.lifetime = 40
s.physics_type = 'NEWTON'
s.normal_factor = 2.5
s.effector_weights.gravity = 0.2
s.render_type = 'HALO'
print(s.name)
