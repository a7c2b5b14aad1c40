# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random
from mathutils import Vector

rng = random.Random(42)
coll = bpy.data.collections.new("Pebbles")
bpy.context.scene.collection.children.link(coll)
mesh = bpy.data.meshes.new("Pebble")
mesh.from_pydata([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1.2)], [], [(0, 1, 2, 3), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)])
mesh.update()
placed: list[Vector] = []
attempts = 0
while len(placed) < 25 and attempts < 500:
    attempts += 1
    p = Vector((rng.gauss(0, 4), rng.gauss(0, 4), 0.0))
    if any((p - q).length < 0.8 for q in placed):
        continue
    placed.append(p)
    o = bpy.data.objects.new(f"Pebble_{len(placed):02d}", mesh)
    o.location = p
    o.scale = Vector((1, 1, 1)) * rng.uniform(0.2, 0.4)
    o.rotation_euler[2] = rng.uniform(0, 6.283)
    coll.objects.link(o)
print(len(placed), attempts)
