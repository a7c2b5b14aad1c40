# SPDX-License-Identifier: GPL-3.0-or-later
import bpy, bmesh

bm = bmesh.new()
bmesh.ops.create_cube(bm)
for i in range(12):
    bmesh.ops.subdivide_edges(bm, edges=bm.edges[:], cuts=5, use_grid_fill=True)
