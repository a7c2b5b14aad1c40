# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import noise, Vector

SIZE, STEP, H = 24, 0.5, 3.0
noise.seed_set(42)
verts, faces = [], []
for y in range(SIZE):
    for x in range(SIZE):
        p = Vector((x * STEP, y * STEP, 0))
        z = noise.fractal(p * 0.3, 1.0, 2.0, 6, noise_basis='PERLIN_ORIGINAL') * H
        verts.append((p.x, p.y, z))
idx = lambda x, y: y * SIZE + x
for y in range(SIZE - 1):
    for x in range(SIZE - 1):
        faces.append((idx(x, y), idx(x + 1, y), idx(x + 1, y + 1), idx(x, y + 1)))
me = bpy.data.meshes.new("Terrain")
me.from_pydata(verts, (), faces)
me.update(calc_edges=True)
ob = bpy.data.objects.new("Terrain", me)
bpy.context.collection.objects.link(ob)
for f in me.polygons:
    f.use_smooth = True
high = max(verts, key=lambda v: v[2])
print(f"peak {high[2]:.3f}")
