# SPDX-License-Identifier: GPL-3.0-or-later
"""A small picture of the 3D View as the artist sees it."""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple

import bpy
from mathutils import Matrix, Vector

from . import current


class Shot(NamedTuple):
    """A picture: four bytes per pixel (red, green, blue, alpha), rows from below."""

    width: int
    height: int
    pixels: bytes


class Frame(NamedTuple):
    """A part of a view with the view's proportions: its middle and half its height, where the view is from -1 to 1."""

    x: float
    y: float
    half: float

    def holds(self, other: Frame) -> bool:
        """Whether another part lies in this one."""
        room = self.half - other.half
        return abs(self.x - other.x) <= room and abs(self.y - other.y) <= room


def around(objects: Iterable[Any], margin: float) -> Frame | None:
    """The part of the largest 3D View with these objects as they are shown, ``margin`` times as large; None where there
    is no such view, where one of them is not before it, and where there is nothing of them.
    """
    found = _largest() if not bpy.app.background else None
    if found is None:
        return None
    matrix = found[1].region_3d.perspective_matrix
    corners = [matrix @ (obj.matrix_world @ Vector(corner)).to_4d() for obj in objects for corner in obj.bound_box]
    if not corners or any(corner.w <= 0 for corner in corners):
        return None
    low, high = ([pick(c[axis] / c.w for c in corners) for axis in (0, 1)] for pick in (min, max))
    half = max(high[axis] - low[axis] for axis in (0, 1)) / 2
    if half == 0:
        return None
    return Frame((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, half * margin)


def take(longest_px: int, frame: Frame | None = None) -> Shot | None:
    """The largest 3D View of the window, or a part of it, drawn anew without a screen; None where there is no window or
    no such view.

    Takes about as long as Blender takes to redraw that view in this size.
    """
    if bpy.app.background:
        return None
    found = _largest()
    if found is None:
        return None
    window, space, region = found
    import gpu

    scale = longest_px / max(region.width, region.height, 1)
    width, height = max(round(region.width * scale), 1), max(round(region.height * scale), 1)
    view = space.region_3d
    projection = view.window_matrix
    if frame is not None:
        grow = 1 / frame.half
        moved = Matrix.Translation((-frame.x * grow, -frame.y * grow, 0))
        projection = moved @ Matrix.Diagonal((grow, grow, 1, 1)) @ projection
    canvas: Any = gpu.types.GPUOffScreen(width, height)
    try:
        canvas.draw_view3d(
            window.scene,
            window.view_layer,
            space,
            region,
            view.view_matrix,
            projection,
            do_color_management=True,
        )
        with canvas.bind():
            buffer: Any = gpu.state.active_framebuffer_get().read_color(0, 0, width, height, 4, 0, "UBYTE")
    finally:
        canvas.free()
    buffer.dimensions = width * height * 4
    return Shot(width, height, bytes(buffer))


def as_integers(shot: Shot) -> array[int]:
    """One whole number for each pixel, as previews of images have them."""
    return array("i", shot.pixels)


def as_png(shot: Shot) -> bytes:
    """A PNG file. It takes some milliseconds, and needs nothing of Blender."""
    line = shot.width * 4
    rows = bytearray()
    for start in range(line * (shot.height - 1), -1, -line):
        pixels = shot.pixels[start : start + line]
        row = bytearray(shot.width * 3 + 1)
        for channel in range(3):
            row[channel + 1 :: 3] = pixels[channel::4]
        rows += row
    header = struct.pack(">IIBBBBB", shot.width, shot.height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _largest() -> tuple[Any, Any, Any] | None:
    views = [
        (region.width * region.height, window, area.spaces.active, region)
        for window in current.window_manager().windows
        for area in window.screen.areas
        if area.type == "VIEW_3D"
        for region in area.regions
        if region.type == "WINDOW"
    ]
    best = max(views, key=lambda view: view[0], default=None)
    return best[1:] if best is not None else None
