# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from dataclasses import dataclass, field
from math import radians

@dataclass(frozen=True)
class LightSpec:
    name: str
    kind: str = "AREA"
    energy: float = 100.0
    location: tuple[float, float, float] = (0, 0, 3)
    color: tuple = field(default=(1, 1, 1))
    options: dict = field(default_factory=dict, compare=False)

specs = [
    LightSpec("Key", energy=500, location=(3, -3, 4), options={"size": 2.0, "shape": "DISK"}),
    LightSpec("Rim", "SPOT", 300, (-2, 4, 3), (0.6, 0.8, 1), {"spot_size": radians(45), "spot_blend": 0.3}),
    LightSpec("Sun", "SUN", 2, options={"angle": 0.01}),
]
for s in specs:
    data = bpy.data.lights.new(s.name, s.kind)
    data.energy, data.color = s.energy, s.color
    for key, value in s.options.items():
        setattr(data, key, value)
    ob = bpy.data.objects.new(s.name, data)
    ob.location = s.location
    bpy.context.collection.objects.link(ob)
print(specs[0], len({s for s in specs}))
