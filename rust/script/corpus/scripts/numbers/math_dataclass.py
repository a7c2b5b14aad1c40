# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from dataclasses import dataclass, field
from typing import List, Tuple


@dataclass
class Column:
    radius: float = 0.3
    height: float = 4.0
    location: Tuple[float, float, float] = (0, 0, 0)
    tags: List[str] = field(default_factory=list)

    def build(self) -> bpy.types.Object:
        bpy.ops.mesh.primitive_cylinder_add(radius=self.radius, depth=self.height, location=self.location)
        obj = bpy.context.object
        obj["tags"] = ",".join(self.tags)
        return obj


columns = [Column(location=(x * 2.0, 0, 2), tags=["temple"]) for x in range(6)]
built = [c.build() for c in columns]
print(len(built))
