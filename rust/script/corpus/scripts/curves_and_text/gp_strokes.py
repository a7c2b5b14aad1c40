# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
if bpy.app.version >= (4, 3):
    gp = bpy.data.grease_pencils_v3.new("Sketch") if hasattr(bpy.data, "grease_pencils_v3") else bpy.data.grease_pencils.new("Sketch")
    layer = gp.layers.new("Ink")
    frame = layer.frames.new(1)
    frame.drawing.add_strokes([6])
    for i, p in enumerate(frame.drawing.strokes[0].points):
        p.position = (i * 0.2, 0, (i % 2) * 0.2)
        p.radius = 0.02
    ob = bpy.data.objects.new("Sketch", gp)
    bpy.context.collection.objects.link(ob)
    print(len(frame.drawing.strokes), layer.name)
else:
    print("older")
