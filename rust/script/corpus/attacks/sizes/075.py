# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 10 ** 8
bpy.ops.mesh.primitive_circle_add(vertices=n)
