# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from math import radians
from mathutils import Matrix, Vector
rules = {"F": "F[+F]F[-F]", "X": "F"}
word = "F"
for _ in range(3):
    word = "".join(rules.get(c, c) for c in word)
verts, edges, stack = [Vector()], [], []
mat, cur = Matrix.Identity(4), 0
for c in word:
    if c == "F":
        mat = mat @ Matrix.Translation((0, 0, 0.3))
        verts.append(mat.to_translation())
        edges.append((cur, len(verts) - 1))
        cur = len(verts) - 1
    elif c in "+-":
        mat = mat @ Matrix.Rotation(radians(25 if c == "+" else -25), 4, "X")
    elif c == "[":
        stack.append((mat.copy(), cur))
    elif c == "]":
        mat, cur = stack.pop()
me = bpy.data.meshes.new("Plant")
me.from_pydata(verts, edges, [])
o = bpy.data.objects.new("Plant", me)
bpy.context.collection.objects.link(o)
sk = o.modifiers.new("Skin", "SKIN")
print(len(verts), len(edges), len(word))
