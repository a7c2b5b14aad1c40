# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math

count = 6
ring = bpy.data.collections.new("Ring")
bpy.context.scene.collection.children.link(ring)
for i in range(count):
    t = i / count * math.tau
    l = bpy.data.lights.new(f"P{i}", 'POINT')
    l.energy = 50 * (1 + i % 2)
    l.color = (abs(math.sin(t)), abs(math.cos(t)), 0.5)
    l.shadow_soft_size = 0.2
    l.use_shadow = True
    o = bpy.data.objects.new(l.name, l)
    o.location = math.cos(t) * 3, math.sin(t) * 3, 2
    ring.objects.link(o)
    if i: o.parent = ring.objects[0]
print(len(ring.all_objects), ring.name in bpy.context.scene.collection.children)
