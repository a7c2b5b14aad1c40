# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

grid = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}

def neighbours(cell):
    x, y = cell
    return {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)}

def step(alive):
    counts = {}
    for c in alive:
        for n in neighbours(c):
            counts[n] = counts.get(n, 0) + 1
    return {c for c, k in counts.items() if k == 3 or (k == 2 and c in alive)}

base = bpy.data.objects["Cube"].data
for gen in range(6):
    for x, y in sorted(grid):
        o = bpy.data.objects.new(f"g{gen}", base)
        o.location = (x * 2.2, y * 2.2, gen * 2.2)
        o.scale = (0.5,) * 3
        bpy.context.collection.objects.link(o)
    grid = step(grid)
print(len(grid))
