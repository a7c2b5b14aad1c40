# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
bpy.ops.mesh.primitive_plane_add(size=2, enter_editmode=True)
bpy.ops.mesh.subdivide(number_cuts=4, smoothness=0)
bpy.ops.mesh.select_mode(type="FACE")
bpy.ops.mesh.select_random(ratio=0.4, seed=3)
bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (0, 0, 0.4)})
bpy.ops.mesh.select_all(action="SELECT")
bpy.ops.mesh.normals_make_consistent(inside=False)
bpy.ops.uv.smart_project(angle_limit=1.15, island_margin=0.02)
bpy.ops.object.mode_set(mode="OBJECT")
print(len(bpy.context.object.data.polygons) > 25)
