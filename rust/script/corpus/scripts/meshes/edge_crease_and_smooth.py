# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh

bm = bmesh.new()
bmesh.ops.create_cube(bm, size=2.0)
layer = bm.edges.layers.float.get("crease_edge") or bm.edges.layers.float.new("crease_edge")
for e in bm.edges:
    e[layer] = 1.0 if e.verts[0].co.z > 0 and e.verts[1].co.z > 0 else 0.0
uvl = bm.loops.layers.uv.verify()
for f in bm.faces:
    f.smooth = True
    for l in f.loops:
        l[uvl].uv = (l.vert.co.x * 0.5 + 0.5, l.vert.co.y * 0.5 + 0.5)
me = bpy.data.meshes.new("Creased")
bm.to_mesh(me)
bm.free()
ob = bpy.data.objects.new("Creased", me)
bpy.context.collection.objects.link(ob)
ob.modifiers.new("Sub", 'SUBSURF').levels = 3
