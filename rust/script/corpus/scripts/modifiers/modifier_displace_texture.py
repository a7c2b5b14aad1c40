# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

tex = bpy.data.textures.new("Clouds", type='CLOUDS')
tex.noise_scale = 0.6
bpy.ops.mesh.primitive_grid_add(x_subdivisions=100, y_subdivisions=100, size=10)
plane = bpy.context.object
d = plane.modifiers.new("Displace", 'DISPLACE')
d.texture = tex
d.strength = 1.2
d.mid_level = 0.4
bpy.ops.object.shade_smooth()
