# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from operator import attrgetter
obj = bpy.data.objects["Cube"]
verts = sorted(obj.data.vertices, key=lambda v: (round(v.co.z, 3), v.index))
low, high = verts[0], verts[-1]
edges = {tuple(sorted(e.vertices)) for e in obj.data.edges}
valence = {v.index: sum(v.index in e for e in edges) for v in obj.data.vertices}
areas = [p.area for p in obj.data.polygons]
center = sum((p.center * p.area for p in obj.data.polygons), start=obj.data.vertices[0].co * 0) / sum(areas)
print(low.index, high.index, valence[0], round(sum(areas), 2), [round(c, 3) for c in center], max(obj.data.polygons, key=attrgetter("area")).index >= 0)
