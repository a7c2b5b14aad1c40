# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np

obj = bpy.context.object
mesh = obj.data
co = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
mesh.vertices.foreach_get("co", co)
co = co.reshape(-1, 3)
co[:, 2] += np.sin(co[:, 0] * 3.0) * 0.2
mesh.vertices.foreach_set("co", co.ravel())
mesh.update()
print(f"moved {co.shape[0]} vertices, mean height {co[:, 2].mean():.3f}")
