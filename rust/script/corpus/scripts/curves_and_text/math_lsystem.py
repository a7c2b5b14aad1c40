# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector, Matrix
from math import radians

axiom, rules = "F", {"F": "F[+F]F[-F]F"}
word = axiom
for _ in range(3):
    word = "".join(rules.get(c, c) for c in word)
verts, edges, stack = [Vector((0, 0, 0))], [], []
pos, heading, last = Vector((0, 0, 0)), Vector((0, 0, 1)), 0
for c in word:
    if c == "F":
        pos = pos + heading * 0.2
        verts.append(pos.copy())
        edges.append((last, len(verts) - 1))
        last = len(verts) - 1
    elif c in "+-":
        angle = radians(25 if c == "+" else -25)
        heading = Matrix.Rotation(angle, 3, 'Y') @ heading
    elif c == "[":
        stack.append((pos.copy(), heading.copy(), last))
    elif c == "]":
        pos, heading, last = stack.pop()
me = bpy.data.meshes.new("Plant")
me.from_pydata(verts, edges, [])
ob = bpy.data.objects.new("Plant", me)
bpy.context.collection.objects.link(ob)
skin = ob.modifiers.new("Skin", 'SKIN')
