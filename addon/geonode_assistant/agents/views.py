# SPDX-License-Identifier: GPL-3.0-or-later
"""What each program has seen of the trees, so that one whose view is old is told what has changed since."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Generator, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..host import exchange, export, mainfile
from ..host.errors import HostError
from ..messages import AssistantError
from ..run import checking

# Trees of a program, and programs, that are remembered; the oldest are forgotten.
_TREES, _PROGRAMS = 8, 16
_LINES = 12


class View(NamedTuple):
    """A tree as a program has read it."""

    document: Mapping[str, Any]
    whole: bool
    """Whether with what has no effect."""


class Views:
    """The trees as programs have read them."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, OrderedDict[str, View]] = OrderedDict()

    def note(self, client: str, trees: Mapping[str, View | None]) -> None:
        """The client knows these trees as they are now; with the view of each that has just been read."""
        known = self._seen.setdefault(client, OrderedDict())
        self._seen.move_to_end(client)
        for name, view in trees.items():
            tree = _tree(name)
            if tree is not None:
                known[name] = view or View(export.export_tree(tree), True)
                known.move_to_end(name)
        for mapping, most in ((known, _TREES), (self._seen, _PROGRAMS)):
            while len(mapping) > most:
                mapping.popitem(last=False)

    def renew(self, client: str) -> None:
        """The client has made the change itself, and knows its trees."""
        self.note(client, dict.fromkeys(self._seen.get(client, ())))

    def changes(self, client: str) -> Generator[str, None, list[str]]:
        """What has changed in the trees that the client has read, in plain words. From now on it knows."""
        found: list[str] = []
        known = self._seen.get(client, OrderedDict())
        # Noted only when it can be told: whoever cancels meanwhile has not heard it.
        told: dict[str, View | None] = {}
        for name, before in [*known.items()]:
            if _tree(name) is None:
                found.append(f"“{name}” is no longer there.")
                told[name] = None
                continue
            now = yield from checking.read_in_steps(name, before.whole)
            if now == before.document:
                continue
            compare = partial(exchange.diff, before.document, now)
            lines = (yield from checking.aside("Comparing.", compare)) or ["It was made anew."]
            more = [f"… and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
            found += [f"“{name}”: {line}" for line in [*lines[:_LINES], *more]]
            told[name] = View(now, before.whole)
        for name, view in told.items():
            known.pop(name, None)
            if view is not None:
                known[name] = view
        return found

    def forget(self) -> None:
        """Another file is open."""
        self._seen.clear()


def _tree(name: str) -> Any:
    with contextlib.suppress(AssistantError, HostError):
        return mainfile.geometry_tree(name)
    return None
