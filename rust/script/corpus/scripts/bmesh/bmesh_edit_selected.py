# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh

obj = bpy.context.edit_object
if obj is not None:
    bm = bmesh.from_edit_mesh(obj.data)
    for face in bm.faces:
        if face.select and len(face.verts) == 4:
            face.material_index = 1
    bmesh.ops.recalc_face_normals(bm, faces=bm.faces[:])
    bmesh.update_edit_mesh(obj.data)
