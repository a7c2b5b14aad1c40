# SPDX-License-Identifier: GPL-3.0-or-later
"""Cuts text into lines that fit a region, because Blender's labels do not wrap."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import blf
import bpy

from ...messages import visible
from ..translation import say, told, told_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

# Width that margins, an icon and a tick take away from a label, in pixels at interface scale 1.
MARGIN_PX, ICON_PX, TICK_PX = 64, 24, 30
# Width that a box inside a box takes in addition; Blender cuts off the end of a label that is too long.
NESTED_PX = 20
# By how much less of its half of a region one of two buttons has for its text than a line has of all of it.
HALF_PX = 10
# The least width of a line, however narrow the region is.
LEAST_PX = 60
# Width from which two buttons with icons stand beside each other, that of a short name, and that of a panel's frame.
PAIR_PX, LABEL_PX, FRAME_PX = 250, 70, 56

Measure = Callable[[str], float]
# What a line of code is not broken inside of, with the spaces behind it.
_TOKENS = re.compile(r"(?:\w+|[^\w\s])\s*|\s+")


def fit_lines(context: bpy.types.Context, text: str, taken_px: float = 0) -> list[str]:
    """Breaks ``text`` into lines that fit the drawn region in the font of the interface; ``taken_px`` of the width are
    used by something else.
    """
    return list(_fitted(text, *_text_metrics(context, taken_px)))


@lru_cache(maxsize=512)
def _fitted(text: str, size: float, width: float) -> tuple[str, ...]:
    """The lines of a text in the interface's font of that size. The same texts are drawn over and over."""
    return tuple(wrap(text, width, _measure(size)))


def _text_metrics(context: bpy.types.Context, taken_px: float = 0) -> tuple[float, float]:
    """The size of the interface's font, and the width available for a line, both in pixels."""
    preferences: Any = context.preferences
    scale = preferences.system.ui_scale
    region: Any = context.region
    width = region.width - (MARGIN_PX + taken_px) * scale
    return preferences.ui_styles[0].widget.points * scale, max(width, LEAST_PX * scale)


def _measure(size: float) -> Measure:
    """A function that measures text in the interface's font of that size."""
    blf.size(0, size)
    return lambda piece: blf.dimensions(0, piece)[0]


def draw_text(
    layout: bpy.types.UILayout,
    text: str,
    context: bpy.types.Context,
    icon: IconItems = "NONE",
    beside: bool = False,
    nested: bool = False,
) -> None:
    """Draws text in lines that fit the sidebar, with the icon before the first line. ``beside``: a tick is drawn before
    the text; ``nested``: the text is in a box inside a box.
    """
    if not text:
        return
    column = layout.column(align=True)
    column.scale_y = 0.8
    taken = (ICON_PX if icon != "NONE" else 0) + (TICK_PX if beside else 0) + (NESTED_PX if nested else 0)
    for line in fit_lines(context, told(text), taken):
        column.label(text=line, translate=False, icon=icon)
        icon = "BLANK1" if icon != "NONE" else icon


def draw_message(
    layout: bpy.types.UILayout, code: str, text: str, hint: str, context: bpy.types.Context, icon: IconItems = "NONE"
) -> None:
    """Draws a message of this code and, below it, what to do about it, in the language of the interface."""
    for part in told_of(code, text, hint):
        draw_text(layout, part, context, icon)
        icon = "BLANK1"


def fits(context: bpy.types.Context, text: str, taken_px: float = 0) -> bool:
    """Whether ``text`` fits into one line of the drawn region; Blender cuts out the middle of what does not."""
    size, width = _text_metrics(context, taken_px)
    return _width(text, size) <= width


@lru_cache(maxsize=512)
def _width(text: str, size: float) -> float:
    return _measure(size)(text)


def side_by_side(layout: bpy.types.UILayout, context: bpy.types.Context, *texts: str) -> bpy.types.UILayout:
    """A place for two buttons with icons: in one row where both can be read, else one below the other. ``texts`` are
    theirs, where another language may have longer words.
    """
    region: Any = context.region
    preferences: Any = context.preferences
    half = region.width / preferences.system.ui_scale / 2
    both = is_wide(context) and all(fits(context, say(text), half - HALF_PX) for text in texts)
    return layout.row(align=True) if both else layout.column(align=True)


def is_wide(context: bpy.types.Context, least_px: float = PAIR_PX) -> bool:
    """Whether two buttons with icons can be read beside each other in the drawn region, or what needs another width."""
    preferences: Any = context.preferences
    region: Any = context.region
    return region.width >= least_px * preferences.system.ui_scale


def labelled(layout: bpy.types.UILayout, text: str, context: bpy.types.Context, beside: str = "") -> bpy.types.UILayout:
    """Draws a name of up to ten letters and returns the place beside it, where the rest of the width is; below it where
    a text that is to be read there (``beside``) has no room.
    """
    if not is_wide(context) and not fits(context, say(beside), LABEL_PX):
        layout.label(text=text)
        return layout
    preferences: Any = context.preferences
    region: Any = context.region
    scale = preferences.system.ui_scale
    inner = max(region.width - FRAME_PX * scale, 1)
    split = layout.split(factor=min(max(LABEL_PX * scale / inner, 0.15), 0.5), align=True)
    split.label(text=text)
    return split


def draw_texts(layout: bpy.types.UILayout, texts: Iterable[tuple[str, IconItems]], context: bpy.types.Context) -> None:
    """Draws many texts below each other, each with its icon, as ``draw_text`` draws one; what holds for all of them is
    asked for once, since a panel is drawn again with each movement of the pointer.
    """
    column = layout.column(align=True)
    column.scale_y = 0.8
    label = column.label
    plain, beside = _text_metrics(context), _text_metrics(context, ICON_PX)
    for text, icon in texts:
        for line in _fitted(told(text), *(plain if icon == "NONE" else beside)):
            label(text=line, translate=False, icon=icon)
            icon = "BLANK1" if icon != "NONE" else icon


def draw_code(
    layout: bpy.types.UILayout, code: str, context: bpy.types.Context, first: int, most: int, marks: Container[int] = ()
) -> None:
    """Draws numbered lines of a script, with their indentation, in a box inside a box: ``most`` of them from the line
    ``first`` on, counted from 1. Those whose numbers are in ``marks`` take something away.
    """
    column = layout.column(align=True)
    column.scale_y = 0.7
    label = column.label
    plain, marked = _text_metrics(context, NESTED_PX), _text_metrics(context, NESTED_PX + ICON_PX)
    for number, lines in enumerate(_fitted_code(code, first, most, *plain), first):
        if number not in marks:
            for line in lines:
                label(text=line, translate=False)
            continue
        place = column.column(align=True)
        place.alert = True
        icon: IconItems = "TRASH"
        for line in _fitted_code(code, number, 1, *marked)[0]:
            place.label(text=line, translate=False, icon=icon)
            icon = "BLANK1"


@lru_cache(maxsize=64)
def _fitted_code(code: str, first: int, most: int, size: float, width: float) -> tuple[tuple[str, ...], ...]:
    """Cuts lines of code into pieces that fit the width, each with its number or the room of it before it. A page is
    drawn over and over.
    """
    lines = code.splitlines()
    digits, measure = len(str(len(lines))), _measure(size)
    found = []
    for number, line in enumerate(lines[first - 1 : first - 1 + most], first):
        body = line.expandtabs(4)
        indent = len(body) - len(body.lstrip())
        # Labels drop leading ordinary spaces.
        margin = f"{number:>{digits}}  {' ' * indent}".replace(" ", "\N{NO-BREAK SPACE}")
        room = max(width - measure(margin), LEAST_PX)
        pieces = split_code(body.lstrip(), room, measure)
        found.append(tuple(margin + piece for piece in pieces) or (margin,))
    return tuple(found)


def split_code(line: str, width: float, measure: Measure) -> Iterator[str]:
    """Splits a line of code between names, numbers and signs; inside one only if it is wider than a whole line.
    Nothing is lost.
    """
    piece = ""
    for token in _TOKENS.findall(line):
        if measure(piece + token) <= width:
            piece += token
            continue
        if piece:
            yield piece
        *full, piece = _split(token, width, measure)
        yield from full
    if piece:
        yield piece


def wrap(text: str, width: float, measure: Measure) -> Iterator[str]:
    """Breaks at spaces and line ends, and inside a word only if it is wider than a whole line.

    Text from a model or a file may contain control or direction characters that hide or reorder it; ``visible``
    replaces them with a mark.
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
            *full, line = _split(word, width, measure)
            yield from full
        if line:
            yield line


def _split(word: str, width: float, measure: Measure) -> Iterator[str]:
    """Splits a word into parts no wider than a line, each of at least one character."""
    start = 0
    while start < len(word):
        low, high = start + 1, len(word)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if measure(word[start:middle]) <= width else (low, middle - 1)
        yield word[start:low]
        start = low
