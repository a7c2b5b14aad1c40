# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes a run added, changed and removed in trees that were there before it, as the Node Editor outlines them.
Nothing of it is written into the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import bpy

from . import identity

if TYPE_CHECKING:
    from .documents import TreeDelta

Kind = Literal["added", "changed", "removed"]
# The size of a removed node's ghost where nothing says it, in units of the Node Editor.
_WIDTH, _HEIGHT = 140.0, 100.0
# Lists of a delta whose entries begin with the ID of a node that they change.
_CHANGES = ("labels", "names", "props", "items", "values", "late_values")


class Mark(NamedTuple):
    """One node and what became of it."""

    kind: Kind
    name: str
    """Its name in Blender; of a removed one that which it had."""
    box: tuple[float, float, float, float] | None = None
    """Of a removed node: left, top, width, height, in units of the Node Editor."""
    id: str = ""
    """Its ID in descriptions of the tree."""
    group: int = 0
    """Changes of one group hang together by links, zones and frames."""


class Changes:
    """What a run does to the nodes of trees, collected step by step."""

    def __init__(self) -> None:
        self._before: dict[str, Mapping[str, Any]] = {}
        self._kinds: dict[str, dict[str, Kind]] = {}
        self.before: dict[int, Mapping[str, Any]] = {}
        """The descriptions of the marked trees before the run, by their session UID; once it is kept."""

    def note_before(self, trees: Mapping[str, Mapping[str, Any]]) -> None:
        """Records trees (their descriptions by name) as they are before anything is written."""
        for name, tree in trees.items():
            self._before.setdefault(name, tree)

    def note(self, trees: Iterable[TreeDelta]) -> None:
        """Records the edits of a step that was carried out."""
        for delta in trees:
            if delta["tree"] in self._before:
                self._note(delta, self._kinds.setdefault(delta["tree"], {}))

    def _note(self, delta: TreeDelta, kinds: dict[str, Kind]) -> None:
        for node_id in delta.get("remove", ()):
            if kinds.get(node_id) == "added":
                del kinds[node_id]
            else:
                kinds[node_id] = "removed"
        for node in delta.get("add", ()):
            kinds[node["id"]] = "changed" if kinds.get(node["id"]) == "removed" else "added"
        lists: Mapping[str, Any] = {**delta}
        changed = [entry[0] for name in _CHANGES for entry in lists.get(name, ())]
        # The end of a link is what receives something else.
        changed += [link[2] for name in ("unlink", "links") for link in lists.get(name, ())]
        for node_id in changed:
            kinds.setdefault(node_id, "changed")

    def settle(self) -> dict[int, list[Mark]]:
        """The marks of each tree, by its session UID; for the moment at which the run is kept."""
        found: dict[int, list[Mark]] = {}
        for name, kinds in self._kinds.items():
            tree = bpy.data.node_groups.get((name, None))
            if tree is None:
                continue
            nodes, former = identity.index(tree), {node["id"]: node for node in self._before[name]["nodes"]}
            groups = _groups(kinds, _joined(self._before[name], nodes, tree.links))
            marks = []
            for node_id, kind in kinds.items():
                group = groups[node_id]
                if kind == "removed" and node_id in former and node_id not in nodes:
                    marks.append(Mark("removed", former[node_id]["name"], _place(former, node_id), node_id, group))
                elif kind != "removed" and node_id in nodes:
                    marks.append(Mark(kind, nodes[node_id].name, None, node_id, group))
            if marks:
                found[tree.session_uid] = marks
                self.before[tree.session_uid] = self._before[name]
        return found


def _groups(ids: Iterable[str], joined: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The number of each node's group, from 1: nodes that are joined are in one."""
    first = {node_id: node_id for node_id in ids}

    def root(node_id: str) -> str:
        while first[node_id] != node_id:
            node_id = first[node_id]
        return node_id

    for one, other in joined:
        if one in first and other in first:
            first[root(one)] = root(other)
    numbers: dict[str, int] = {}
    return {node_id: numbers.setdefault(root(node_id), len(numbers) + 1) for node_id in first}


def _joined(before: Mapping[str, Any], nodes: Mapping[str, Any], links: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """The pairs of nodes that a link, a zone or a frame joins, before a run or now."""
    for link in before["links"]:
        yield link["from"][0], link["to"][0]
    for node in before["nodes"]:
        yield from ((node["id"], other) for other in (node.get("pair"), node.get("parent")) if other)
    ids = {node.name: node_id for node_id, node in nodes.items()}
    for link in links:
        yield ids[link.from_node.name], ids[link.to_node.name]
    for node_id, node in nodes.items():
        others = (node.parent, getattr(node, "paired_output", None))
        yield from ((node_id, ids[other.name]) for other in others if other is not None)


def _place(nodes: Mapping[str, Mapping[str, Any]], node_id: str) -> tuple[float, float, float, float]:
    """Where a node was, through all its frames, and how large."""
    node = nodes[node_id]
    x, y = node.get("location", (0.0, 0.0))
    seen, frame = {node_id}, node.get("parent")
    while frame is not None and frame in nodes and frame not in seen:
        seen.add(frame)
        dx, dy = nodes[frame].get("location", (0.0, 0.0))
        x, y, frame = x + dx, y + dy, nodes[frame].get("parent")
    return (x, y, float(node.get("width") or _WIDTH), _HEIGHT)
