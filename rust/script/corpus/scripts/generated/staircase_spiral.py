# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import cos, sin, tau
steps, radius, rise = 16, 2.0, 0.18
parent = bpy.data.objects.new("Stairs", None)
bpy.context.collection.objects.link(parent)
for i in range(steps):
    a = i / steps * tau
    bpy.ops.mesh.primitive_cube_add(size=1, location=(cos(a) * radius, sin(a) * radius, i * rise), rotation=(0, 0, a))
    s = bpy.context.object
    s.name = f"Step {i:02d}"
    s.scale = 0.9, 0.3, 0.06
    s.parent = parent
bpy.ops.mesh.primitive_cylinder_add(radius=0.15, depth=steps * rise, location=(0, 0, steps * rise / 2))
bpy.context.object.parent = parent
print(len(parent.children))
