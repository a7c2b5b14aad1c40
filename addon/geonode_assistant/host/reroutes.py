# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of reroutes that no link determines."""

from __future__ import annotations

import re
from typing import Any

import bpy

from . import rna
from .deferred_updates import update

_PLAIN = r"(NodeSocket[A-Z][a-z]+(?:Vector)?)([A-Z][A-Za-z]*)?"
_KINDS: tuple[Any, ...] = (bpy.types.FloatProperty, bpy.types.StringProperty)
_SUBTYPES = [item for kind in _KINDS for item in kind.bl_rna.properties["subtype"].enum_items_static]


def retype(tree: Any, wanted: list[tuple[Any, str]]) -> None:
    """Gives unlinked reroutes a socket type such as `NodeSocketFloatFactor`, by means of a temporary link: they
    keep its type after it is removed. Their setter accepts no subtypes, and does not exist before 4.5. Types
    that no interface output has are ignored.
    """
    free = [(node, kind) for node, kind in wanted if not node.inputs[0].is_linked and current(node) != kind]
    if not free:
        return
    with rna.scratch_tree() as source:
        for kind in sorted({kind for _, kind in free}):
            _add_output(source, kind)
        update(source)
        group = tree.nodes.new("GeometryNodeGroup")
        try:
            group.node_tree = source
            update(tree)
            outputs = {socket.bl_idname: socket for socket in group.outputs}
            for node, kind in free:
                if kind in outputs:
                    tree.links.new(node.inputs[0], outputs[kind])
            update(tree)
        finally:
            tree.nodes.remove(group)
    update(tree)


def current(node: Any) -> str:
    """The socket type of a reroute."""
    return node.inputs[0].bl_idname


def _add_output(tree: Any, kind: str) -> None:
    """Adds an interface output with sockets of that class, if possible: `NodeSocketVectorXYZ2D` is a `NodeSocketVector`
    with the subtype `XYZ` and two dimensions.
    """
    match = re.fullmatch(r"(NodeSocket[A-Z][a-z]+(?:Vector)?)([A-Z][A-Za-z]*)?([234])D|" + _PLAIN, kind)
    if match is None:
        return
    base, word, size = (match[1], match[2], int(match[3])) if match[3] else (match[4], match[5], None)
    subtype = next((s.identifier for s in _SUBTYPES if s.identifier.replace("_", "") == (word or "").upper()), None)
    interface = tree.interface
    try:
        interface.new_socket(kind, in_out="OUTPUT", socket_type=base)
        for name, value in (("dimensions", size), ("subtype", subtype)):
            if value is not None:
                setattr(interface.items_tree[-1], name, value)  # which may replace the item
    except (TypeError, RuntimeError, AttributeError):
        return
