# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, bmesh
from mathutils import Vector, Matrix
from math import radians, pi
bm = bmesh.new()
c1 = bmesh.ops.create_circle(bm, segments=20, radius=1, matrix=Matrix.Translation((0, 0, 0)))
c2 = bmesh.ops.create_circle(bm, segments=20, radius=0.6, matrix=Matrix.Translation((0, 0, 1)))
bmesh.ops.bridge_loops(bm, edges=bm.edges[:])
v1 = bm.verts.new((2, 0, 0)); v2 = bm.verts.new((2, 0, 1))
e = bm.edges.new((v1, v2))
bmesh.ops.spin(bm, geom=[v1, v2, e], cent=(0, 0, 0), axis=(0, 0, 1), angle=pi, steps=12, use_duplicate=False)
dup = bmesh.ops.duplicate(bm, geom=bm.verts[:] + bm.edges[:] + bm.faces[:])
verts = [g for g in dup["geom"] if type(g) is bmesh.types.BMVert]
bmesh.ops.transform(bm, matrix=Matrix.Rotation(radians(90), 4, 'X'), verts=verts)
bmesh.ops.mirror(bm, geom=verts[:10], axis='X')
bmesh.ops.convex_hull(bm, input=[bm.verts.new(Vector((x, y, 5))) for x in (0, 1) for y in (0, 1)] + [bm.verts.new((0.5, 0.5, 6))])
bmesh.ops.create_icosphere(bm, subdivisions=2, radius=0.5, matrix=Matrix.Translation((0, 4, 0)))
bmesh.ops.create_grid(bm, x_segments=4, y_segments=4, size=1)
bmesh.ops.create_cone(bm, cap_ends=True, segments=8, radius1=1, radius2=0, depth=1)
bmesh.ops.bisect_plane(bm, geom=bm.verts[:] + bm.edges[:] + bm.faces[:], plane_co=(0, 0, 0.5), plane_no=(0, 0, 1), clear_outer=False)
me = bpy.data.meshes.new("Kit")
bm.to_mesh(me); bm.free()
bpy.context.collection.objects.link(bpy.data.objects.new("Kit", me))
