# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

me = bpy.data.objects["Cube"].data
uv = me.uv_layers.get("Box") or me.uv_layers.new(name="Box")
me.uv_layers.active = uv
for poly in me.polygons:
    n = poly.normal
    axis = max(range(3), key=lambda k: abs(n[k]))
    for li in poly.loop_indices:
        co = me.vertices[me.loops[li].vertex_index].co
        uv.data[li].uv = [(co.y, co.z), (co.x, co.z), (co.x, co.y)][axis]
print(len(uv.data))
