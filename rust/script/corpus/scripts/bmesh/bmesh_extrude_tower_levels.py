# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, bmesh, math, random
from mathutils import Vector, Matrix

random.seed(42)
mesh = bpy.data.meshes.new("Tower")
obj = bpy.data.objects.new("Tower", mesh)
bpy.context.scene.collection.objects.link(obj)

bm = bmesh.new()
try:
    bmesh.ops.create_circle(bm, cap_ends=True, radius=1.0, segments=16)
    face = bm.faces[:][0]
    for level in range(12):
        res = bmesh.ops.extrude_face_region(bm, geom=[face])
        new_verts = [g for g in res["geom"] if isinstance(g, bmesh.types.BMVert)]
        face = next(g for g in res["geom"] if isinstance(g, bmesh.types.BMFace))
        bmesh.ops.translate(bm, verts=new_verts, vec=Vector((0, 0, random.uniform(0.3, 0.8))))
        scale = 1.0 + 0.15 * math.sin(level)
        bmesh.ops.scale(bm, verts=new_verts, vec=(scale, scale, 1.0), space=Matrix.Translation(-face.calc_center_median()))
        bmesh.ops.rotate(bm, verts=new_verts, cent=face.calc_center_median(), matrix=Matrix.Rotation(math.radians(10), 3, 'Z'))
    bmesh.ops.recalc_face_normals(bm, faces=bm.faces)
    bm.normal_update()
    bm.to_mesh(mesh)
finally:
    bm.free()
mesh.update()
