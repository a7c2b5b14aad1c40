# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import *
verts = []
for i in range(64):
    a = 2 * pi * i / 64
    verts.append((cos(a) * 2, sin(a) * 2, sqrt(abs(sin(3 * a)))))
me = bpy.data.meshes.new("Wave Ring")
me.from_pydata(verts, [(i, (i + 1) % 64) for i in range(64)], [])
ob = bpy.data.objects.new("Wave Ring", me)
bpy.context.collection.objects.link(ob)
print(degrees(atan2(1, 1)), floor(2.5), hypot(3, 4))
