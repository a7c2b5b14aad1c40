# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

arm = bpy.data.armatures.new("Chain")
obj = bpy.data.objects.new("Chain", arm)
bpy.context.collection.objects.link(obj)
bpy.context.view_layer.objects.active = obj
bpy.ops.object.mode_set(mode='EDIT')
parent = None
for i in range(6):
    bone = arm.edit_bones.new(f"Bone.{i:03d}")
    bone.head = (0, 0, i)
    bone.tail = (0, 0, i + 1)
    if parent:
        bone.parent = parent
        bone.use_connect = True
    parent = bone
bpy.ops.object.mode_set(mode='POSE')
for pb in obj.pose.bones:
    pb.rotation_mode = 'XYZ'
    pb.rotation_euler.x = 0.2
bpy.ops.object.mode_set(mode='OBJECT')
