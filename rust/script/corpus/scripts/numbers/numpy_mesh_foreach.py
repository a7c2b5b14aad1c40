# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np
me = bpy.data.objects["Cube"].data
n = len(me.vertices)
co = np.zeros((n, 3), dtype=np.float32)
me.vertices.foreach_get("co", co.reshape(-1))
center = co.mean(axis=0)
rng = np.random.default_rng(7)
co += rng.normal(scale=0.05, size=co.shape)
rot = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
co = co @ rot.T
me.vertices.foreach_set("co", co.ravel())
me.update()
idx = np.argsort(co[:, 2])[::-1]
u, s, vt = np.linalg.svd(co - center)
print(co.shape, idx.shape, np.round(np.abs(np.linalg.det(rot)), 3), s.shape, np.unique(np.sign(co[:, 0])).size)
