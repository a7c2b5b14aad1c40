# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
bpy.ops.object.select_all(action="DESELECT")
cube = bpy.data.objects["Cube"]
cube.select_set(True)
bpy.context.view_layer.objects.active = cube
for k in range(3):
    bpy.ops.object.duplicate_move_linked(TRANSFORM_OT_translate={"value": (2.5, 0, 0)})
    bpy.context.object.rotation_euler.z += 0.3
bpy.ops.object.select_pattern(pattern="Cube*")
print(sorted(o.name for o in bpy.context.selected_objects), bpy.context.object.name)
bpy.ops.object.origin_set(type="ORIGIN_GEOMETRY", center="BOUNDS")
bpy.ops.object.shade_smooth()
