# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np

bpy.ops.mesh.primitive_grid_add(x_subdivisions=60, y_subdivisions=60, size=10)
me = bpy.context.object.data
n = len(me.vertices)
co = np.empty(n * 3, dtype=np.float32)
me.vertices.foreach_get("co", co)
co = co.reshape((-1, 3))
r = np.sqrt(co[:, 0] ** 2 + co[:, 1] ** 2)
co[:, 2] = np.sin(r * 2.0) * np.exp(-r * 0.2)
me.vertices.foreach_set("co", co.ravel())
me.update()
print(round(float(co[:, 2].max()), 4), co.shape)
