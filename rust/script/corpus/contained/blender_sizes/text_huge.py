# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
c = bpy.data.curves.new("t", 'FONT')
c.body = "x" * 1000000
c.extrude = 1
bpy.context.collection.objects.link(bpy.data.objects.new("t", c))
bpy.context.view_layer.update()
