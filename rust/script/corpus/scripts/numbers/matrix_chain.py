# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import radians, degrees
from mathutils import Matrix, Vector, Quaternion, Euler, Color
a = Matrix.LocRotScale(Vector((1, 2, 3)), Euler((0, 0, radians(90))), Vector((2, 2, 2)))
b = a.inverted() @ Matrix.Translation((5, 0, 0)) @ a
q = Quaternion((0, 0, 1), radians(30)).slerp(Quaternion((1, 0, 0), radians(60)), 0.25)
v = Vector((1, 0, 0)).lerp(Vector((0, 1, 0)), 0.5).normalized()
print([round(x, 4) for x in b.translation], round(degrees(q.angle), 3), [round(x, 3) for x in v.cross((0, 0, 1))])
c = Color((0.2, 0.4, 0.6))
c.h += 0.1
c.s *= 0.5
print(tuple(round(x, 3) for x in c), round(v.angle(Vector((0, 0, 1))), 4), v.xy.to_tuple(2), v.zyx.magnitude > 0.9)
cube = bpy.data.objects["Cube"]
cube.matrix_world = a @ q.to_matrix().to_4x4()
cube.matrix_parent_inverse.identity()
m = cube.matrix_world.copy()
m.col[3] = (0, 0, 0, 1)
print(len(m.row), round(m.determinant(), 3), m.is_orthogonal, m.to_scale()[0] > 1.9)
