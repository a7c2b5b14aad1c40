# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
mb = bpy.data.metaballs.new("m")
bpy.context.collection.objects.link(bpy.data.objects.new("m", mb))
e = mb.elements.new()
for k, v in (("size_x", 5000), ("resolution", 0.01)):
    setattr(mb if k == "resolution" else e, k, v)
bpy.context.view_layer.update()
