# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import noise, Vector

size, scale = 64, 0.15
noise.seed_set(7)
verts = []
for y in range(size):
    for x in range(size):
        p = Vector((x * scale, y * scale, 0))
        z = noise.fractal(p, 1.0, 2.0, 5, noise_basis='PERLIN_ORIGINAL') * 1.5
        verts.append((x - size / 2, y - size / 2, z))
faces = [(y * size + x, y * size + x + 1, (y + 1) * size + x + 1, (y + 1) * size + x) for y in range(size - 1) for x in range(size - 1)]
me = bpy.data.meshes.new("Terrain")
me.from_pydata(verts, [], faces)
me.shade_smooth() if hasattr(me, "shade_smooth") else None
bpy.context.collection.objects.link(bpy.data.objects.new("Terrain", me))
