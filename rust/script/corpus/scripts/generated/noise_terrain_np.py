# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
import numpy as np
from mathutils import noise, Vector

SIZE, RES, HEIGHT = 20.0, 96, 3.0
noise.seed_set(12)
xs = np.linspace(-SIZE / 2, SIZE / 2, RES)
gx, gy = np.meshgrid(xs, xs, indexing="ij")
z = np.empty_like(gx)
for idx in np.ndindex(gx.shape):
    p = Vector((gx[idx] * 0.15, gy[idx] * 0.15, 0.0))
    z[idx] = noise.fractal(p, 1.0, 2.0, 5) * HEIGHT
z = np.clip(z, -1.0, None)
verts = np.stack((gx.ravel(), gy.ravel(), z.ravel()), axis=1).astype(np.float32)
i = np.arange(RES * RES).reshape(RES, RES)
quads = np.stack((i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]), axis=-1).reshape(-1, 4)
mesh = bpy.data.meshes.new("Terrain")
mesh.from_pydata(verts.tolist(), [], quads.tolist())
mesh.update()
ob = bpy.data.objects.new("Terrain", mesh)
bpy.context.collection.objects.link(ob)
mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), dtype=bool))
print(f"min {z.min():.2f}  max {z.max():.2f}  mean {z.mean():.3f} std {np.std(z):.3f}")
