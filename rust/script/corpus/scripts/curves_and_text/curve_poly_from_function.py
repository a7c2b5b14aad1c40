# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import sin, pi

def curve_from(fn, n=64, x0=-pi, x1=pi, name="Plot"):
    data = bpy.data.curves.new(name, type='CURVE')
    data.dimensions = '2D'
    data.fill_mode = 'BOTH'
    spline = data.splines.new(type='POLY')
    spline.points.add(n - len(spline.points))
    step = (x1 - x0) / (n - 1)
    flat = []
    for i in range(n):
        x = x0 + i * step
        flat += [x, fn(x), 0.0, 1.0]
    spline.points.foreach_set("co", flat)
    return bpy.data.objects.new(name, data)

for k, fn in enumerate((sin, lambda x: sin(2 * x) / 2, lambda x: x ** 2 / 10)):
    o = curve_from(fn, name=f"Plot{k}")
    o.location.z = k
    bpy.context.scene.collection.objects.link(o)
