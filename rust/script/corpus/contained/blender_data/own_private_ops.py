# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
class A:
    _real = _name = _allowed = _group = _func = _module = None
op = bpy.ops.mesh.primitive_cube_add
print(op._real, op._func)
