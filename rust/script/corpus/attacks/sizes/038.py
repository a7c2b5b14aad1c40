# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
bpy.ops.mesh.subdivide(number_cuts=100000)
