# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

cu = bpy.data.curves.new("Road", 'CURVE')
cu.dimensions = '3D'
sp = cu.splines.new('BEZIER')
pts = [(0, 0, 0), (5, 2, 0), (9, -1, 1), (14, 3, 0)]
sp.bezier_points.add(len(pts) - 1)
for bp, co in zip(sp.bezier_points, pts):
    bp.co = co
    bp.handle_left_type = bp.handle_right_type = 'AUTO'
cu.bevel_depth = 0.2
cu.use_fill_caps = True
ob = bpy.data.objects.new("Road", cu)
bpy.context.collection.objects.link(ob)
