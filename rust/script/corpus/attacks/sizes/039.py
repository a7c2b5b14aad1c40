# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=14)
