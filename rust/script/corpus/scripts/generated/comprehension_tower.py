# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

levels = {lvl: [(x, y) for x in range(-lvl, lvl + 1) for y in range(-lvl, lvl + 1) if abs(x) + abs(y) == lvl] for lvl in range(4)}
unique = {c for cells in levels.values() for c in cells}
mesh = bpy.data.meshes.new("Block")
verts = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
mesh.from_pydata(verts, [], faces)
mesh.validate()
for lvl, cells in levels.items():
    for x, y in cells:
        ob = bpy.data.objects.new(f"Block_{lvl}_{x}_{y}", mesh)
        ob.location = (x, y, 3 - lvl)
        bpy.context.collection.objects.link(ob)
print(len(unique), sum(map(len, levels.values())))
