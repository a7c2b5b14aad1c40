# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

objs = sorted(bpy.context.selected_objects, key=lambda o: o.location.x)
for i, ob in enumerate(objs):
    start = 1 + i * 4
    ob.scale = (0, 0, 0)
    ob.keyframe_insert("scale", frame=start)
    ob.scale = (1.1,) * 3
    ob.keyframe_insert("scale", frame=start + 10)
    ob.scale = (1, 1, 1)
    ob.keyframe_insert("scale", frame=start + 14)
