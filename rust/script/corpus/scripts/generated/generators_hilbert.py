# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

def hilbert(n, x=0.0, y=0.0, xi=1.0, xj=0.0, yi=0.0, yj=1.0):
    if n <= 0:
        yield (x + (xi + yi) / 2, y + (xj + yj) / 2, 0.0)
        return
    yield from hilbert(n - 1, x, y, yi / 2, yj / 2, xi / 2, xj / 2)
    yield from hilbert(n - 1, x + xi / 2, y + xj / 2, xi / 2, xj / 2, yi / 2, yj / 2)
    yield from hilbert(n - 1, x + xi / 2 + yi / 2, y + xj / 2 + yj / 2, xi / 2, xj / 2, yi / 2, yj / 2)
    yield from hilbert(n - 1, x + xi / 2 + yi, y + xj / 2 + yj, -yi / 2, -yj / 2, -xi / 2, -xj / 2)

pts = [tuple(10 * c for c in p) for p in hilbert(4)]
me = bpy.data.meshes.new("Hilbert")
me.from_pydata(pts, [(i, i + 1) for i in range(len(pts) - 1)], [])
ob = bpy.data.objects.new("Hilbert", me)
bpy.context.scene.collection.objects.link(ob)
ob.modifiers.new("Skin", 'SKIN')
print(len(pts))
