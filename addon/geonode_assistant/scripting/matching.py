# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods of regular expressions that repeat. In C nothing looks for a signal between two matches, so what is long is
repeated in Python, where the watchdog stops it; the results are the same.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable
from itertools import islice
from typing import Any

from .errors import Guarded

LONG = 200_000
"""From so many characters, each times the pieces that replace a match, matches are gone through in Python."""
PIECES = 100_000
"""The most pieces of a replacement: one match is replaced in C."""
_EXPANDS_IN_C = sys.version_info >= (3, 12)


def _size(text: Any) -> int:
    """Characters or bytes of a text, which a script's class does not tell; of what is none, nothing is searched."""
    kinds: tuple[Any, ...] = (str, bytes, bytearray, array)
    return next((kind.__len__(text) for kind in kinds if isinstance(text, kind)), 0)


def _nothing(text: Any) -> Any:
    return "" if isinstance(text, str) else b""


def findall(pattern: re.Pattern[Any], string: Any, pos: int = 0, endpos: int = sys.maxsize) -> list[Any]:
    """``Pattern.findall``."""
    if _size(string) <= LONG:
        return pattern.findall(string, pos, endpos)
    nothing, matches = _nothing(string), pattern.finditer(string, pos, endpos)
    if pattern.groups == 0:
        return [found.group() for found in matches]
    if pattern.groups == 1:
        return [found.groups(nothing)[0] for found in matches]
    return [found.groups(nothing) for found in matches]


def split(pattern: re.Pattern[Any], string: Any, maxsplit: int = 0) -> list[Any]:
    """``Pattern.split``."""
    if _size(string) <= LONG or maxsplit < 0:
        return pattern.split(string, maxsplit)
    text = string if isinstance(string, str) else bytes(string)
    cut: Any = type(_nothing(string)).__getitem__
    parts: list[Any] = []
    end = 0
    for found in islice(pattern.finditer(text), maxsplit or None):
        parts += [cut(text, slice(end, found.start())), *found.groups()]
        end = found.end()
    return [*parts, cut(text, slice(end, None))]


def _replacing(name: str) -> Callable[..., Any]:
    """``Pattern.sub`` and ``Pattern.subn``."""
    method = getattr(re.Pattern, name)

    def replaced(pattern: re.Pattern[Any], repl: Any, string: Any, count: int = 0) -> Any:
        if not isinstance(repl, str | bytes):
            return method(pattern, repl, string, count)  # a function returns to Python
        # Of the very texts, whatever a class of the script says of itself.
        repl = str.__str__(repl) if isinstance(repl, str) else bytes(repl)
        pieces = repl.count("\\" if isinstance(repl, str) else b"\\")
        if pieces > PIECES:
            raise Guarded(f"A replacement has more than {PIECES:,} pieces.")
        if _size(string) * (pieces + 1) <= LONG or pieces and not _EXPANDS_IN_C:
            return method(pattern, repl, string, count)
        if pieces:
            return method(pattern, lambda found: found.expand(repl), string, count)
        return method(pattern, lambda found: repl, string, count)

    replaced.__name__ = replaced.__qualname__ = name
    return replaced


METHODS: dict[str, Callable[..., Any]] = {
    "findall": findall,
    "split": split,
    "sub": _replacing("sub"),
    "subn": _replacing("subn"),
}
"""By name the methods of a pattern that repeat."""
_GIVEN = {"findall": 1, "split": 2, "sub": 3, "subn": 3}


def function(name: str) -> Callable[..., Any]:
    """The function of ``re`` for such a method, after its pattern was looked at."""
    method, given = METHODS[name], _GIVEN[name]

    def called(pattern: Any, *args: Any, flags: Any = 0, **named: Any) -> Any:
        if len(args) == given + 1:
            *args, flags = args  # type: ignore[assignment]
        return method(re.compile(pattern, flags), *args, **named)

    return called
