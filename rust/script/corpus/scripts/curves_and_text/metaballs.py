# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random

mb = bpy.data.metaballs.new("Blob")
mb.resolution = 0.1
ob = bpy.data.objects.new("Blob", mb)
bpy.context.collection.objects.link(ob)
for _ in range(12):
    el = mb.elements.new()
    el.co = [random.uniform(-1.5, 1.5) for _ in range(3)]
    el.radius = random.uniform(0.5, 1.0)
