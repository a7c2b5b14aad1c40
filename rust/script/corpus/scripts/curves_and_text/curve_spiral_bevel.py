# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math

crv = bpy.data.curves.new("Spiral", 'CURVE')
crv.dimensions = '3D'
crv.bevel_depth = 0.05
crv.bevel_resolution = 4
crv.resolution_u = 24
sp = crv.splines.new('NURBS')
turns, pts = 5, 100
sp.points.add(pts - 1)
for i, p in enumerate(sp.points):
    t = i / (pts - 1)
    a = t * turns * 2 * math.pi
    r = 2 * (1 - t) + 0.1
    p.co = (r * math.cos(a), r * math.sin(a), t * 3, 1)
    p.radius = 1 - 0.5 * t
    p.tilt = a * 0.1
sp.use_endpoint_u = True
sp.order_u = 4
ob = bpy.data.objects.new("Spiral", crv)
bpy.context.collection.objects.link(ob)
