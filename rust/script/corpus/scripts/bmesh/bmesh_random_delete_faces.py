# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import bmesh
import random

random.seed(7)
obj = bpy.context.active_object
bm = bmesh.new()
bm.from_mesh(obj.data)
bmesh.ops.subdivide_edges(bm, edges=bm.edges, cuts=3, use_grid_fill=True)
doomed = [f for f in bm.faces if random.random() < 0.2]
bmesh.ops.delete(bm, geom=doomed, context='FACES')
bm.to_mesh(obj.data)
bm.free()
obj.data.update()
