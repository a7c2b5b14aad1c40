# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils.kdtree import KDTree
from mathutils.bvhtree import BVHTree

me = bpy.data.objects["Cube"].data
kd = KDTree(len(me.vertices))
for i, v in enumerate(me.vertices):
    kd.insert(v.co, i)
kd.balance()
co, index, dist = kd.find((2, 2, 2))
tree = BVHTree.FromPolygons([v.co for v in me.vertices], [p.vertices for p in me.polygons])
loc, nor, idx, d = tree.find_nearest((5, 0, 0))
print(index, round(dist, 3), [round(c, 2) for c in loc], round(d, 2), len(kd.find_range((1, 1, 1), 2.1)))
