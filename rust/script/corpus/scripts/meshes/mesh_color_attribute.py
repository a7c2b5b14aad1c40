# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
me = bpy.data.objects["Cube"].data
layer = me.color_attributes.new(name="Tint", type="BYTE_COLOR", domain="CORNER")
for i, c in enumerate(layer.data):
    c.color = (i / len(layer.data), 0.5, 1 - i / len(layer.data), 1)
me.color_attributes.active_color = layer
temp = me.attributes.new("temperature", "FLOAT", "POINT")
temp.data.foreach_set("value", [v.co.length for v in me.vertices])
ids = me.attributes.new("id_face", "INT", "FACE")
for p in me.polygons:
    ids.data[p.index].value = p.index ** 2
print([(a.name, a.data_type, a.domain) for a in me.attributes if not a.name.startswith((".", "position", "sharp", "UV", "material"))])
