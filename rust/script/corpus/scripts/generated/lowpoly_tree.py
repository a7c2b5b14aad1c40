# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, random
from contextlib import contextmanager

@contextmanager
def edit_mode(obj):
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode='EDIT')
    try:
        yield obj
    finally:
        bpy.ops.object.mode_set(mode='OBJECT')

random.seed(8)
bpy.ops.mesh.primitive_cylinder_add(vertices=7, radius=0.15, depth=1.2, location=(0, 0, 0.6))
trunk = bpy.context.object
crowns = []
for k in range(3):
    bpy.ops.mesh.primitive_cone_add(vertices=8, radius1=0.9 - 0.22 * k, depth=1.0, location=(0, 0, 1.4 + 0.55 * k))
    c = bpy.context.object
    with edit_mode(c):
        bpy.ops.mesh.select_all(action='SELECT')
        bpy.ops.transform.vertex_random(offset=0.06, seed=k)
        bpy.ops.mesh.normals_make_consistent(inside=False)
    bpy.ops.object.shade_flat()
    crowns.append(c)
bpy.ops.object.select_all(action='DESELECT')
for o in (*crowns, trunk):
    o.select_set(True)
bpy.context.view_layer.objects.active = trunk
bpy.ops.object.join()
trunk.name = "Tree"
bpy.ops.object.origin_set(type='ORIGIN_CURSOR')
