# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
"""Make a stack of books.

Run from the text editor.
"""
import bpy
import random as rnd
from math import radians as rad, pi as PI

BOOKS = 5
_cache = {}

def _material(color):
    global _cache
    key = tuple(color)
    if key not in _cache:
        m = bpy.data.materials.new("Book")
        m.diffuse_color = (*color, 1)
        _cache[key] = m
    return _cache[key]

def main() -> None:
    rnd.seed(1)
    z = 0.0
    def advance(h):
        nonlocal z
        z += h
    for i in range(BOOKS):
        h = rnd.uniform(0.1, 0.3)
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, z + h / 2), rotation=(0, 0, rad(rnd.uniform(-10, 10))))
        b = bpy.context.active_object
        b.name = f"Book {i + 1}"
        b.scale = (1, 1.4, h)
        b.data.materials.append(_material([round(rnd.random(), 1) for _ in range(3)]))
        advance(h)
    print(f"{z:.3f} {PI:.2f} {__name__}")

if __name__ == "__main__":
    main()
