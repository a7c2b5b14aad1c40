# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 2000
bpy.ops.mesh.primitive_torus_add(major_segments=n, minor_segments=n * 2)
