# SPDX-License-Identifier: GPL-3.0-or-later
"""A small picture of the 3D View as the artist sees it."""

from __future__ import annotations

import struct
import zlib
from array import array
from typing import Any, NamedTuple

import bpy

from . import current


class Shot(NamedTuple):
    """A picture: four bytes per pixel (red, green, blue, alpha), rows from below."""

    width: int
    height: int
    pixels: bytes


def take(longest_px: int) -> Shot | None:
    """The largest 3D View of the window, drawn anew without a screen; None where there is no window or no such view.

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
    canvas: Any = gpu.types.GPUOffScreen(width, height)
    try:
        canvas.draw_view3d(
            window.scene,
            window.view_layer,
            space,
            region,
            view.view_matrix,
            view.window_matrix,
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
