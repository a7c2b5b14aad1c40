# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import radians
arm = bpy.data.armatures.new("Rig")
rig = bpy.data.objects.new("Rig", arm)
bpy.context.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
prev = None
for i in range(4):
    b = arm.edit_bones.new(f"Bone.{i}")
    b.head, b.tail = (0, 0, i), (0, 0, i + 1)
    if prev:
        b.parent, b.use_connect = prev, True
    prev = b
bpy.ops.object.mode_set(mode="POSE")
for pb in rig.pose.bones:
    pb.rotation_mode = "XYZ"
    pb.rotation_euler.x = radians(15)
    pb.keyframe_insert("rotation_euler", frame=1)
ik = rig.pose.bones["Bone.3"].constraints.new("COPY_ROTATION")
ik.target, ik.subtarget, ik.influence = rig, "Bone.0", 0.5
bpy.ops.object.mode_set(mode="OBJECT")
cube = bpy.data.objects["Cube"]
cube.parent = rig
cube.parent_type = "BONE"
cube.parent_bone = "Bone.1"
bpy.context.view_layer.update()
print([tuple(round(x, 3) for x in pb.tail) for pb in rig.pose.bones][-1])
