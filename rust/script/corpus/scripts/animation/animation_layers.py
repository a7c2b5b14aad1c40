# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.0 5.2
import bpy

obj = bpy.context.object
for frame, height in ((1, 0.0), (20, 2.0), (40, 0.0)):
    obj.location.z = height
    obj.keyframe_insert("location", index=2, frame=frame)
data = obj.animation_data
for layer in data.action.layers:
    for strip in layer.strips:
        bag = strip.channelbag(data.action_slot)
        for curve in bag.fcurves:
            for key in curve.keyframe_points:
                key.interpolation = "BEZIER"
                key.easing = "EASE_OUT"
