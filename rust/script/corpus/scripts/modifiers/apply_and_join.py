# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
parts = []
for i in range(4):
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(i, 0, 0), rotation=(0, 0, 0.3 * i))
    p = bpy.context.object
    b = p.modifiers.new("Bevel", "BEVEL")
    b.width = 0.03
    parts.append(p)
for p in parts:
    bpy.context.view_layer.objects.active = p
    for m in list(p.modifiers):
        bpy.ops.object.modifier_apply(modifier=m.name)
bpy.ops.object.select_all(action='DESELECT')
for p in parts:
    p.select_set(True)
bpy.context.view_layer.objects.active = parts[0]
bpy.ops.object.join()
joined = bpy.context.view_layer.objects.active
joined.name = "Joined"
bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)
bpy.ops.object.origin_set(type='ORIGIN_GEOMETRY', center='BOUNDS')
bpy.ops.object.shade_smooth()
bpy.context.scene.cursor.location = joined.location
bpy.ops.view3d.snap_cursor_to_center() if bpy.ops.view3d.snap_cursor_to_center.poll() else None
print(len(joined.data.vertices))
