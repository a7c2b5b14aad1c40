# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
import numpy as np
rng = np.random.RandomState(3)
n = 64
h = np.zeros((n, n))
for octave in range(1, 6):
    f = 2 ** octave
    coarse = rng.rand(f + 1, f + 1)
    xi = np.linspace(0, f, n, endpoint=False)
    i0 = xi.astype(int); t = xi - i0; t = t * t * (3 - 2 * t)
    a = coarse[i0][:, i0] * (1 - t)[None, :] + coarse[i0][:, i0 + 1] * t[None, :]
    b = coarse[i0 + 1][:, i0] * (1 - t)[None, :] + coarse[i0 + 1][:, i0 + 1] * t[None, :]
    h += (a * (1 - t)[:, None] + b * t[:, None]) / f
for _ in range(30):
    lap = np.roll(h, 1, 0) + np.roll(h, -1, 0) + np.roll(h, 1, 1) + np.roll(h, -1, 1) - 4 * h
    h += 0.05 * lap
    h = np.maximum(h, 0)
gx, gy = np.gradient(h)
slope = np.hypot(gx, gy)
idx = np.arange(n * n).reshape(n, n)
faces = np.c_[idx[:-1, :-1].flat, idx[:-1, 1:].flat, idx[1:, 1:].flat, idx[1:, :-1].flat]
X, Y = np.meshgrid(np.arange(n), np.arange(n), indexing='ij')
verts = np.dstack([X * 0.2, Y * 0.2, h * 3]).reshape(-1, 3)
me = bpy.data.meshes.new("Eroded")
me.from_pydata([tuple(v) for v in verts], [], [tuple(int(i) for i in f) for f in faces])
col = me.attributes.new("slope", 'FLOAT_COLOR', 'POINT')
rgba = np.ones((n * n, 4), np.float32)
rgba[:, 0] = np.interp(slope.ravel(), (slope.min(), slope.max()), (0, 1))
col.data.foreach_set("color", rgba.flatten())
bpy.context.collection.objects.link(bpy.data.objects.new("Eroded", me))
print(h.argmax(), np.unravel_index(h.argmax(), h.shape), np.histogram(h, bins=4)[0].sum(), np.median(slope) > 0)
