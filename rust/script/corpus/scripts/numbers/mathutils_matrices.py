# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Matrix, Vector, Euler, Quaternion
import math

ob = bpy.data.objects["Cube"]
T = Matrix.Translation((1, 2, 3))
R = Matrix.Rotation(math.radians(30), 4, 'Z')
S = Matrix.Diagonal((1, 2, 1, 1))
ob.matrix_world = T @ R @ S
loc, rot, sca = ob.matrix_world.decompose()
q = Quaternion((0, 0, 1), math.pi / 6)
assert abs(rot.dot(q)) > 0.999
v = Vector((1, 0, 0))
v.rotate(Euler((0, 0, math.pi / 2)))
w = v.cross(Vector((0, 0, 1))).normalized()
print([round(c, 4) + 0.0 for c in w], round(v.angle(w), 4), [round(c, 3) for c in sca])
print(Vector((3, 4, 0)).length, v.lerp(w, 0.5).to_tuple(3), (T.inverted() @ T).is_identity if hasattr(T, "is_identity") else True)
