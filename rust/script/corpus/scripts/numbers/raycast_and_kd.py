# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector, kdtree, bvhtree, geometry
cube = bpy.data.objects["Cube"]
ok, loc, normal, index = cube.ray_cast(Vector((0, 0, 5)), Vector((0, 0, -1)))
print(ok, loc[:], normal.to_tuple(1))
dg = bpy.context.evaluated_depsgraph_get()
hit, l, n, i, ob, mat = bpy.context.scene.ray_cast(dg, (0, 0, 5), (0, 0, -1))
print(hit, ob.name if ob else None)
kd = kdtree.KDTree(len(cube.data.vertices))
for v in cube.data.vertices:
    kd.insert(v.co, v.index)
kd.balance()
co, idx, dist = kd.find((1, 1, 1.2))
print(round(dist, 3), len(kd.find_range((0, 0, 0), 2)), len(kd.find_n((0, 0, 0), 3)))
bvh = bvhtree.BVHTree.FromObject(cube, dg)
print(bvh.find_nearest((0, 0, 3))[0][:], geometry.intersect_line_plane((0, 0, 1), (0, 0, -1), (0, 0, 0), (0, 0, 1))[:], round(geometry.area_tri((0, 0, 0), (1, 0, 0), (0, 1, 0)), 2), cube.closest_point_on_mesh((0, 0, 9))[1][:])
pts = geometry.interpolate_bezier((0, 0), (0, 1), (1, 1), (1, 0), 5)
print(len(pts), geometry.tessellate_polygon([[Vector((0, 0, 0)), Vector((1, 0, 0)), Vector((1, 1, 0)), Vector((0, 1, 0))]]))
