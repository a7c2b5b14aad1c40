# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
bpy.ops.mesh.primitive_grid_add(x_subdivisions=100000, y_subdivisions=100000)
