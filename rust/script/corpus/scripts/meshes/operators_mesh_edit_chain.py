# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

bpy.ops.mesh.primitive_plane_add(size=4)
bpy.ops.object.editmode_toggle()
bpy.ops.mesh.select_all(action='SELECT')
bpy.ops.mesh.subdivide(number_cuts=5, smoothness=0.0)
bpy.ops.mesh.select_random(ratio=0.4, seed=3)
bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (0, 0, 0.5)})
bpy.ops.mesh.inset(thickness=0.05)
bpy.ops.mesh.select_all(action='SELECT')
bpy.ops.mesh.normals_make_consistent(inside=False)
bpy.ops.mesh.remove_doubles(threshold=0.001)
bpy.ops.object.editmode_toggle()
bpy.ops.object.shade_flat()
bpy.ops.object.origin_set(type='ORIGIN_GEOMETRY', center='MEDIAN')
print(len(bpy.context.object.data.polygons))
