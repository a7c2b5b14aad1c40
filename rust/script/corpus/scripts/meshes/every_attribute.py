# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np
me = bpy.context.object.data
n = len(me.vertices)
a = me.attributes.new("heat", 'FLOAT', 'POINT')
a.data.foreach_set("value", np.linspace(0, 1, n))
co = np.empty(n * 3, dtype=np.float32)
me.vertices.foreach_get("co", co)
co = co.reshape(-1, 3)
center = co.mean(axis=0); d = np.linalg.norm(co - center, axis=1)
co[:, 2] += np.sin(d * 3) * .1
me.vertices.foreach_set("co", co.ravel())
me.update()
order = np.argsort(d)[::-1]
print(order[:3], np.where(d > d.mean())[0].size, np.unique(np.round(d, 3)).size)
for at in me.attributes:
    print(at.name, at.domain, at.data_type, len(at.data))
