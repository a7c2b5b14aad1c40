# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, math
from mathutils import Vector
scene = bpy.context.scene
cam = scene.camera
target = Vector((0.0, 0.0, 0.0))
radius, height = 8.0, 4.0
scene.frame_end = 80
for k in range(0, 9):
    angle = k / 8 * 2 * math.pi
    cam.location = target + Vector((math.cos(angle) * radius, math.sin(angle) * radius, height))
    direction = target - cam.location
    cam.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler("XYZ", cam.rotation_euler)
    cam.keyframe_insert("location", frame=1 + k * 10)
    cam.keyframe_insert("rotation_euler", frame=1 + k * 10)
cam.data.lens = 35
cam.data.sensor_width = 36
cam.data.clip_end = 500
print(cam.data.angle > 0.5)
