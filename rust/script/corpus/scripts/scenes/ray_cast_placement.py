# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector
import random

random.seed(11)
bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=3)
ground = bpy.context.object
bpy.context.view_layer.update()
for i in range(10):
    origin = Vector((random.uniform(-2, 2), random.uniform(-2, 2), 10))
    hit, loc, normal, face = ground.ray_cast(origin, Vector((0, 0, -1)))
    if not hit:
        continue
    bpy.ops.mesh.primitive_cone_add(radius1=0.1, depth=0.4, location=loc)
    bpy.context.object.rotation_euler = normal.to_track_quat('Z', 'Y').to_euler()
