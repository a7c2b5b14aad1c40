# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
lat = bpy.data.lattices.new("Cage")
lat.points_u, lat.points_v, lat.points_w = 3, 3, 4
lat.interpolation_type_w = "KEY_LINEAR"
ob = bpy.data.objects.new("Cage", lat)
bpy.context.collection.objects.link(ob)
for p in lat.points:
    p.co_deform.x += 0.2 * p.co_deform.z
m = bpy.data.objects["Cube"].modifiers.new("Lat", "LATTICE")
m.object = ob
mb = bpy.data.metaballs.new("Blob")
mb.resolution, mb.render_resolution = 0.3, 0.2
for x in range(3):
    e = mb.elements.new(type="BALL")
    e.co = (x * 0.8, 0, 0)
    e.radius = 1 - x * 0.2
bo = bpy.data.objects.new("Blob", mb)
bpy.context.collection.objects.link(bo)
print(len(lat.points), len(mb.elements), bo.type)
