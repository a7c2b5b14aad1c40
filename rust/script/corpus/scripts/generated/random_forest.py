# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random
from mathutils import Vector

rng = random.Random(1234)

def tree(at, h):
    bpy.ops.mesh.primitive_cylinder_add(radius=0.1 * h, depth=h, vertices=8, location=at + Vector((0, 0, h / 2)))
    trunk = bpy.context.active_object
    bpy.ops.mesh.primitive_cone_add(radius1=0.5 * h, depth=h, vertices=10, location=at + Vector((0, 0, 1.4 * h)))
    crown = bpy.context.active_object
    crown.parent = trunk
    crown.matrix_parent_inverse = trunk.matrix_world.inverted()
    return trunk

points = []
tries = 0
while len(points) < 12 and tries < 500:
    tries += 1
    p = Vector((rng.uniform(-8, 8), rng.uniform(-8, 8), 0))
    if all((p - q).length > 2.0 for q in points):
        points.append(p)
for p in points:
    tree(p, rng.gauss(1.5, 0.2))
print(len(points), "trees")
