# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random
from math import pi

random.seed(42)
proto = bpy.context.active_object
placed = []
tries = 0
while len(placed) < 30 and tries < 1000:
    tries += 1
    p = (random.uniform(-10, 10), random.uniform(-10, 10))
    if all((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 > 1.5 for q in placed):
        placed.append(p)
for x, y in placed:
    copy = proto.copy()
    copy.data = proto.data.copy()
    copy.location = (x, y, 0)
    copy.rotation_euler.z = random.random() * 2 * pi
    bpy.context.collection.objects.link(copy)
