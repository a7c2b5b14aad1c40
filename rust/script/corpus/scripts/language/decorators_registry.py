# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
import functools
from functools import lru_cache, reduce, wraps
from operator import itemgetter, attrgetter, mul

BUILDERS = {}

def builder(name, **defaults):
    def deco(fn):
        @wraps(fn)
        def inner(*args, **kwargs):
            merged = {**defaults, **kwargs}
            ob = fn(*args, **merged)
            ob.name = name
            return ob
        BUILDERS[name] = inner
        return inner
    return deco

@builder("Tower", height=4)
def tower(height=1, width=1):
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, height / 2))
    ob = bpy.context.object
    ob.scale = (width, width, height)
    return ob

@builder("Dome", radius=2)
def dome(radius=1):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, location=(4, 0, 0))
    return bpy.context.object

@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

for name, fn in BUILDERS.items():
    ob = fn()
    ob["fib"] = fib(len(name) * 3)
product = reduce(mul, range(1, 8))
rows = sorted(((o.name, o["fib"]) for o in bpy.data.objects if "fib" in o), key=itemgetter(1))
names = list(map(attrgetter("name"), bpy.data.objects))
print(product, rows, len(names), functools.reduce(lambda a, b: a + b, [1, 2, 3]))
