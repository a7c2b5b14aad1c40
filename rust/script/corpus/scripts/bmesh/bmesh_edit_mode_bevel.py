# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh

ob = bpy.context.object
bpy.ops.object.mode_set(mode='EDIT')
bm = bmesh.from_edit_mesh(ob.data)
bm.edges.ensure_lookup_table()
for e in bm.edges:
    e.select_set(e.calc_face_angle(0.0) > 1.0)
bmesh.ops.bevel(bm, geom=[e for e in bm.edges if e.select], offset=0.1, segments=2, affect='EDGES', profile=0.5)
bmesh.update_edit_mesh(ob.data)
bpy.ops.object.mode_set(mode='OBJECT')
