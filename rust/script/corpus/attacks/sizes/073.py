# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 10
bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=n)
