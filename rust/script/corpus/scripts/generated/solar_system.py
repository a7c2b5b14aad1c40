# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from dataclasses import dataclass
from math import tau
@dataclass
class Planet:
    name: str
    size: float
    distance: float
    period: int
PLANETS = [Planet("Mercury", 0.1, 1, 24), Planet("Venus", 0.2, 1.6, 60), Planet("Earth", 0.22, 2.3, 100)]
for p in PLANETS:
    pivot = bpy.data.objects.new(p.name + " pivot", None)
    bpy.context.collection.objects.link(pivot)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=p.size, segments=16, ring_count=8, location=(p.distance, 0, 0))
    body = bpy.context.object
    body.name = p.name
    body.parent = pivot
    for frame, angle in ((1, 0.0), (p.period + 1, tau)):
        pivot.rotation_euler.z = angle
        pivot.keyframe_insert("rotation_euler", index=2, frame=frame)
bpy.context.scene.frame_end = max(p.period for p in PLANETS)
print([bpy.data.objects[p.name].parent.name for p in PLANETS])
