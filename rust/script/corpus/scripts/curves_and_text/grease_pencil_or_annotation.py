# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math

if bpy.app.version >= (4, 3, 0):
    data = bpy.data.grease_pencils_v3.new("Ink") if hasattr(bpy.data, "grease_pencils_v3") else bpy.data.grease_pencils.new("Ink")
    layer = data.layers.new("Lines")
    frame = layer.frames.new(1)
    frame.drawing.add_strokes([20])
    stroke = frame.drawing.strokes[0]
    for i, p in enumerate(stroke.points):
        p.position = (math.cos(i / 3), math.sin(i / 3), i * 0.1)
        p.radius = 0.02
    bpy.context.collection.objects.link(bpy.data.objects.new("Ink", data))
