# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math

size = 40
verts, faces = [], []
for y in range(size):
    for x in range(size):
        z = math.sin(x * 0.4) * math.cos(y * 0.4)
        verts.append((x * 0.25, y * 0.25, z))
for y in range(size - 1):
    for x in range(size - 1):
        i = y * size + x
        faces.append((i, i + 1, i + size + 1, i + size))
me = bpy.data.meshes.new("Wave")
me.from_pydata(verts, [], faces)
for poly in me.polygons:
    poly.use_smooth = True
me.validate()
ob = bpy.data.objects.new("Wave", me)
bpy.context.scene.collection.objects.link(ob)
