# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import sqrt, sin, cos, radians

mesh = bpy.data.meshes.new("Seeds")
points = []
golden = radians(137.508)
for n in range(500):
    r = 0.1 * sqrt(n)
    a = n * golden
    points.append((r * cos(a), r * sin(a), -0.02 * r ** 2))
mesh.from_pydata(points, [], [])
bpy.context.collection.objects.link(bpy.data.objects.new("Seeds", mesh))
