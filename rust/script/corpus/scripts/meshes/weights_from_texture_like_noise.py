# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import noise

ob = bpy.context.object
bpy.ops.object.mode_set(mode='EDIT')
bpy.ops.mesh.subdivide(number_cuts=4)
bpy.ops.object.mode_set(mode='OBJECT')
vg = ob.vertex_groups.new(name="Noise")
for v in ob.data.vertices:
    w = max(0.0, min(1.0, noise.noise(v.co * 1.7) * 0.5 + 0.5))
    vg.add((v.index,), w, 'REPLACE')
ps = [g.weight for v in ob.data.vertices for g in v.groups if g.group == vg.index]
print(len(ps), round(sum(ps) / len(ps), 2))
