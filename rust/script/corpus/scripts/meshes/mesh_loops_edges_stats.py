# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from statistics import mean, stdev
from collections import Counter

me = bpy.context.object.data
lengths = [(me.vertices[a].co - me.vertices[b].co).length for a, b in (e.vertices for e in me.edges)]
sides = Counter(len(p.vertices) for p in me.polygons)
area = sum(p.area for p in me.polygons)
print(f"edges {len(lengths)}, mean {mean(lengths):.3f}, dev {stdev(lengths):.3f}, area {area:.2f}, {dict(sides)}")
for e in me.edges:
    e.use_edge_sharp = e.index % 2 == 0
