# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import radians

bpy.ops.object.empty_add(type='PLAIN_AXES', location=(0, 0, 0))
pivot = bpy.context.object
pivot.name = "Pivot"
cam_data = bpy.data.cameras.new("TurnCam")
cam = bpy.data.objects.new("TurnCam", cam_data)
bpy.context.collection.objects.link(cam)
cam.location = (0, -8, 3)
cam.parent = pivot
con = cam.constraints.new(type='TRACK_TO')
con.target = pivot
con.track_axis = 'TRACK_NEGATIVE_Z'
con.up_axis = 'UP_Y'
pivot.rotation_euler = (0, 0, 0)
pivot.keyframe_insert("rotation_euler", frame=1)
pivot.rotation_euler.z = radians(360)
pivot.keyframe_insert("rotation_euler", frame=251)
bpy.context.scene.camera = cam
