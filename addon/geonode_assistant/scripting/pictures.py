# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels of large images. Blender makes a tuple of them for a slice or a loop, and does not look whether there
was memory for it: a script may have no block of that size.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from .. import native
from . import bulk, policy
from .errors import Guarded

_OF_TUPLES = 16_000_000
"""Channels of which Blender may make a tuple: 8 bytes each, in a block of at most 128 MiB (``allocation.rs``)."""


class Channels:
    """``image.pixels`` of a large image."""

    __slots__ = ("__image__",)

    def __init__(self, image: Any) -> None:
        self.__image__ = image

    def __len__(self) -> int:
        return len(self.__image__.pixels)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, slice):
            return self.__image__.pixels[operator.index(place)]
        places = range(len(self))[place]
        if len(places) > policy.policy().items * 2:
            raise Guarded(
                f"{len(places):,} numbers in a list would use up all memory. Read them into an array of numpy with "
                "pixels.foreach_get(array), or scale the image down first."
            )
        found = self.__image__.pixels
        if places.step == 1 and len(places) < _OF_TUPLES:
            return found[places.start : places.stop]
        every = np.empty(len(found), np.float32)
        found.foreach_get(every)
        return every[places.start : places.stop if places.stop >= 0 else None : places.step].tolist()

    def __setitem__(self, place: Any, value: Any) -> None:
        native.core().call_enclosed(operator.setitem, self.__image__.pixels, place, value)

    def __iter__(self) -> Iterator[float]:
        return iter(self[:])

    def foreach_get(self, values: Any) -> None:
        """As of Blender's own array."""
        native.core().call_enclosed(self.__image__.pixels.foreach_get, values)

    def foreach_set(self, values: Any) -> None:
        """As of Blender's own array."""
        bulk.foreach_set(self.__image__.pixels, lambda *_: bulk.PLAIN)(values)


def channels(image: Any) -> Any:
    """``image.pixels`` as a script has it."""
    found = image.pixels
    return Channels(image) if isinstance(image, bpy.types.Image) and len(found) > _OF_TUPLES else found
