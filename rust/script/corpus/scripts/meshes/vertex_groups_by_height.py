# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

ob = bpy.data.objects["Cube"]
top = ob.vertex_groups.new(name="Top")
bottom = ob.vertex_groups.get("Bottom") or ob.vertex_groups.new(name="Bottom")
zs = [v.co.z for v in ob.data.vertices]
lo, hi = min(zs), max(zs)
for v in ob.data.vertices:
    w = (v.co.z - lo) / (hi - lo)
    top.add([v.index], w, 'REPLACE')
    bottom.add([v.index], 1 - w, 'ADD')
m = ob.modifiers.new("Displace", 'DISPLACE')
m.vertex_group = top.name
m.strength = 0.4
print([(g.name, g.index) for g in ob.vertex_groups])
