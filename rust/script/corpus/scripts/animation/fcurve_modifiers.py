# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
cube = bpy.data.objects["Cube"]
cube.rotation_mode = "XYZ"
for f, a in [(1, 0.0), (25, 1.57), (50, 0.0)]:
    cube.rotation_euler.z = a
    cube.keyframe_insert(data_path="rotation_euler", frame=f)
action = cube.animation_data.action
action.name = "Swing"
if hasattr(action, "fcurves"):
    curves = action.fcurves
else:
    curves = [fc for layer in action.layers for strip in layer.strips for bag in strip.channelbags for fc in bag.fcurves]
for fc in curves:
    fc.modifiers.new(type="CYCLES")
    for kp in fc.keyframe_points:
        kp.interpolation = "SINE"
        kp.easing = "EASE_IN_OUT"
print(sorted(fc.array_index for fc in curves))
