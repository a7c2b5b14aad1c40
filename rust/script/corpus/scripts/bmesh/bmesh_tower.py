# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh
from mathutils import Matrix
bm = bmesh.new()
bmesh.ops.create_cube(bm, size=2.0)
for level in range(4):
    top = max(bm.faces, key=lambda f: f.calc_center_median().z)
    result = bmesh.ops.inset_individual(bm, faces=[top], thickness=0.2)
    ret = bmesh.ops.extrude_discrete_faces(bm, faces=[top])
    bmesh.ops.translate(bm, vec=(0, 0, 0.8), verts=ret["faces"][0].verts)
    bmesh.ops.rotate(bm, cent=(0, 0, 0), matrix=Matrix.Rotation(0.2, 3, "Z"), verts=ret["faces"][0].verts)
bm.normal_update()
me = bpy.data.meshes.new("Tower")
bm.to_mesh(me)
print(len(bm.verts), len(bm.faces))
bm.free()
obj = bpy.data.objects.new("Tower", me)
bpy.context.scene.collection.objects.link(obj)
