# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
o = bpy.data.objects["Cube"]
o["power"] = 0.0
for f in (1, 10, 20):
    o["power"] = f / 10
    o.keyframe_insert(data_path='["power"]', frame=f)
m = o.modifiers.new("Wave", "WAVE")
m.height = 0.2
m.keyframe_insert("height", frame=1)
m.height = 0.8
o.keyframe_insert('modifiers["Wave"].height', frame=20)
c = o.constraints.new("LIMIT_LOCATION")
c.influence = 0
c.keyframe_insert(data_path="influence", frame=1)
d = o.driver_add('modifiers["Wave"].width')
d.driver.type = "MIN"
print(o.path_resolve('modifiers["Wave"].height'), d.data_path, o.animation_data.action is not None)
