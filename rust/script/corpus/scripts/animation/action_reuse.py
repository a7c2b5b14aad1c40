# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
a = bpy.data.actions.new("Shared")
cube, light = bpy.data.objects["Cube"], bpy.data.objects["Light"]
cube.animation_data_create()
cube.animation_data.action = a
cube.keyframe_insert("location", frame=1)
cube.location.x = 4
cube.keyframe_insert("location", frame=30)
light.animation_data_create()
light.animation_data.action = a
if hasattr(light.animation_data, "action_slot") and light.animation_data.action_slot is None and a.slots:
    light.animation_data.action_slot = a.slots[0]
print(a.users, list(a.frame_range), a.name)
