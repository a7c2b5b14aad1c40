# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

obj = bpy.context.object
action = obj.animation_data.action if obj.animation_data else None
if action is not None and hasattr(action, "fcurves"):
    for fc in action.fcurves:
        for kp in fc.keyframe_points:
            kp.interpolation = 'LINEAR'
        fc.update()
