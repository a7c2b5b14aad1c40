# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Matrix, Euler, Quaternion, Vector

obj = bpy.context.object
loc, rot, scale = obj.matrix_world.decompose()
m = Matrix.Translation(loc + Vector((0, 0, 1))) @ rot.to_matrix().to_4x4() @ Matrix.Diagonal((*scale, 1))
obj.matrix_world = m
q = Quaternion((0, 0, 1), 0.5)
e = Euler((0.1, 0.2, 0.3), 'XYZ')
print(q.slerp(e.to_quaternion(), 0.5), (m.inverted() @ Vector((1, 2, 3))).to_tuple(3))
box = [obj.matrix_world @ Vector(c) for c in obj.bound_box]
print(min(c.z for c in box), max(c.z for c in box))
