# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh
import random

mesh = bpy.data.meshes.new("Building")
bm = bmesh.new()
bmesh.ops.create_cube(bm, size=4)
bmesh.ops.subdivide_edges(bm, edges=bm.edges[:], cuts=4, use_grid_fill=True)
sides = [f for f in bm.faces if abs(f.normal.z) < 0.1]
inset = bmesh.ops.inset_individual(bm, faces=sides, thickness=0.12)
for f in random.sample(sides, len(sides) // 2):
    bmesh.ops.translate(bm, verts=f.verts[:], vec=-f.normal * 0.1)
bmesh.ops.remove_doubles(bm, verts=bm.verts[:], dist=0.0001)
bm.to_mesh(mesh)
bm.free()
obj = bpy.data.objects.new("Building", mesh)
bpy.context.collection.objects.link(obj)
