# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
c = bpy.data.curves.new("t", 'FONT')
for i in range(25):
    c.body = c.body + c.body + "x"
bpy.context.collection.objects.link(bpy.data.objects.new("t", c))
bpy.context.view_layer.update()
