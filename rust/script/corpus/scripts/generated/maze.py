# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
import random
from collections import deque

W, H = 15, 15
random.seed(5)
walls = {(x, y): {"N": True, "E": True, "S": True, "W": True} for x in range(W) for y in range(H)}
DIRS = {"N": (0, 1, "S"), "S": (0, -1, "N"), "E": (1, 0, "W"), "W": (-1, 0, "E")}

def carve():
    stack, seen = [(0, 0)], {(0, 0)}
    while stack:
        x, y = stack[-1]
        options = [(d, (x + dx, y + dy), opp) for d, (dx, dy, opp) in DIRS.items()
                   if (x + dx, y + dy) in walls and (x + dx, y + dy) not in seen]
        if not options:
            stack.pop()
            continue
        d, nxt, opp = random.choice(options)
        walls[(x, y)][d] = False
        walls[nxt][opp] = False
        seen.add(nxt)
        stack.append(nxt)

def shortest(start=(0, 0), goal=(W - 1, H - 1)):
    q, prev = deque([start]), {start: None}
    while q:
        cur = q.popleft()
        if cur == goal:
            break
        for d, (dx, dy, _) in DIRS.items():
            n = (cur[0] + dx, cur[1] + dy)
            if not walls[cur][d] and n not in prev:
                prev[n] = cur
                q.append(n)
    path = []
    while cur is not None:
        path.append(cur)
        cur = prev[cur]
    return path[::-1]

carve()
verts, faces = [], []
def wall(x0, y0, x1, y1, h=0.8):
    b = len(verts)
    verts.extend([(x0, y0, 0), (x1, y1, 0), (x1, y1, h), (x0, y0, h)])
    faces.append((b, b + 1, b + 2, b + 3))
for (x, y), w in walls.items():
    if w["N"]: wall(x, y + 1, x + 1, y + 1)
    if w["E"]: wall(x + 1, y, x + 1, y + 1)
    if y == 0 and w["S"]: wall(x, 0, x + 1, 0)
    if x == 0 and w["W"]: wall(0, y, 0, y + 1)
me = bpy.data.meshes.new("Maze")
me.from_pydata(verts, [], faces)
bpy.context.collection.objects.link(bpy.data.objects.new("Maze", me))
print("shortest path:", len(shortest()), "cells")
