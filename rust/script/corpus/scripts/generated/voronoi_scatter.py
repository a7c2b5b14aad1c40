# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, random
from mathutils import Vector
from mathutils.kdtree import KDTree
from mathutils import geometry

random.seed(3)
seeds = [Vector((random.uniform(-5, 5), random.uniform(-5, 5), 0)) for _ in range(30)]
kd = KDTree(len(seeds))
for i, s in enumerate(seeds):
    kd.insert(s, i)
kd.balance()
groups = {}
for _ in range(3000):
    p = Vector((random.uniform(-5, 5), random.uniform(-5, 5), 0))
    co, index, dist = kd.find(p)
    groups.setdefault(index, []).append(p)
for index, pts in groups.items():
    hull = geometry.convex_hull_2d([p.to_2d() for p in pts])
    ring = [pts[i] for i in hull]
    if len(ring) < 3:
        continue
    me = bpy.data.meshes.new(f"Cell_{index}")
    me.from_pydata(ring, [], [range(len(ring))])
    ob = bpy.data.objects.new(me.name, me)
    ob.location.z = random.uniform(0, 0.3)
    bpy.context.collection.objects.link(ob)
print(len(groups), "cells; nearest two:", [round(d, 3) for _, _, d in kd.find_n((0, 0, 0), 2)])
