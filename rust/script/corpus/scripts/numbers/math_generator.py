# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import itertools


def spiral(turns, step=0.1):
    from math import cos, sin, pi
    n = int(turns / step)
    for i in range(n):
        a = i * step * 2 * pi
        yield (a * 0.1 * cos(a), a * 0.1 * sin(a), i * 0.01)


points = list(spiral(5))
pairs = list(zip(range(len(points)), itertools.islice(range(len(points)), 1, None)))
me = bpy.data.meshes.new("Spiral")
me.from_pydata(points, pairs, [])
ob = bpy.data.objects.new("Spiral", me)
bpy.context.scene.collection.objects.link(ob)
