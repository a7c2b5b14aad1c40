# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, math
me = bpy.data.objects["Cube"].data
try:
    me.use_auto_smooth = True
    me.auto_smooth_angle = math.radians(30)
    print("old")
except AttributeError as e:
    print("new", type(e).__name__)
    for p in me.polygons:
        p.use_smooth = True
try:
    me.calc_normals_split()
except AttributeError:
    pass
