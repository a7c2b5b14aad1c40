# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import math
from array import array

import bpy

me = bpy.context.object.data
co = array("f", [0.0]) * (len(me.vertices) * 3)
me.vertices.foreach_get("co", co)
for i in range(2, len(co), 3):
    co[i] += math.sin(co[i - 2] * 2.0) * 0.2
me.vertices.foreach_set("co", co)
me.update()
print(len(co), co.tolist()[:3])
