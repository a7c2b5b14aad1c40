# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math

ob = bpy.context.object
basis = ob.shape_key_add(name="Basis", from_mix=False)
twist = ob.shape_key_add(name="Twist", from_mix=False)
for i, pt in enumerate(twist.data):
    x, y, z = basis.data[i].co
    a = z * math.pi / 4
    pt.co = (x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a), z)
twist.slider_max = 2.0
twist.value = 0.5
twist.keyframe_insert("value", frame=1)
twist.value = 1.0
twist.keyframe_insert("value", frame=40)
print(list(ob.data.shape_keys.key_blocks.keys()))
