# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import kdtree, Vector

obj = bpy.context.object
size = len(obj.data.vertices)
kd = kdtree.KDTree(size)
for i, v in enumerate(obj.data.vertices):
    kd.insert(v.co, i)
kd.balance()
co, index, dist = kd.find(Vector((0, 0, 0)))
print(f"nearest {index} at {dist:.4f}")
for co, index, dist in kd.find_n((0.5, 0, 0), 5):
    print(index, round(dist, 3))
