# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes that a step moves to another tree or replaces have besides their description: what others in the file know
about them (drivers that read their values, how a modifier bakes them), custom properties, folded panels. Blender
forgets it with the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import bpy

from . import custom_properties, id_state, identity, inert_state, interface
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
        nodes = _Nodes()
        self._heirs = [heir for edit in delta.get("trees", ()) for heir in _heirs(edit, nodes)]
        self._bakes = _bakes_of({(heir.tree, heir.node) for heir in self._heirs})
        self._belongings = [
            _Belongings(*entry) for edit in delta.get("trees", ()) for entry in _same_nodes(edit, nodes)
        ]

    def finish(self, pointed: Pointed) -> None:
        """After the step: all of it goes on at the nodes that took over."""
        nodes = _Nodes()
        for one in self._belongings:
            if (node := nodes.find(*one.to)) is not None:
                one.hand_on(node)
        successors: dict[tuple[int, str], Successor] = {}
        for heir in self._heirs:
            if (node := nodes.find(heir.to_tree, heir.to_id)) is not None:
                successors[heir.tree, heir.node] = Successor(node.id_data, node.name, heir.inputs)
        if self._readers is not None:
            self._readers.follow(successors, pointed)
        if self._bakes:
            new = {(one.tree.session_uid, one.node): key for key, one in successors.items()}
            for at, bake in _bakes():
                saved = self._bakes.get(new.get(at, (0, "")))
                if saved is not None:
                    write_bake(bake, saved)


class _Nodes:
    """Nodes by the name of their tree and their ID; each tree is looked through once, so none may change meanwhile."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}

    def find(self, tree: str, node_id: str) -> Any:
        """The node, else None."""
        if tree not in self._known:
            found = bpy.data.node_groups.get((tree, None)) or bpy.data.node_groups.get(tree)
            self._known[tree] = identity.index(found) if found is not None else {}
        return self._known[tree].get(node_id)


def _heirs(edit: TreeDelta, nodes: _Nodes) -> Iterator[_Heir]:
    """The nodes that others take over from, while they are still there."""
    moved = [(entry["tree"], entry["from"], entry["to"], None) for entry in edit.get("moved", ())]
    replaced = [
        (edit["tree"], entry["from"], entry["to"], entry.get("inputs"))
        for entry in edit.get("animation", ())
        if entry.get("tree") is None
    ]
    for name, from_id, to_id, inputs in [*moved, *replaced]:
        node = nodes.find(name, from_id)
        if node is not None and node.id_data.library is None:
            yield _Heir(node.id_data.session_uid, node.name, edit["tree"], to_id, inputs)


def _same_nodes(edit: TreeDelta, nodes: _Nodes) -> Iterator[tuple[Any, str, str]]:
    """The nodes that go on as others, while they are still there, with the tree and the ID of each new one."""
    made = {entry["id"] for entry in edit.get("add", ())}
    places = [(entry["tree"], entry["from"], entry["to"]) for entry in edit.get("moved", ())]
    places += [(edit["tree"], node_id, node_id) for node_id in edit.get("remove", ()) if node_id in made]
    for name, from_id, to_id in places:
        if (node := nodes.find(name, from_id)) is not None:
            yield node, edit["tree"], to_id


class _Belongings:
    """What a node has that no description of a step carries."""

    def __init__(self, node: Any, tree: str, node_id: str) -> None:
        self.to = tree, node_id
        self._type = node.bl_idname
        self._custom = _custom(node)
        self._sockets: list[tuple[str, str, str, dict[str, Any]]] = []
        if custom_properties.sockets_have_them():
            for side in ("inputs", "outputs"):
                with_some = (socket for socket in getattr(node, side) if len(socket.keys()))
                self._sockets += [(side, one.identifier, one.name, _custom(one)) for one in with_some]
        self._inert = inert_state.read(node.id_data, [node])[0]

    def hand_on(self, node: Any) -> None:
        """Gives it to the node that took over; what of its sockets has no counterpart there is left."""
        _give(node, self._custom)
        for side, identifier, name, custom in self._sockets:
            sockets = list(getattr(node, side))
            found = [one for one in sockets if one.identifier == identifier and one.name == name]
            found = found or [one for one in sockets if one.name == name and not one.is_unavailable]
            if len(found) == 1:
                _give(found[0], custom)
        if node.bl_idname == self._type:
            inert_state.hand_on(node, self._inert)


def _custom(owner: Any) -> dict[str, Any]:
    return {key: value for key, value in id_state.custom(owner).items() if not custom_properties.is_ours(key)}


def _give(owner: Any, custom: dict[str, Any]) -> None:
    if custom:
        id_state.write_custom(owner, id_state.custom(owner) | custom)


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
