# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random
random.seed(11)
W, H = 6, 5
visited = [[False] * W for _ in range(H)]
walls = set()
def carve(x, y):
    visited[y][x] = True
    order = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    random.shuffle(order)
    for dx, dy in order:
        nx, ny = x + dx, y + dy
        if 0 <= nx < W and 0 <= ny < H and not visited[ny][nx]:
            walls.add(frozenset({(x, y), (nx, ny)}))
            carve(nx, ny)
carve(0, 0)
for pair in sorted(walls, key=sorted):
    (ax, ay), (bx, by) = sorted(pair)
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=((ax + bx) / 2, (ay + by) / 2, 0))
print(len(walls), all(all(r) for r in visited))
