# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh

me = bpy.context.object.data
bm = bmesh.new()
bm.from_mesh(me)
uv_layer = bm.loops.layers.uv.verify()
for face in bm.faces:
    for loop in face.loops:
        loop[uv_layer].uv = loop.vert.co.xy
weight = bm.verts.layers.float.get("w") or bm.verts.layers.float.new("w")
for v in bm.verts:
    v[weight] = v.co.length
bm.to_mesh(me)
bm.free()
me.update()
