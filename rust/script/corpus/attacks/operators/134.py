# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
bpy.ops.mesh.primitive_cube_add({'x': 1})
