# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
from math import sin, cos, tau
if bpy.app.version >= (4, 3, 0):
    bank = bpy.data.grease_pencils_v3 if hasattr(bpy.data, "grease_pencils_v3") else bpy.data.grease_pencils
    gp = bank.new("Doodle")
    layer = gp.layers.new("Lines")
    frame = layer.frames.new(1)
    drawing = frame.drawing
    drawing.add_strokes([32])
    stroke = drawing.strokes[0]
    for i, p in enumerate(stroke.points):
        p.position = (cos(i / 31 * tau), 0, sin(i / 31 * tau))
        p.radius = 0.02
    stroke.cyclic = True
else:
    gp = bpy.data.grease_pencils.new("Doodle")
    layer = gp.layers.new("Lines", set_active=True)
    frame = layer.frames.new(1)
    stroke = frame.strokes.new()
    stroke.points.add(32)
    for i, p in enumerate(stroke.points):
        p.co = (cos(i / 31 * tau), 0, sin(i / 31 * tau))
mat = bpy.data.materials.new("Ink")
bpy.data.materials.create_gpencil_data(mat)
mat.grease_pencil.color = (0.1, 0.1, 0.1, 1)
mat.grease_pencil.show_fill = False
gp.materials.append(mat)
ob = bpy.data.objects.new("Doodle", gp)
bpy.context.collection.objects.link(ob)
