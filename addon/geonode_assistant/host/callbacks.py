# SPDX-License-Identifier: GPL-3.0-or-later
"""Suspends the callbacks of other add-ons while a script runs, and ends what it shows in place of the cursor.

They would see an incomplete scene, and their changes would be attributed to the script.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

import bpy

from . import current

_PACKAGE = __package__.rpartition(".")[0]


class OwnCallbacksOnly:
    """A context in which Blender's handler lists contain only our own callbacks. Changes that the body makes to the
    lists are kept.

    Also keeps Python from reading source files to print the lines of an error.
    """

    def __enter__(self) -> None:
        self._limit = getattr(sys, "tracebacklimit", None)
        sys.tracebacklimit = 0
        self._held: list[tuple[list[Any], list[Any], list[Any]]] = []
        for found in _lists():
            before = list(found)
            kept = [one for one in before if _is_ours(one)]
            if len(kept) != len(before):
                self._held.append((found, before, kept))
                found[:] = kept

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._limit is None:
            del sys.tracebacklimit
        else:
            sys.tracebacklimit = self._limit
        if not bpy.app.background:
            # Of a script that was stopped, or forgot to: nothing else takes the number away from the cursor.
            current.window_manager().progress_end()
        for found, before, kept in self._held:
            added = [one for one in found if all(one is not other for other in kept)]
            gone = [one for one in kept if all(one is not other for other in found)]
            found[:] = [one for one in before if all(one is not other for other in gone)] + added


def _lists() -> Iterator[list[Callable[..., Any]]]:
    for name in dir(bpy.app.handlers):
        found = getattr(bpy.app.handlers, name)
        if isinstance(found, list):
            yield found


def _is_ours(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(_PACKAGE)
