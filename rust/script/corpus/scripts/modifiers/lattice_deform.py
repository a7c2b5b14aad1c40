# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

lat = bpy.data.lattices.new("Lat")
lat.points_u, lat.points_v, lat.points_w = 3, 3, 3
lo = bpy.data.objects.new("Lat", lat)
bpy.context.collection.objects.link(lo)
lo.scale = bpy.context.object.dimensions * 1.1
for p in lat.points:
    if p.co_deform.z > 0.4:
        p.co_deform.x *= 0.5
mod = bpy.context.object.modifiers.new("Lattice", 'LATTICE')
mod.object = lo
