# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that lines of the log speak of: a node stands in quotes, as its ID or its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..host import current, identity
from ..run import session

_QUOTED = re.compile(r"(\w*) ?“([^”]+)”")
# Words before a quote that is no node. With a capital they are a type: Group Input “in”.
_OTHERS = frozenset(
    {
        "attribute",
        "collection",
        "curve",
        "entry",
        "frame",
        "group",
        "image",
        "input",
        "item",
        "items",
        "material",
        "menu",
        "model",
        "modifier",
        "named",
        "object",
        "on",
        "output",
        "panel",
        "preset",
        "property",
        "running",
        "setting",
        "socket",
        "step",
        "tool",
        "tree",
    }
)


class Place(NamedTuple):
    """A node, by what outlives an undo."""

    carrier: tuple[int, int]
    """The session UID of an object, and the ID of its modifier."""
    tree: str
    node: str


class Places:
    """Where the nodes are; looked up once for each outcome of a run, since a panel is drawn over and over."""

    def __init__(self) -> None:
        self._of: tuple[Any, ...] = ()
        self._known: dict[str, list[Place]] = {}

    def of(self, view: session.Session, text: str) -> Place | None:
        """The first node that a text speaks of, of the trees of the result, else of those of the active object."""
        quoted = _QUOTED.findall(text)
        if not quoted:
            return None
        state = (view.handle, view.report, view.undone)
        if state != self._of:
            self._of, self._known = state, {}
            for name, place in _nodes(view.standing or _of_active()):
                self._known.setdefault(name, []).append(place)
        names = {name for _, name in quoted}
        for word, name in quoted:
            found = self._known.get(name, []) if word not in _OTHERS else []
            if found:
                return next((place for place in found if place.tree in names), found[0])
        return None

    def forget(self) -> None:
        """Looks again when next asked."""
        self._of, self._known = (), {}


places = Places()
"""Those that the sidebar leads to."""


def _of_active() -> list[Any]:
    layer = current.view_layer()
    obj = layer.objects.active
    modifiers: list[Any] = [*obj.modifiers] if obj is not None else []
    return [modifier for modifier in modifiers if modifier.type == "NODES"]


def _nodes(modifiers: list[Any]) -> Iterator[tuple[str, Place]]:
    """The nodes of the trees of these modifiers and of the groups in them: ID or name, and place."""
    seen: set[int] = set()
    for modifier in modifiers:
        carrier = (modifier.id_data.session_uid, modifier.persistent_uid)
        queue = [modifier.node_group]
        while queue:
            tree = queue.pop(0)
            if tree is None or tree.session_uid in seen:
                continue
            seen.add(tree.session_uid)
            for node_id, node in identity.index(tree).items():
                place = Place(carrier, tree.name, node.name)
                for name in {node_id, node.name}:
                    yield name, place
                queue.append(getattr(node, "node_tree", None))
