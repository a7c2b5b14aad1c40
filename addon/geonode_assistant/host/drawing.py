# SPDX-License-Identifier: GPL-3.0-or-later
"""What a drawing of a node tree needs: boxes with their sockets, frames and links, as plain data."""

from __future__ import annotations

import re
from typing import Any

from . import places

MOST_NODES = 300
"""A larger tree is not drawn: nobody could read it."""

_ZONE = re.compile("(Repeat|Simulation|ForeachGeometryElement|Closure)(Input|Output)$")
_KINDS = {
    "NodeFrame": "frame",
    "NodeReroute": "reroute",
    "NodeGroupInput": "end",
    "NodeGroupOutput": "end",
    "GeometryNodeGroup": "group",
}


def drawing(tree: Any) -> dict[str, Any] | None:
    """The nodes of a tree, with their places in Blender's units (up is positive), what they show, and the links between
    their sockets, each by its number among those that are shown; None where there are too many nodes.
    """
    if len(tree.nodes) > MOST_NODES:
        return None
    numbers = {node.name: number for number, node in enumerate(tree.nodes)}
    sockets = {node.name: (_shown(node.inputs), _shown(node.outputs)) for node in tree.nodes}
    return {
        "name": tree.name,
        "nodes": [
            {
                "title": node.label or _name(node),
                "kind": _kind(node),
                "place": list(places.of(node)),
                "width": node.width,
                "inputs": [socket.name for socket in sockets[node.name][0]],
                "outputs": [socket.name for socket in sockets[node.name][1]],
                "frame": None if node.parent is None else numbers[node.parent.name],
            }
            for node in tree.nodes
        ],
        "links": [
            [
                numbers[link.from_node.name],
                sockets[link.from_node.name][1].index(link.from_socket),
                numbers[link.to_node.name],
                sockets[link.to_node.name][0].index(link.to_socket),
            ]
            for link in tree.links
            if link.from_socket in sockets[link.from_node.name][1] and link.to_socket in sockets[link.to_node.name][0]
        ],
    }


def _shown(sockets: Any) -> list[Any]:
    there = (socket for socket in sockets if socket.enabled and socket.bl_idname != "NodeSocketVirtual")
    return [socket for socket in there if socket.is_linked or not socket.hide]


def _name(node: Any) -> str:
    """What Blender writes into the head of a node without a label."""
    if node.bl_idname == "NodeFrame":
        return ""
    if getattr(node, "node_tree", None) is not None:
        return node.node_tree.name
    operation = node.bl_rna.properties.get("operation")
    names = {} if operation is None else {item.identifier: item.name for item in operation.enum_items}
    return names.get(getattr(node, "operation", ""), node.bl_label)


def _kind(node: Any) -> str:
    if node.bl_idname in _KINDS:
        return _KINDS[node.bl_idname]
    if _ZONE.search(node.bl_idname):
        return "zone"
    gives = [socket.type for socket in node.outputs if socket.enabled]
    return "geometry" if "GEOMETRY" in gives else "value"
