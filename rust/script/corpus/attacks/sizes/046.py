# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy, bmesh
bm = bmesh.new()
bmesh.ops.subdivide_edges(bm, edges=bm.edges, cuts=5000)
