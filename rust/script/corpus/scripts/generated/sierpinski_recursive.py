# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
from mathutils import Vector
MAX_DEPTH = 4
verts: list[Vector] = []
faces: list[tuple[int, ...]] = []
def tetra(a, b, c, d):
    i = len(verts)
    verts.extend((a, b, c, d))
    faces.extend([(i, i + 2, i + 1), (i, i + 1, i + 3), (i + 1, i + 2, i + 3), (i + 2, i, i + 3)])
def sierpinski(p, depth=0):
    if depth == MAX_DEPTH:
        tetra(*p)
        return 1
    return sum(sierpinski([(q + corner) / 2 for q in p], depth + 1) for corner in p)
base = [Vector(v) for v in ((0, 0, 0), (4, 0, 0), (2, 3.46, 0), (2, 1.15, 3.27))]
n = sierpinski(base)
me = bpy.data.meshes.new("Sierpinski")
me.from_pydata([v.to_tuple() for v in verts], [], faces)
me.validate()
ob = bpy.data.objects.new("Sierpinski", me)
bpy.context.view_layer.active_layer_collection.collection.objects.link(ob)
print(n, 4 ** MAX_DEPTH, len(me.polygons))
