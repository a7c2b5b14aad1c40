# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector
from typing import Callable
def sample(f: Callable[[float], Vector], n: int = 12) -> list[Vector]:
    return [f(i / (n - 1)) for i in range(n)]
def make(name: str, pts: list[Vector], cyclic=False) -> bpy.types.Object:
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    s = data.splines.new("BEZIER")
    s.bezier_points.add(len(pts) - 1)
    for bp, p in zip(s.bezier_points, pts):
        bp.co = p
        bp.handle_left_type = bp.handle_right_type = "AUTO"
    s.use_cyclic_u = cyclic
    o = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(o)
    return o
arc = make("Arc", sample(lambda t: Vector((t * 4 - 2, 0, 1 - (t * 2 - 1) ** 2))))
taper = bpy.data.objects["Cube"]
arc.data.bevel_depth, arc.data.use_fill_caps = 0.1, True
print(len(arc.data.splines[0].bezier_points), round(arc.data.splines[0].calc_length(), 3))
