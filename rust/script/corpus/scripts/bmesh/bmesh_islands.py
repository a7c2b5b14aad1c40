# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh
from collections import deque

bm = bmesh.new()
bm.from_mesh(bpy.context.object.data)
seen = set()
islands = []
for start in bm.verts:
    if start.index in seen:
        continue
    queue = deque([start])
    seen.add(start.index)
    island = []
    while queue:
        v = queue.popleft()
        island.append(v.index)
        for e in v.link_edges:
            other = e.other_vert(v)
            if other.index not in seen:
                seen.add(other.index)
                queue.append(other)
    islands.append(island)
bm.free()
print("islands:", len(islands), [len(i) for i in islands])
