# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import radians

scn = bpy.context.scene
cam = scn.camera
empty = bpy.data.objects.new("Orbit", None)
empty.empty_display_type = 'SPHERE'
empty.empty_display_size = 0.5
scn.collection.objects.link(empty)
cam.parent = empty
cam.matrix_parent_inverse = empty.matrix_world.inverted()
scn.frame_start, scn.frame_end = 1, 120
for frame, deg in [(1, 0), (121, 360)]:
    empty.rotation_euler = (0, 0, radians(deg))
    empty.keyframe_insert(data_path="rotation_euler", index=2, frame=frame)
con = cam.constraints.new('TRACK_TO')
con.target = bpy.data.objects["Cube"]
con.track_axis = 'TRACK_NEGATIVE_Z'
con.up_axis = 'UP_Y'
