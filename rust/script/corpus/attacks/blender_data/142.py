# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
class A:
    def __init__(self):
        self.__real = 1
op = bpy.ops.mesh.primitive_cube_add
print(op.__real__)
