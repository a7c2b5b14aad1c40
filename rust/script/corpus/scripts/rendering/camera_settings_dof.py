# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

cam_data = bpy.data.cameras.new("Hero")
cam_data.lens = 85
cam_data.sensor_width = 36
cam_data.dof.use_dof = True
cam_data.dof.aperture_fstop = 1.8
cam_data.dof.focus_object = bpy.data.objects.get("Cube")
cam_data.clip_start, cam_data.clip_end = 0.01, 500
cam_data.show_passepartout = True
cam_data.passepartout_alpha = 0.9
cam = bpy.data.objects.new("Hero", cam_data)
bpy.context.scene.collection.objects.link(cam)
cam.location = (6, -6, 4)
cam.rotation_mode = 'XYZ'
cam.rotation_euler = (1.1, 0, 0.785)
bpy.context.scene.camera = cam
print(f"{cam_data.angle:.3f}")
