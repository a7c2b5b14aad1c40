# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

lat = bpy.data.lattices.new("Cage")
lat.points_u, lat.points_v, lat.points_w = 2, 2, 4
lo = bpy.data.objects.new("Cage", lat)
bpy.context.scene.collection.objects.link(lo)
lo.scale = (2.2, 2.2, 2.2)
for i, p in enumerate(lat.points):
    p.co_deform.x += (i // 4) * 0.1
m = bpy.data.objects["Cube"].modifiers.new("Lattice", "LATTICE")
m.object = lo
