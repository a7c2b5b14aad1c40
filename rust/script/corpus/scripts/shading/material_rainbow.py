# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import colorsys

count = 10
for i in range(count):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=0.5, location=(i * 1.2, 0, 0))
    ob = bpy.context.active_object
    r, g, b = colorsys.hsv_to_rgb(i / count, 0.8, 0.9)
    mat = bpy.data.materials.new(f"Rainbow_{i}")
    mat.diffuse_color = (r, g, b, 1)
    mat.use_nodes = True
    mat.node_tree.nodes["Principled BSDF"].inputs[0].default_value = (r, g, b, 1)
    ob.data.materials.append(mat)
    for p in ob.data.polygons:
        p.use_smooth = True
