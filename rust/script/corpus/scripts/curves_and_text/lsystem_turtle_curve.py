# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector, Quaternion
from math import radians

axiom, rules = "F", {"F": "F[+F]F[-F]F"}
text = axiom
for _ in range(3):
    text = "".join(rules.get(ch, ch) for ch in text)
pos, heading = Vector((0, 0, 0)), Vector((0, 0, 1))
stack, segments = [], []
rot = {"+": Quaternion((0, 1, 0), radians(25)), "-": Quaternion((0, 1, 0), radians(-25))}
for ch in text:
    if ch == "F":
        new = pos + heading * 0.3
        segments.append((pos.copy(), new.copy()))
        pos = new
    elif ch in rot:
        heading = rot[ch] @ heading
    elif ch == "[":
        stack.append((pos.copy(), heading.copy()))
    elif ch == "]":
        pos, heading = stack.pop()
cu = bpy.data.curves.new("Plant", 'CURVE')
cu.dimensions = '3D'
cu.bevel_depth = 0.02
for a, b in segments:
    s = cu.splines.new('POLY')
    s.points.add(1)
    s.points[0].co = (*a, 1)
    s.points[1].co = (*b, 1)
bpy.context.collection.objects.link(bpy.data.objects.new("Plant", cu))
print(len(segments))
