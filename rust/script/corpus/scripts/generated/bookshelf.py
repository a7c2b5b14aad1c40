# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, random, colorsys
from functools import partial

random.seed(21)
add_cube = partial(bpy.ops.mesh.primitive_cube_add, size=1)

def box(name, dims, loc, mat=None):
    add_cube(location=loc)
    ob = bpy.context.object
    ob.name = name
    ob.dimensions = dims
    bpy.context.view_layer.update()
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    if mat:
        ob.data.materials.append(mat)
    return ob

wood = bpy.data.materials.new("Wood")
wood.diffuse_color = (0.3, 0.15, 0.05, 1)
for side in (-1, 1):
    box(f"Side{'L' if side < 0 else 'R'}", (0.05, 0.4, 2), (side * 1, 0, 1), wood)
for k in range(5):
    box(f"Shelf{k}", (2, 0.4, 0.04), (0, 0, k * 0.48 + 0.04), wood)
for k in range(4):
    x = -0.95
    while x < 0.85:
        w = random.uniform(0.03, 0.09)
        h = random.uniform(0.25, 0.4)
        m = bpy.data.materials.new("Book")
        m.diffuse_color = (*colorsys.hls_to_rgb(random.random(), 0.4, 0.6), 1)
        box("Book", (w, 0.28, h), (x + w / 2, 0, k * 0.48 + 0.06 + h / 2), m)
        x += w + (0.2 if random.random() > 0.85 else 0.003)
