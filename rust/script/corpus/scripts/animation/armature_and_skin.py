# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector

arm = bpy.data.armatures.new("Rig")
rig = bpy.data.objects.new("Rig", arm)
bpy.context.scene.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
rig.select_set(True)
bpy.ops.object.mode_set(mode='EDIT')
prev = None
for i in range(4):
    b = arm.edit_bones.new(f"Bone.{i:03d}")
    b.head = Vector((0, 0, i))
    b.tail = b.head + Vector((0, 0, 1))
    if prev is not None:
        b.parent = prev
        b.use_connect = True
    prev = b
bpy.ops.object.mode_set(mode='POSE')
for i, pb in enumerate(rig.pose.bones):
    pb.rotation_mode = 'XYZ'
    pb.rotation_euler.x = 0.2 * i
    pb.keyframe_insert("rotation_euler", frame=1)
ik = rig.pose.bones[-1].constraints.new('IK')
ik.chain_count = 3
bpy.ops.object.mode_set(mode='OBJECT')
cube = bpy.data.objects["Cube"]
cube.parent = rig
m = cube.modifiers.new("Armature", 'ARMATURE')
m.object = rig
print([b.name for b in arm.bones])
