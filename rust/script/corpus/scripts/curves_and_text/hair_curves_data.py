# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
hc = bpy.data.hair_curves.new("Fur")
hc.add_curves([4, 4, 4])
pos = hc.attributes.get("position") or hc.attributes.new("position", "FLOAT_VECTOR", "POINT")
flat = []
for c in range(3):
    for k in range(4):
        flat += [c * 0.3, 0.0, k * 0.2]
pos.data.foreach_set("vector", flat)
ob = bpy.data.objects.new("Fur", hc)
bpy.context.scene.collection.objects.link(ob)
print(len(hc.curves), len(hc.points))
