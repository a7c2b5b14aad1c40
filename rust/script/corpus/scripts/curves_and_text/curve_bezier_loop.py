# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, math
curve = bpy.data.curves.new("Loop", type="CURVE")
curve.dimensions = "3D"
curve.resolution_u = 8
curve.bevel_depth = 0.05
curve.fill_mode = "FULL"
spline = curve.splines.new("BEZIER")
spline.bezier_points.add(5)
spline.use_cyclic_u = True
for i, bp in enumerate(spline.bezier_points):
    a = i / 6 * math.tau
    bp.co = (math.cos(a) * 2, math.sin(a) * 2, (i % 2) * 0.5)
    bp.handle_left_type = bp.handle_right_type = "AUTO"
    bp.radius = 1 + 0.5 * (i % 2)
    bp.tilt = a / 4
obj = bpy.data.objects.new("Loop", curve)
bpy.context.collection.objects.link(obj)
follower = bpy.data.objects["Cube"]
con = follower.constraints.new("FOLLOW_PATH")
con.target = obj
con.use_curve_follow = True
curve.use_path = True
curve.path_duration = 100
print(len(spline.bezier_points), con.type)
