# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
op = bpy.ops.mesh.primitive_grid_add
k = {"x_subdivisions": 100000, "y_subdivisions": 100000}
op(**k)
