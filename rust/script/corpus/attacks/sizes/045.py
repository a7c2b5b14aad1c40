# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy, bmesh
bm = bmesh.new()
bmesh.ops.create_icosphere(bm, subdivisions=20, radius=1)
