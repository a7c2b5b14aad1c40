# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
for i, (word, align) in enumerate([("Left", "LEFT"), ("Mid", "CENTER"), ("Right", "RIGHT")]):
    data = bpy.data.curves.new(type="FONT", name=f"Label {word}")
    data.body = word.upper()
    data.align_x = align
    data.align_y = "CENTER"
    data.size = 0.5 + i * 0.25
    data.extrude = 0.03
    data.bevel_depth = 0.005
    data.space_character = 1.1
    ob = bpy.data.objects.new(data.name, data)
    ob.location = (0, 0, i)
    ob.rotation_euler = (1.5708, 0, 0)
    bpy.context.scene.collection.objects.link(ob)
print([o.data.body for o in bpy.data.objects if o.type == "FONT"])
