# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

bpy.ops.mesh.primitive_cube_add(size=2)
base = bpy.context.object
for axis in range(3):
    rot = [0.0, 0.0, 0.0]
    if axis < 2:
        rot[axis] = 1.5707963
    bpy.ops.mesh.primitive_cylinder_add(radius=0.5, depth=4, vertices=24, rotation=rot)
    cutter = bpy.context.object
    cutter.display_type = 'WIRE'
    cutter.hide_render = True
    b = base.modifiers.new(f"Cut{axis}", 'BOOLEAN')
    b.operation = 'DIFFERENCE'
    b.object = cutter
bpy.context.view_layer.objects.active = base
for m in base.modifiers[:]:
    bpy.ops.object.modifier_apply(modifier=m.name)
print(len(base.data.polygons) > 6)
