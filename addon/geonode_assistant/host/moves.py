# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nodes were before a run moved them to other trees: they belong to whom they belonged there."""

from __future__ import annotations

from collections.abc import Iterable

from .documents import TreeDelta

Place = tuple[str, str]
"""Name of a tree and ID of a node in it."""


class Moves:
    """The same rule as `Moves` in rust/graph/src/moves.rs."""

    def __init__(self) -> None:
        self._origins: dict[Place, Place] = {}

    def note(self, trees: Iterable[TreeDelta]) -> None:
        """Takes over the moves of one step."""
        trees = list(trees)
        found = {
            (tree["tree"], node["to"]): self.origin(node["tree"], node["from"])
            for tree in trees
            for node in tree.get("moved", ())
        }
        for tree in trees:
            for node_id in tree.get("remove", ()):
                self._origins.pop((tree["tree"], node_id), None)
        self._origins |= found

    def origin(self, tree: str, node_id: str) -> Place:
        """Tree and ID under which the node was known before; its own if it was not moved."""
        return self._origins.get((tree, node_id), (tree, node_id))
