# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import *
from math import *
m = Matrix.Rotation(radians(30), 4, 'Z') @ Matrix.Translation(Vector((1, 2, 3)))
bpy.context.object.matrix_world = m
q = Quaternion((0, 0, 1), pi / 4)
e = Euler((0, radians(90), 0), 'XYZ')
print(q.to_euler(), e.to_matrix())
