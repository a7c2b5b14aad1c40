# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math

obj = bpy.context.object
scene = bpy.context.scene
scene.frame_start = 1
scene.frame_end = 120
for frame in range(1, 121, 5):
    t = frame / 24
    obj.location.z = abs(math.sin(t * math.pi)) * 3
    obj.keyframe_insert(data_path="location", index=2, frame=frame)
scene.frame_set(1)
