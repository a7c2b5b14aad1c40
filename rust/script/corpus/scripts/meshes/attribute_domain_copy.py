# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
me = bpy.data.objects["Cube"].data
src = me.attributes.new("w", "FLOAT", "POINT")
for i, d in enumerate(src.data):
    d.value = i / 8
values = [0.0] * len(src.data)
src.data.foreach_get("value", values)
face = me.attributes.new("w_face", "FLOAT", "FACE")
for p in me.polygons:
    face.data[p.index].value = sum(values[v] for v in p.vertices) / len(p.vertices)
vec = me.attributes.new("dir", "FLOAT_VECTOR", "POINT")
for v in me.vertices:
    vec.data[v.index].vector = v.normal
me.attributes.remove(me.attributes["w"])
print([a.name for a in me.attributes if a.name in ("w", "w_face", "dir")], round(face.data[0].value, 3))
