# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=12, size=2, location=(0, 0, 2))
ob = bpy.context.object
pin = ob.vertex_groups.new(name="Pin")
pin.add([v.index for v in ob.data.vertices if v.co.y > 0.9], 1.0, "REPLACE")
cl = ob.modifiers.new("Cloth", "CLOTH")
cl.settings.quality = 5
cl.settings.mass = 0.3
cl.settings.vertex_group_mass = "Pin"
cl.collision_settings.distance_min = 0.01
bpy.data.objects["Cube"].modifiers.new("Hit", "COLLISION")
print(cl.settings.vertex_group_mass, cl.point_cache.frame_end)
