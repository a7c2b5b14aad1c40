# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
from __future__ import annotations
import bpy
from dataclasses import dataclass, field
from typing import List, Optional, Tuple

@dataclass
class Part:
    name: str
    size: Tuple[float, float, float]
    loc: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    children: List["Part"] = field(default_factory=list)

    def build(self, parent: Optional[bpy.types.Object] = None) -> bpy.types.Object:
        me = bpy.data.meshes.new(self.name)
        sx, sy, sz = (s / 2 for s in self.size)
        v = [(x, y, z) for x in (-sx, sx) for y in (-sy, sy) for z in (-sz, sz)]
        me.from_pydata(v, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
        ob = bpy.data.objects.new(self.name, me)
        ob.location = self.loc
        ob.parent = parent
        bpy.context.scene.collection.objects.link(ob)
        for c in self.children:
            c.build(ob)
        return ob

robot = Part("Body", (1, 0.6, 1.4), (0, 0, 1.5), [Part("Head", (0.5, 0.5, 0.5), (0, 0, 1)), Part("Arm.L", (0.2, 0.2, 1), (0.7, 0, 0)), Part("Arm.R", (0.2, 0.2, 1), (-0.7, 0, 0))])
root = robot.build()
print(root.name, [c.name for c in root.children])
