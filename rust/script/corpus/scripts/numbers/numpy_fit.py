# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np

pts = np.array([v.co[:] for v in bpy.context.object.data.vertices])
centre = pts.mean(axis=0)
u, s, vt = np.linalg.svd(pts - centre, full_matrices=False)
print("normal of best plane:", vt[2].round(3).tolist())
rng = np.random.default_rng(3)
sample = rng.uniform(-1, 1, size=(100, 3))
print(sample.std(axis=0), np.linalg.norm(sample, axis=1).max())
