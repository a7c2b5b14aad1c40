# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

font = bpy.data.curves.new(type='FONT', name="Title")
font.body = "Hello\nBlender"
font.align_x = 'CENTER'
font.extrude = 0.1
font.bevel_depth = 0.01
ob = bpy.data.objects.new("Title", font)
bpy.context.scene.collection.objects.link(ob)
ob.rotation_euler[0] = 1.5708
