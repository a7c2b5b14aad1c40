# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from itertools import product
white = bpy.data.materials.new("White"); white.diffuse_color = (0.9, 0.9, 0.85, 1)
black = bpy.data.materials.new("Black"); black.diffuse_color = (0.05, 0.05, 0.05, 1)
verts = [(x, y, 0) for y in range(9) for x in range(9)]
faces = [(y * 9 + x, y * 9 + x + 1, (y + 1) * 9 + x + 1, (y + 1) * 9 + x) for y, x in product(range(8), repeat=2)]
me = bpy.data.meshes.new("Board")
me.from_pydata(verts, [], faces)
for m in (white, black):
    me.materials.append(m)
me.polygons.foreach_set("material_index", [(x + y) % 2 for y, x in product(range(8), repeat=2)])
ob = bpy.data.objects.new("Board", me)
bpy.context.scene.collection.objects.link(ob)
print(sum(p.material_index for p in me.polygons))
