# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives nodes other names. Keyframes and drivers on them, and drivers anywhere that read them, follow, in a way that
can be undone.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import bpy

from . import curves, identity
from .animation import Moved, Place, is_shared, lay_to_rest, own_action, path_to, place_of, resting
from .curves import Group
from .errors import HostError
from .readers import Pointed, readings

_PASSING = ".geonode_passing_"


def rename_nodes(name: str, wanted: Sequence[Sequence[str]], moved: Moved, pointed: Pointed) -> int:
    """Gives the nodes of a tree, by their IDs, these names; returns how many have another one now.

    Raises `unknown_node`, or `duplicate_id` if another node of the tree has the name.
    """
    if not wanted:
        return 0
    tree = bpy.data.node_groups[name]
    nodes = identity.index(tree)
    new = {}
    for node_id, called in wanted:
        node = nodes.get(node_id)
        if node is None:
            raise HostError("unknown_node", f'Cannot rename node "{node_id}": tree "{name}" has no such node.')
        if node.name != called:
            new[node.name] = called
    for called in new.values():
        # Looked at before anything changes: readers follow each rename, and would not come back.
        if called in tree.nodes and called not in new:
            raise HostError("duplicate_id", f'Tree "{name}" already has a node that is named "{called}".')
    # Blender lets those of linked data-blocks follow too.
    found = list(readings([tree], linked=True))
    reading = [(one, place) for one in found if (place := place_of(tree, one.path)) and place.node in new]
    lay_to_rest(tree, new.values(), moved)
    gone = set(new.values()).difference(tree.nodes.keys())
    for one in found:
        # What read a node that is gone does not read the one that gets its name.
        path = resting(tree, one.path, gone)
        if path is not None and one.block.library is None:
            pointed.point(one, tree, path)
    if any(kind == "keyframes" for kind, *_ in _animated(tree, new)) and is_shared(tree):
        own_action(tree, moved)
    animated = [(group, curve, place) for _, group, curve, place in _animated(tree, new)]
    nowhere = moved.parking()
    for group, curve, _ in animated:
        moved.rename(group, curve, nowhere + curve.data_path)
    renamed = [(tree.nodes[old], called) for old, called in new.items()]
    if any(called in tree.nodes for called in new.values()):  # they pass names on to each other
        for number, (node, _) in enumerate(renamed):
            node.name = f"{_PASSING}{number}"
    for node, called in renamed:
        node.name = called
        if node.name != called:
            raise HostError("duplicate_id", f'Tree "{name}" already has a node that is named "{called}".')
    for group, curve, place in animated:
        path = path_to(tree, place._replace(node=new[place.node]), check=False)
        if path is not None:
            moved.rename(group, curve, path)
    for one, place in reading:
        path = path_to(tree, place._replace(node=new[place.node]))
        if path is not None:
            pointed.point(one, tree, path)
    return len(new)


def _animated(tree: Any, nodes: Container[str]) -> list[tuple[str, Group, Any, Place]]:
    """The F-curves of these nodes, each with its kind and its place."""
    found: list[tuple[str, Group, Any, Place]] = []
    for group in curves.of(tree) if tree.animation_data is not None else ():
        for curve in group.curves:
            place = place_of(tree, curve.data_path)
            if place is not None and place.node in nodes:
                found.append((group.kind, group, curve, place))
    return found
