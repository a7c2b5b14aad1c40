# SPDX-License-Identifier: GPL-3.0-or-later
"""What each program has seen of the trees, so that one whose view is old is told what has changed since."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from ..host import exchange, export, mainfile
from ..host.errors import HostError
from ..messages import AssistantError

# Trees of a program, and programs, that are remembered; the oldest are forgotten.
_TREES, _PROGRAMS = 8, 16
_LINES = 12


class Views:
    """The trees as programs have read them."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, OrderedDict[str, Mapping[str, Any]]] = OrderedDict()

    def note(self, client: str, trees: Mapping[str, Mapping[str, Any] | None]) -> None:
        """The client knows these trees as they are now; with the document of each that has just been exported."""
        known = self._seen.setdefault(client, OrderedDict())
        self._seen.move_to_end(client)
        for name, document in trees.items():
            tree = _tree(name)
            if tree is not None:
                known[name] = document or export.export_tree(tree)
                known.move_to_end(name)
        for mapping, most in ((known, _TREES), (self._seen, _PROGRAMS)):
            while len(mapping) > most:
                mapping.popitem(last=False)

    def renew(self, client: str) -> None:
        """The client has made the change itself, and knows its trees."""
        self.note(client, dict.fromkeys(self._seen.get(client, ())))

    def changes(self, client: str) -> list[str]:
        """What has changed in the trees that the client has read, in plain words. From now on it knows."""
        found: list[str] = []
        known = self._seen.get(client, OrderedDict())
        for name, before in [*known.items()]:
            tree = _tree(name)
            if tree is None:
                found.append(f"“{name}” is no longer there.")
                del known[name]
                continue
            now = export.export_tree(tree)
            if now == before:
                continue
            lines = exchange.diff(before, now) or ["It was made anew."]
            more = [f"… and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
            found += [f"“{name}”: {line}" for line in [*lines[:_LINES], *more]]
            known[name] = now
        return found

    def forget(self) -> None:
        """Another file is open."""
        self._seen.clear()


def _tree(name: str) -> Any:
    with contextlib.suppress(AssistantError, HostError):
        return mainfile.geometry_tree(name)
    return None
