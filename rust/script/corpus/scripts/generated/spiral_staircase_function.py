# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, math

def make_step(i, height=0.2, radius=2.0, angle=math.radians(18)):
    bpy.ops.mesh.primitive_cube_add(size=1, location=(radius * math.cos(i * angle), radius * math.sin(i * angle), i * height))
    s = bpy.context.active_object
    s.name = "Step.%03d" % i
    s.scale = (0.9, 0.35, 0.05)
    s.rotation_euler[2] = i * angle
    return s

steps = [make_step(i) for i in range(20)]
pole_h = len(steps) * 0.2
bpy.ops.mesh.primitive_cylinder_add(radius=0.15, depth=pole_h, location=(0, 0, pole_h / 2))
bpy.context.active_object.name = "Pole"
bpy.ops.object.select_all(action='DESELECT')
for s in steps:
    s.select_set(True)
bpy.context.view_layer.objects.active = steps[0]
bpy.ops.object.join()
