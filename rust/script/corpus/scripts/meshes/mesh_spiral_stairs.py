# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import radians, cos, sin

STEPS = 24
RISE = 0.2
for i in range(STEPS):
    angle = radians(i * 15)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(cos(angle) * 2, sin(angle) * 2, i * RISE))
    step = bpy.context.object
    step.scale = (1.2, 0.4, 0.1)
    step.rotation_euler = (0, 0, angle)
    step.name = "Step_{:02d}".format(i)
bpy.ops.object.select_all(action='DESELECT')
