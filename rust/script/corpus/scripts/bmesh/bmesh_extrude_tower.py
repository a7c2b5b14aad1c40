# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh
from mathutils import Vector

bm = bmesh.new()
bmesh.ops.create_circle(bm, cap_ends=True, radius=1.0, segments=16)
for level in range(8):
    bm.faces.ensure_lookup_table()
    top = max(bm.faces, key=lambda f: f.calc_center_median().z)
    out = bmesh.ops.extrude_face_region(bm, geom=[top])
    verts = [e for e in out["geom"] if isinstance(e, bmesh.types.BMVert)]
    bmesh.ops.translate(bm, vec=Vector((0, 0, 0.5)), verts=verts)
    bmesh.ops.delete(bm, geom=[top], context='FACES_ONLY')
bm.normal_update()
me = bpy.data.meshes.new("Tower")
bm.to_mesh(me)
bm.free()
bpy.context.collection.objects.link(bpy.data.objects.new("Tower", me))
