# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, bmesh, math
ob = bpy.context.object
me = ob.data
bm = bmesh.new()
bm.from_mesh(me)
bmesh.ops.subdivide_edges(bm, edges=bm.edges[:], cuts=3, use_grid_fill=True)
before = len(bm.verts)
bmesh.ops.dissolve_limit(bm, angle_limit=math.radians(1), verts=bm.verts[:], edges=bm.edges[:])
loose = [v for v in bm.verts if not v.link_edges]
bmesh.ops.delete(bm, geom=loose, context='VERTS')
layer = bm.edges.layers.float.get("bevel_weight_edge") or bm.edges.layers.float.new("bevel_weight_edge")
sharp = [e for e in bm.edges if e.is_manifold and e.calc_face_angle(0.0) > math.radians(60)]
for e in sharp:
    e.smooth = False
    e.seam = True
for e in sharp:
    e[layer] = 1.0
bmesh.ops.inset_individual(bm, faces=bm.faces[:], thickness=0.1)
bmesh.ops.poke(bm, faces=[f for f in bm.faces if len(f.verts) == 4][:2])
bmesh.ops.holes_fill(bm, edges=[e for e in bm.edges if e.is_boundary], sides=0)
bmesh.ops.smooth_vert(bm, verts=bm.verts, factor=0.1, use_axis_x=True, use_axis_y=True, use_axis_z=True)
print(before, len(bm.verts), len(sharp), f"volume={bm.calc_volume():.3f}")
bm.to_mesh(me)
bm.free()
me.update()
