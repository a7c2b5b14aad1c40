# SPDX-License-Identifier: GPL-3.0-or-later
"""Node IDs: the stamp `geonode_id` where a node has one, else its name (FORMATS.md, "IDs")."""

from __future__ import annotations

from operator import methodcaller
from typing import Any

STAMP = "geonode_id"
_read_stamp = methodcaller("get", STAMP)


def node_ids(tree: Any) -> list[str]:
    """The ID of every node, in tree order; unique and deterministic. Reads only."""
    return _ids(tree.nodes.keys(), tree.nodes.values())


def _ids(names: list[str], nodes: list[Any]) -> list[str]:
    stamps = list(map(_read_stamp, nodes))
    wanted = [stamp if isinstance(stamp, str) and stamp else name for stamp, name in zip(stamps, names, strict=True)]
    if len(set(wanted)) == len(wanted):
        return wanted
    taken: set[str] = set()
    result = []
    for first, name in zip(wanted, names, strict=True):
        chosen = first if first not in taken else name
        if chosen in taken:
            number = 2
            while f"{name}#{number}" in taken:
                number += 1
            chosen = f"{name}#{number}"
        taken.add(chosen)
        result.append(chosen)
    return result


def index(tree: Any) -> dict[str, Any]:
    """ID → node. The references hold until the tree's nodes are removed or Blender undoes."""
    nodes = tree.nodes.values()
    return dict(zip(_ids(tree.nodes.keys(), nodes), nodes, strict=True))


def stamp(node: Any, node_id: str) -> None:
    """Makes `node_id` the lasting ID of the node; writes nothing if it already has this ID."""
    if node.get(STAMP) != node_id:
        node[STAMP] = node_id
