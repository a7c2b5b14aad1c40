# SPDX-License-Identifier: GPL-3.0-or-later
"""What each program has seen of the trees, so that one whose view is old is told what has changed since."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Generator, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..host import exchange, export, mainfile
from ..host.documents import Tree
from ..host.errors import HostError
from ..messages import AssistantError
from ..run import checking
from .who import Who

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
        self._seen: OrderedDict[Who, OrderedDict[str, View]] = OrderedDict()

    def note(self, who: Who, trees: Mapping[str, View]) -> None:
        """The program knows these trees, which have just been read."""
        if not trees:
            return
        known = self._seen.setdefault(who, OrderedDict())
        self._seen.move_to_end(who)
        for name, view in trees.items():
            known[name] = view
            known.move_to_end(name)
        for mapping, most in ((known, _TREES), (self._seen, _PROGRAMS)):
            while len(mapping) > most:
                mapping.popitem(last=False)

    def renew(self, who: Who, written: Mapping[str, Tree]) -> None:
        """The program has made the change itself, and knows the trees that were `written`, as its run has read them."""
        known = self._seen.get(who, OrderedDict())
        for name, before in known.items():
            if name in written:
                known[name] = View(export.document(name, _nested(name, written)), False)
            elif not written.keys().isdisjoint(before.document["trees"]) and (tree := _tree(name)) is not None:
                known[name] = View(export.export_tree(tree, before.whole), before.whole)

    def changes(self, who: Who) -> Generator[str, None, list[str]]:
        """What has changed in the trees that the program has read, in plain words. From now on it knows."""
        found: list[str] = []
        known = self._seen.get(who, OrderedDict())
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


def _nested(root: str, trees: Mapping[str, Tree]) -> dict[str, Tree]:
    """A tree and the groups in it, of all these."""
    found: dict[str, Tree] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name in found or name not in trees:
            continue
        found[name] = trees[name]
        groups = [node["props"].get("node_tree") for node in trees[name]["nodes"]]
        waiting += [group["node_group"] for group in groups if isinstance(group, dict) and "node_group" in group]
    return found


def _tree(name: str) -> Any:
    with contextlib.suppress(AssistantError, HostError):
        return mainfile.geometry_tree(name)
    return None
