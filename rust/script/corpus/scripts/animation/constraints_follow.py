# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

path = bpy.data.objects.get("Path")
obj = bpy.context.object
if path and obj:
    con = obj.constraints.new('FOLLOW_PATH')
    con.target = path
    con.use_curve_follow = True
    con.offset_factor = 0.0
    con.keyframe_insert("offset_factor", frame=1)
    con.offset_factor = 1.0
    con.keyframe_insert("offset_factor", frame=100)
