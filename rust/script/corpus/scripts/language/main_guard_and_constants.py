# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
"""Row of arches along X."""
import bpy
import math
from typing import Final

COUNT: Final[int] = 5
RADIUS: Final = 1.5
SEGMENTS = 16


def arch_points(radius: float, segments: int) -> list[tuple[float, float, float]]:
    """Points of a half circle."""
    return [(radius * math.cos(math.pi * i / segments), 0.0, radius * math.sin(math.pi * i / segments)) for i in range(segments + 1)]


def build(index: int) -> "bpy.types.Object":
    curve = bpy.data.curves.new(f"Arch{index}", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("BEZIER")
    pts = arch_points(RADIUS, SEGMENTS)
    spline.bezier_points.add(len(pts) - 1)
    for bp, co in zip(spline.bezier_points, pts, strict=True):
        bp.co = co
        bp.handle_left_type = bp.handle_right_type = "AUTO"
    curve.bevel_depth = 0.1
    obj = bpy.data.objects.new(curve.name, curve)
    obj.location.x = index * RADIUS * 2.2
    return obj


def main() -> None:
    for i in range(COUNT):
        bpy.context.collection.objects.link(build(i))


if __name__ == "__main__":
    main()
