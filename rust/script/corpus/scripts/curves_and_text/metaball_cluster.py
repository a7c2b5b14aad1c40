# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random

random.seed(5)
mb = bpy.data.metaballs.new("Blob")
mb.resolution = 0.3
mb.threshold = 0.4
for _ in range(12):
    el = mb.elements.new(type='BALL')
    el.co = [random.uniform(-1, 1) for _ in range(3)]
    el.radius = random.choice((0.5, 0.7, 1.0))
bpy.context.scene.collection.objects.link(bpy.data.objects.new("Blob", mb))
