# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
mb = bpy.data.metaballs.new("m")
mb.resolution = 0.005
e = mb.elements.new()
e.radius = 1000
bpy.context.collection.objects.link(bpy.data.objects.new("m", mb))
bpy.context.view_layer.update()
