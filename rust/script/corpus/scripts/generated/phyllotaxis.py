# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
import math
from dataclasses import dataclass, field
from typing import List, Tuple

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))

@dataclass
class Phyllotaxis:
    count: int = 150
    spacing: float = 0.25
    points: List[Tuple[float, float, float]] = field(default_factory=list)

    def __post_init__(self):
        self.points = [self._point(i) for i in range(self.count)]

    def _point(self, i: int) -> Tuple[float, float, float]:
        r = self.spacing * math.sqrt(i)
        a = i * GOLDEN_ANGLE
        return (r * math.cos(a), r * math.sin(a), -0.02 * r ** 2)

    @property
    def radius(self) -> float:
        return self.spacing * math.sqrt(self.count)

flower = Phyllotaxis()
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.12, segments=12, ring_count=6)
seed = bpy.context.object
for i, p in enumerate(flower.points):
    s = seed if i == 0 else bpy.data.objects.new(f"Seed.{i:03d}", seed.data)
    s.location = p
    if i:
        bpy.context.collection.objects.link(s)
print(flower.radius, flower.count)
