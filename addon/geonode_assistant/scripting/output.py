# SPDX-License-Identifier: GPL-3.0-or-later
"""The printed output of a script, limited in length."""

from __future__ import annotations

import io
from typing import Any

LIMIT = 100_000
"""The most characters that are kept; further ones are dropped."""


class Stream:
    """`sys.stdout` and `sys.stderr` of a script, as targets of `print`."""

    __slots__ = ()


class Output(io.TextIOBase):
    """The ``print`` of one script, and what it has printed."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = LIMIT
        self._cut = False

    def print(
        self,
        *values: Any,
        sep: str | None = " ",
        end: str | None = "\n",
        file: Stream | None = None,
        flush: bool = False,
    ) -> None:
        """As Python's, but prints into the script's result; ``file`` may be one of the script's streams of `sys`."""
        if file is not None and not isinstance(file, Stream):
            raise ValueError("print() in a script only writes into its result; omit `file`.")
        sep = " " if sep is None else sep
        end = "\n" if end is None else end
        if not isinstance(sep, str) or not isinstance(end, str):
            raise TypeError("sep and end must be strings")
        self._add(sep.join([str(value) for value in values]) + end)

    def write(self, text: str, /) -> int:
        """Receives what Blender prints through Python, such as the reports of operators."""
        self._add(text)
        return len(text)

    def _add(self, text: str) -> None:
        if self._left <= 0:
            self._cut = self._cut or bool(text)
            return
        self._cut = self._cut or len(text) > self._left
        kept = text[: self._left]
        self._parts.append(kept)
        self._left -= len(kept)

    def text(self) -> str:
        """Everything that was printed, with a note if it was cut."""
        return "".join(self._parts) + (f"\n… only the first {LIMIT:,} characters are kept.\n" if self._cut else "")
