# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, bmesh, math
profile = [(0, 0), (0.6, 0), (0.8, 0.4), (0.5, 1.0), (0.4, 1.3), (0.55, 1.5)]
bm = bmesh.new()
verts = [bm.verts.new((r, 0, z)) for r, z in profile]
edges = [bm.edges.new(pair) for pair in zip(verts, verts[1:])]
bmesh.ops.spin(bm, geom=verts + edges, cent=(0, 0, 0), axis=(0, 0, 1), angle=math.tau, steps=24, use_merge=True)
bmesh.ops.recalc_face_normals(bm, faces=bm.faces)
me = bpy.data.meshes.new("Vase")
bm.to_mesh(me)
bm.free()
for p in me.polygons:
    p.use_smooth = True
vase = bpy.data.objects.new("Vase", me)
bpy.context.collection.objects.link(vase)
vase.modifiers.new("Thick", "SOLIDIFY").thickness = 0.05
print(len(me.polygons) > 50)
