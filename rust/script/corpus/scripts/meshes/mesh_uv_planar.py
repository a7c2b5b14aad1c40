# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
me = bpy.data.objects["Cube"].data
uv = me.uv_layers.active or me.uv_layers.new(name="UVMap")
extra = me.uv_layers.new(name="Planar")
for poly in me.polygons:
    axis = max(range(3), key=lambda k: abs(poly.normal[k]))
    a, b = [k for k in range(3) if k != axis]
    for li in poly.loop_indices:
        co = me.vertices[me.loops[li].vertex_index].co
        extra.data[li].uv = (co[a] * 0.5 + 0.5, co[b] * 0.5 + 0.5)
me.uv_layers.active = extra
print([l.name for l in me.uv_layers], [round(c, 2) for c in extra.data[3].uv])
