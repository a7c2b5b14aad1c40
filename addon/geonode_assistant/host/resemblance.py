# SPDX-License-Identifier: GPL-3.0-or-later
"""How much two pictures resemble each other where one of them shows something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy

SIZE = (160, 120)
"""Pixels that are compared, in width and height: what is finer is noise."""
_WINDOW = 8
_SAME, _CONTRAST = 0.01**2, 0.03**2  # the constants of the measure, for values from 0 to 1
_FLAT = 1e-4  # least variance of a window that shows something
_EMPTY = 0.02  # least difference of means that does


def similarity(one: Path, other: Path) -> float:
    """From 0 to 1, which is the same picture: the mean structural similarity (Wang et al., 2004) of windows in which
    one of them shows something. Raises OSError for what is no PNG, smaller than ``SIZE``, or of another size.
    """
    sizes = [_size(path) for path in (one, other)]
    if None in sizes:
        raise OSError(f"{(one, other)[sizes.index(None)]} is no PNG picture.")
    if sizes[0] != sizes[1]:
        want, have = (f"{size[0]} × {size[1]}" for size in sizes if size is not None)
        raise OSError(f"{other} has {have} pixels, not {want}.")
    a, b = (_windows(_pixels(path)) for path in (one, other))
    mean_a, mean_b = a.mean(axis=2), b.mean(axis=2)
    var_a, var_b = a.var(axis=2), b.var(axis=2)
    together = ((a - mean_a[:, :, None]) * (b - mean_b[:, :, None])).mean(axis=2)
    alike = (2 * mean_a * mean_b + _SAME) * (2 * together + _CONTRAST)
    alike /= (mean_a**2 + mean_b**2 + _SAME) * (var_a + var_b + _CONTRAST)
    shows = ((var_a + var_b > _FLAT) | (abs(mean_a - mean_b) > _EMPTY)).any(axis=1)
    return float(max(0.0, alike[shows].mean())) if shows.any() else 1.0


def shows(path: Path) -> bool:
    """Whether a picture shows anything but one colour."""
    return bool((_windows(_pixels(path)).var(axis=2) > _FLAT).any())


def _size(path: Path) -> tuple[int, int] | None:
    """Width and height of a PNG, from its head: a picture is not decoded before they are known."""
    with path.open("rb") as stream:
        head = stream.read(24)
    if not head.startswith(b"\x89PNG\r\n\x1a\n") or len(head) < 24:
        return None
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def _pixels(path: Path) -> Any:
    """Rows of ``SIZE`` pixels with red, green and blue from 0 to 1."""
    try:
        image: Any = bpy.data.images.load(str(path), check_existing=False)
    except RuntimeError as error:
        raise OSError(f"{path} is no picture.") from error
    try:
        width, height = image.size
        if width < SIZE[0] or height < SIZE[1]:
            raise OSError(f"{path} is no picture of at least {SIZE[0]} by {SIZE[1]} pixels.")
        flat = numpy.empty(width * height * image.channels, numpy.float32)
        image.pixels.foreach_get(flat)
        whole = flat.reshape(height, width, image.channels)[:, :, :3]
    finally:
        bpy.data.images.remove(image)
    # Each pixel is the mean of those that fall on it.
    rows = numpy.add.reduceat(whole, numpy.arange(SIZE[1]) * height // SIZE[1], axis=0)
    cells = numpy.add.reduceat(rows, numpy.arange(SIZE[0]) * width // SIZE[0], axis=1)
    count = numpy.add.reduceat(numpy.ones(height), numpy.arange(SIZE[1]) * height // SIZE[1])[:, None]
    count = count * numpy.add.reduceat(numpy.ones(width), numpy.arange(SIZE[0]) * width // SIZE[0])[None, :]
    return cells / count[:, :, None]


def _windows(pixels: Any) -> Any:
    """Windows, colours, and the values in each."""
    height, width, colours = pixels.shape
    tiles = pixels.reshape(height // _WINDOW, _WINDOW, width // _WINDOW, _WINDOW, colours)
    return tiles.transpose(0, 2, 4, 1, 3).reshape(-1, colours, _WINDOW * _WINDOW)
