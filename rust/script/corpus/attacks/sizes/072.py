# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 100000
bpy.ops.mesh.primitive_grid_add(x_subdivisions=n, y_subdivisions=n)
