# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector
scene = bpy.context.scene
cam_data = bpy.data.cameras.new("Hero")
cam_data.type = "PERSP"
cam_data.lens_unit = "FOV"
cam_data.angle = 0.8
cam_data.dof.use_dof = True
cam_data.dof.focus_object = bpy.data.objects["Cube"]
cam_data.dof.aperture_fstop = 1.8
cam = bpy.data.objects.new("Hero", cam_data)
scene.collection.objects.link(cam)
con = cam.constraints.new(type="TRACK_TO")
con.target = bpy.data.objects["Cube"]
con.track_axis, con.up_axis = "TRACK_NEGATIVE_Z", "UP_Y"
cam.location = Vector((6, -6, 3))
scene.camera = cam
bpy.context.view_layer.update()
frame = [cam.matrix_world @ c for c in cam_data.view_frame(scene=scene)]
print(len(frame), cam.constraints[0].is_valid)
