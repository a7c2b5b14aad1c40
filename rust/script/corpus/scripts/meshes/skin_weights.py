# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
obj = bpy.data.objects["Cube"]
groups = {n: obj.vertex_groups.new(name=n) for n in ("Top", "Bottom")}
for v in obj.data.vertices:
    groups["Top" if v.co.z > 0 else "Bottom"].add([v.index], 0.75, "ADD")
weights = {v.index: [(obj.vertex_groups[g.group].name, round(g.weight, 2)) for g in v.groups] for v in obj.data.vertices}
print(weights[0], groups["Top"].weight(7) if weights[7][0][0] == "Top" else "-")
groups["Top"].remove([obj.data.vertices[0].index])
obj.vertex_groups.active_index = 1
m = obj.modifiers.new("Mask", "MASK")
m.vertex_group = "Top"
