# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bmesh
n = 50000
bm = bmesh.new()
bmesh.ops.create_grid(bm, x_segments=n, y_segments=n, size=1)
