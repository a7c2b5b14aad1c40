# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.0 5.2
import bpy

data = bpy.data.grease_pencils.new("Sketch") if bpy.app.version >= (5, 0, 0) else None
if data:
    layer = data.layers.new("Lines")
    frame = layer.frames.new(1)
    frame.drawing.add_strokes([3])
    for i, point in enumerate(frame.drawing.strokes[0].points):
        point.position = (i, 0, i * 0.5)
