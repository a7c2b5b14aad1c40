# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import radians

scene = bpy.context.scene
cam = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
scene.collection.objects.link(cam)
cam.location = (7.4, -6.9, 5)
cam.rotation_euler = [radians(a) for a in (63, 0, 46)]
cam.data.lens = 50
cam.data.dof.use_dof = True
cam.data.dof.aperture_fstop = 2.8
scene.camera = cam
for name, kind, energy, loc in [("Key", 'AREA', 800, (4, -4, 5)), ("Fill", 'AREA', 200, (-4, -3, 3)), ("Rim", 'SPOT', 500, (0, 5, 4))]:
    data = bpy.data.lights.new(name, type=kind)
    data.energy = energy
    light = bpy.data.objects.new(name, data)
    light.location = loc
    scene.collection.objects.link(light)
    con = light.constraints.new('TRACK_TO')
    con.target = bpy.context.object
