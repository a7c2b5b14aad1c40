# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, bmesh
obj = bpy.data.objects["Cube"]
bm = bmesh.new()
try:
    bm.from_mesh(obj.data)
    bm.verts.ensure_lookup_table()
    bm.edges.ensure_lookup_table()
    vertical = [e for e in bm.edges if abs((e.verts[0].co - e.verts[1].co).normalized().z) > 0.9]
    bmesh.ops.bevel(bm, geom=vertical, offset=0.2, segments=3, profile=0.5, affect="EDGES")
    bmesh.ops.remove_doubles(bm, verts=bm.verts[:], dist=1e-4)
    bmesh.ops.triangulate(bm, faces=[f for f in bm.faces if len(f.verts) > 4])
    bm.to_mesh(obj.data)
finally:
    bm.free()
obj.data.update()
print(len(obj.data.vertices))
