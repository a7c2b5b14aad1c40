# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's labels do not wrap; this cuts text into lines that fit a region."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import blf
import bpy

from ...messages import visible

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

# What margins and an icon take away from a label, in pixels at interface scale 1.
MARGIN_PX, ICON_PX, TICK_PX = 64, 24, 30
# What a box inside a box takes more: a label that is too long would hide its end without a word.
NESTED_PX = 20
# Whatever the region's width, a line holds this much.
LEAST_PX = 60

Measure = Callable[[str], float]


def fitting(context: bpy.types.Context, text: str, taken_px: float = 0) -> list[str]:
    """The lines in which ``text`` fits into the drawn region, in the font that the interface uses; ``taken_px`` of its
    width hold something else.
    """
    measure, width = _measured(context, taken_px)
    return list(wrap(text, width, measure))


def _measured(context: bpy.types.Context, taken_px: float = 0) -> tuple[Measure, float]:
    """How wide a text is in the interface's font, and how wide a line may be."""
    preferences: Any = context.preferences
    scale = preferences.system.ui_scale
    blf.size(0, preferences.ui_styles[0].widget.points * scale)
    region: Any = context.region
    width = region.width - (MARGIN_PX + taken_px) * scale
    return lambda piece: blf.dimensions(0, piece)[0], max(width, LEAST_PX * scale)


def draw_text(
    layout: bpy.types.UILayout,
    text: str,
    context: bpy.types.Context,
    icon: IconItems = "NONE",
    beside: bool = False,
    nested: bool = False,
) -> None:
    """Text in lines that fit the sidebar; the icon stands before the first. ``beside``: a tick stands before it;
    ``nested``: it stands in a box inside a box.
    """
    column = layout.column(align=True)
    column.scale_y = 0.8
    taken = (ICON_PX if icon != "NONE" else 0) + (TICK_PX if beside else 0) + (NESTED_PX if nested else 0)
    for line in fitting(context, text, taken):
        column.label(text=line, icon=icon)
        icon = "BLANK1" if icon != "NONE" else icon


def draw_code(layout: bpy.types.UILayout, code: str, context: bpy.types.Context, most: int | None = None) -> int:
    """Numbered lines of a script in a box inside a box, with their indentation, at most ``most`` of them; how many are
    left out.
    """
    column = layout.column(align=True)
    column.scale_y = 0.7
    lines = code.splitlines()
    shown = lines if most is None else lines[:most]
    digits = len(str(len(lines)))
    for number, line in enumerate(shown, 1):
        body = line.expandtabs(4)
        indent = len(body) - len(body.lstrip())
        # Labels drop ordinary spaces at their beginning.
        margin = f"{number:>{digits}}  {' ' * indent}".replace(" ", "\N{NO-BREAK SPACE}")
        for piece in _fitting_pieces(context, margin, body.lstrip()):
            column.label(text=piece, translate=False)
    return len(lines) - len(shown)


def _fitting_pieces(context: bpy.types.Context, margin: str, line: str) -> list[str]:
    """A line of code in labels, cut where the region ends; the margin stands before each."""
    measure, width = _measured(context, NESTED_PX)
    room = max(width - measure(margin), LEAST_PX)
    return [margin + piece for piece in _pieces(line, room, measure)] or [margin]


def wrap(text: str, width: float, measure: Measure) -> Iterator[str]:
    """Breaks at spaces and line ends, and inside a word only where it is wider than a whole line.

    What a model or a file says may hold characters that hide, reorder or steer text; they are shown as such.
    """
    for paragraph in visible(text).splitlines():
        line = ""
        for word in paragraph.split():
            joined = f"{line} {word}" if line else word
            if measure(joined) <= width:
                line = joined
                continue
            if line:
                yield line
            *full, line = _pieces(word, width, measure)
            yield from full
        if line:
            yield line


def _pieces(word: str, width: float, measure: Measure) -> Iterator[str]:
    """A word in parts no wider than a line; at least one character each."""
    start = 0
    while start < len(word):
        low, high = start + 1, len(word)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if measure(word[start:middle]) <= width else (low, middle - 1)
        yield word[start:low]
        start = low
