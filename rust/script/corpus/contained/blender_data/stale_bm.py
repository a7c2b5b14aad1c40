# SPDX-License-Identifier: GPL-3.0-or-later
import bmesh

bm = bmesh.new()
v = bm.verts.new((0, 0, 0))
bm.free()
print(v.co)
