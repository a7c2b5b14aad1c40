# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=3, location=(0, 0, 4))
c = bpy.context.object
m = c.modifiers.new("Cloth", 'CLOTH')
m.settings.quality = 6
m.settings.mass = 0.3
m.settings.tension_stiffness = 15
m.collision_settings.use_self_collision = True
bpy.data.objects["Cube"].modifiers.new("Collision", 'COLLISION')
bpy.context.scene.gravity = (0, 0, -9.81)
print([x.type for x in c.modifiers])
