# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

ob = bpy.data.objects["Cube"]
ob.animation_data_clear()
for f, z in zip(range(1, 61, 10), (0, 2, 0, 1, 0, 0.5)):
    ob.location.z = z
    ob.keyframe_insert("location", frame=f)
    ob.scale = (1 + z * 0.05,) * 3
    ob.keyframe_insert("scale", frame=f)
act = ob.animation_data.action
print(act.name, ob.animation_data is not None)
bpy.context.scene.frame_set(20)
print(round(ob.location.z, 3))
