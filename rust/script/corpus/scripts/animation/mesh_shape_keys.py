# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

obj = bpy.context.object
if not obj.data.shape_keys:
    obj.shape_key_add(name="Basis")
key = obj.shape_key_add(name="Tall")
for i, point in enumerate(key.data):
    point.co.z *= 1.5
key.value = 0.0
key.keyframe_insert("value", frame=1)
key.value = 1.0
key.keyframe_insert("value", frame=40)
