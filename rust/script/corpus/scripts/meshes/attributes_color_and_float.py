# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random

random.seed(0)
me = bpy.context.object.data
if "heat" in me.attributes:
    me.attributes.remove(me.attributes["heat"])
heat = me.attributes.new(name="heat", type='FLOAT', domain='POINT')
heat.data.foreach_set("value", [random.random() for _ in me.vertices])
col = me.color_attributes.new(name="Col", type='BYTE_COLOR', domain='CORNER')
for i, d in enumerate(col.data):
    d.color = (i / len(col.data), 0.2, 1 - i / len(col.data), 1.0)
ids = me.attributes.new("id2", 'INT', 'FACE')
for i in range(len(ids.data)):
    ids.data[i].value = i * 10
print([(a.name, a.data_type, a.domain) for a in me.attributes if not a.name.startswith(".")])
