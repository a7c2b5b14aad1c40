# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from itertools import product
cells = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
def step(alive):
    near = {}
    for x, y in alive:
        for dx, dy in product((-1, 0, 1), repeat=2):
            if (dx, dy) != (0, 0):
                near[x + dx, y + dy] = near.get((x + dx, y + dy), 0) + 1
    return {c for c, n in near.items() if n == 3 or n == 2 and c in alive}
me = bpy.data.meshes["Cube"]
for gen in range(4):
    for x, y in sorted(cells):
        o = bpy.data.objects.new("Cell", me)
        o.location = (x, y, gen)
        o.scale = (0.45, 0.45, 0.45)
        bpy.context.collection.objects.link(o)
    cells = step(cells)
print(sorted(cells), len(bpy.data.objects))
