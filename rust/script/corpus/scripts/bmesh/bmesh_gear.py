# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, bmesh
from math import sin, cos, pi, tau

def gear(teeth=16, r_out=1.0, r_in=0.8, r_hole=0.3, depth=0.25):
    bm = bmesh.new()
    outer, inner = [], []
    n = teeth * 4
    for i in range(n):
        a = tau * i / n
        r = r_out if (i % 4) in (0, 1) else r_in
        outer.append(bm.verts.new((r * cos(a), r * sin(a), 0)))
        inner.append(bm.verts.new((r_hole * cos(a), r_hole * sin(a), 0)))
    bm.verts.ensure_lookup_table()
    for i in range(n):
        j = (i + 1) % n
        bm.faces.new((outer[i], outer[j], inner[j], inner[i]))
    geom = bmesh.ops.extrude_face_region(bm, geom=bm.faces[:])
    top = [e for e in geom["geom"] if isinstance(e, bmesh.types.BMVert)]
    bmesh.ops.translate(bm, verts=top, vec=(0, 0, depth))
    bmesh.ops.recalc_face_normals(bm, faces=bm.faces)
    me = bpy.data.meshes.new("Gear")
    bm.to_mesh(me)
    bm.free()
    return me

me = gear()
ob = bpy.data.objects.new("Gear", me)
bpy.context.scene.collection.objects.link(ob)
for p in me.polygons:
    p.use_smooth = False
print(len(me.vertices), len(me.polygons))
