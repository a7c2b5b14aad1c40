# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
k = {'size': 1}
bpy.ops.mesh.primitive_cube_add(**k)
