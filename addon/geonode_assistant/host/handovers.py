# SPDX-License-Identifier: GPL-3.0-or-later
"""What others in the file know about nodes that a step moves to another tree or replaces: drivers that read their
values, and how a modifier bakes them. Blender forgets it with the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import bpy

from . import identity, interface
from .documents import StepDelta, TreeDelta
from .readers import Pointed, Readers, Successor
from .snapshots import bake_settings, write_bake


class _Heir(NamedTuple):
    """A node of a tree, by session UID and name, that another one takes over from."""

    tree: int
    node: str
    to_tree: str
    to_id: str
    inputs: dict[str, str] | None


class Handover:
    """Carries what is known about nodes on over one step."""

    def __init__(self, delta: StepDelta, sockets: Iterable[str]) -> None:
        """`sockets`: the lists of a tree's delta after which its sockets may have changed."""
        present = bpy.data.node_groups
        edits = [edit for edit in delta.get("trees", ()) if any(edit.get(name) for name in sockets)]
        trees = [tree for edit in edits if (tree := present.get((edit["tree"], None))) is not None]
        # A changed interface reaches into every user.
        changed = [present.get((edit["tree"], None)) for edit in edits if edit.get("interface")]
        trees += [node.id_data for tree in changed if tree is not None for node in interface.user_nodes(tree)]
        self._readers = Readers(dict.fromkeys(trees)) if trees else None
        self._heirs = [heir for edit in delta.get("trees", ()) for heir in _heirs(edit)]
        self._bakes = _bakes_of({(heir.tree, heir.node) for heir in self._heirs})

    def finish(self, pointed: Pointed) -> None:
        """After the step: all of it goes on at the nodes that took over."""
        successors: dict[tuple[int, str], Successor] = {}
        for heir in self._heirs:
            tree = bpy.data.node_groups.get((heir.to_tree, None))
            node = identity.index(tree).get(heir.to_id) if tree is not None else None
            if node is not None:
                successors[heir.tree, heir.node] = Successor(tree, node.name, heir.inputs)
        if self._readers is not None:
            self._readers.follow(successors, pointed)
        if self._bakes:
            new = {(one.tree.session_uid, one.node): key for key, one in successors.items()}
            for at, bake in _bakes():
                saved = self._bakes.get(new.get(at, (0, "")))
                if saved is not None:
                    write_bake(bake, saved)


def _heirs(edit: TreeDelta) -> Iterator[_Heir]:
    """The nodes that others take over from, while they are still there."""
    moved = [(entry["tree"], entry["from"], entry["to"], None) for entry in edit.get("moved", ())]
    replaced = [
        (edit["tree"], entry["from"], entry["to"], entry.get("inputs"))
        for entry in edit.get("animation", ())
        if entry.get("tree") is None
    ]
    for name, from_id, to_id, inputs in [*moved, *replaced]:
        tree = bpy.data.node_groups.get((name, None))
        node = identity.index(tree).get(from_id) if tree is not None else None
        if node is not None:
            yield _Heir(tree.session_uid, node.name, edit["tree"], to_id, inputs)


def _bakes() -> Iterator[tuple[tuple[int, str], Any]]:
    """How modifiers bake zones and nodes, with the tree and the name of the node."""
    for obj in bpy.data.objects:
        found: Iterable[Any] = obj.modifiers if obj.library is None else ()
        for modifier in found:
            for bake in modifier.bakes if modifier.type == "NODES" and modifier.node_group is not None else ():
                if (node := bake.node) is not None:
                    yield (node.id_data.session_uid, node.name), bake


def _bakes_of(nodes: set[tuple[int, str]]) -> dict[tuple[int, str], dict[str, Any]]:
    return {at: bake_settings(bake) for at, bake in _bakes() if at in nodes} if nodes else {}
