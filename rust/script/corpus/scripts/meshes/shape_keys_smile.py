# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
obj = bpy.data.objects["Cube"]
basis = obj.shape_key_add(name="Basis", from_mix=False)
tall = obj.shape_key_add(name="Tall", from_mix=False)
for i, point in enumerate(tall.data):
    if basis.data[i].co.z > 0:
        point.co.z += 1.0
tall.value = 0.5
tall.slider_max = 2.0
for f, v in ((1, 0.0), (20, 1.0)):
    tall.value = v
    tall.keyframe_insert("value", frame=f)
obj.data.shape_keys.use_relative = True
print([k.name for k in obj.data.shape_keys.key_blocks], obj.active_shape_key.name)
