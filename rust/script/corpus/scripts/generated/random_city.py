# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random

GRID = 10
for gx in range(GRID):
    for gy in range(GRID):
        h = random.choice([1, 2, 2, 3, 5, 8]) * random.uniform(0.8, 1.2)
        bpy.ops.mesh.primitive_cube_add(size=1, location=(gx * 1.5, gy * 1.5, h / 2))
        b = bpy.context.object
        b.scale.z = h
        b["floors"] = int(h * 3)
