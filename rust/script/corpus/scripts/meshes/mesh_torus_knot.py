# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import sin, cos, pi, tau
from mathutils import Vector


def knot(t, p=2, q=3):
    r = cos(q * t) + 2
    return Vector((r * cos(p * t), r * sin(p * t), -sin(q * t)))


curve = bpy.data.curves.new("Knot", type='CURVE')
curve.dimensions = '3D'
curve.bevel_depth = 0.1
curve.resolution_u = 4
spline = curve.splines.new('NURBS')
steps = 200
spline.points.add(steps - 1)
for i in range(steps):
    co = knot(i / steps * tau)
    spline.points[i].co = (*co, 1.0)
spline.use_cyclic_u = True
obj = bpy.data.objects.new("Knot", curve)
bpy.context.collection.objects.link(obj)
