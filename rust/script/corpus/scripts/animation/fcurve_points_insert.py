# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
o = bpy.data.objects["Cube"]
o.animation_data_create()
act = bpy.data.actions.new("Manual")
o.animation_data.action = act
if hasattr(act, "fcurve_ensure_for_datablock"):
    fc = act.fcurve_ensure_for_datablock(o, "location", index=0)
else:
    fc = act.fcurves.new("location", index=0)
fc.keyframe_points.add(5)
for i, kp in enumerate(fc.keyframe_points):
    kp.co = (i * 10, i ** 0.5)
    kp.handle_left_type = kp.handle_right_type = "VECTOR"
fc.update()
fc.extrapolation = "LINEAR"
print([round(fc.evaluate(x), 3) for x in (0, 5, 33)], fc.range()[1])
