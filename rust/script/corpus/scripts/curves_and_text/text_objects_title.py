# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

words = "MADE WITH BLENDER".split()
for i, w in enumerate(words):
    td = bpy.data.curves.new(type="FONT", name=w.capitalize())
    td.body = w
    td.align_x = 'CENTER'
    td.extrude = 0.08
    td.bevel_depth = 0.01
    td.size = 1.2 - 0.2 * i
    td.space_character = 1.1
    o = bpy.data.objects.new(w.capitalize(), td)
    o.location = 0, 0, -i * 1.1
    o.rotation_euler.x = 1.5708
    bpy.context.collection.objects.link(o)
txt = bpy.data.objects["Made"]
bpy.context.view_layer.objects.active = txt
txt.select_set(True)
bpy.ops.object.convert(target='MESH')
print(bpy.context.object.type)
