# SPDX-License-Identifier: GPL-3.0-or-later
"""What trees and nodes hold without any effect on the result: values of outputs, folded panels, custom properties and
the like. Documents have it so that a rebuilt tree is equal in everything (FORMATS.md, "Tree IR", `stored`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import bpy

from . import custom_properties, interface, node_types, rna, values
from .documents import Node, Tree
from .errors import HostError

_FOLDING = hasattr(bpy.types, "NodePanelState")  # from 5.0 on a node tells which of its panels are folded
_GROUP_INPUT = "NodeGroupInput"
_GROUP = "GeometryNodeGroup"


def read(tree: Any, nodes: list[Any]) -> list[dict[str, Any]]:
    """What each node holds besides its description, by RNA path, where a rebuilt node would hold something else."""
    defaults = _Defaults(tree)
    return [_read_node(node, defaults) for node in nodes]


class _Defaults:
    """What outputs that follow an interface hold in a new node: the defaults of the interface."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree
        self._known: dict[tuple[str, str], dict[str, Any]] = {}

    def of(self, node: Any) -> dict[str, Any]:
        """By identifier of the output; empty for other nodes."""
        if node.bl_idname == _GROUP_INPUT:
            return self._interface(self._tree, "INPUT")
        group = node.node_tree if node.bl_idname == _GROUP else None
        return self._interface(group, "OUTPUT") if group is not None else {}

    def _interface(self, tree: Any, side: str) -> dict[str, Any]:
        key = (tree.name_full, side)
        if key not in self._known:
            self._known[key] = {
                item.identifier: rna.raw_value(item)
                for item in tree.interface.items_tree
                if item.item_type == "SOCKET" and item.in_out == side
            }
        return self._known[key]


def _read_node(node: Any, defaults: _Defaults) -> dict[str, Any]:
    info = node_types.node_info(node.bl_idname)
    out = _custom(node)
    if info is None:
        return out
    if node.show_texture:
        out["show_texture"] = True
    if _FOLDING and len(node.panel_states):
        states = [panel.is_collapsed for panel in node.panel_states]
        fresh = info.folded if len(info.folded) == len(states) else (None,) * len(states)
        for number, (state, old) in enumerate(zip(states, fresh, strict=True)):
            if state != old:
                out[f"panel_states.{number}.is_collapsed"] = state
    followed = defaults.of(node)
    for socket in node.outputs:
        identifier = socket.identifier
        known = info.outputs.get(identifier)
        if known is not None and known[0] is not type(socket):
            known = None
        if rna.value_kind(socket) == "none" or (known is not None and not info.inputs):
            continue  # the value of a node that consists of nothing else is part of its description
        value = rna.raw_value(socket)
        if known is not None:
            same = (value.name if isinstance(value, bpy.types.ID) else value) == known[1]
        elif rna.is_menu(socket):
            same = value == ""
        elif identifier in followed:
            # Whether a new output gets the data-block of the interface depends on when it appears.
            same = value == followed[identifier] and (rna.value_kind(socket) != "block" or value is None)
        else:
            same = not any(value) if isinstance(value, tuple) and socket.type != "RGBA" else not value
        if not same:
            out[f"outputs.{identifier}.default_value"] = values.to_json(value)
    return out


def _custom(node: Any) -> dict[str, Any]:
    sockets = {side: custom_properties.of_sockets(getattr(node, side), side) for side in ("inputs", "outputs")}
    return {**custom_properties.read(node), **sockets["inputs"], **sockets["outputs"]}


def write(
    tree: Any,
    ir: Tree,
    nodes: Mapping[str, Any],
    renamed: Mapping[str, Mapping[str, str]],
    items: Mapping[str, str],
    groups: Mapping[str, Any],
) -> None:
    """Sets what the description of the tree and its nodes says is stored. `renamed` maps, by node, identifiers of
    sockets to those of the new node, `items` those of the interface, `groups` the document's names of trees to these.
    """

    def item(_: str, identifier: str) -> Any:
        return interface.find(tree, items.get(identifier, identifier)) if identifier else tree

    for path, value in ir.get("stored", {}).items():
        custom_properties.write(path, value, item, groups)
    for node in ir["nodes"]:
        for path, value in node.get("stored", {}).items():
            _write(nodes[node["id"]], node, path, value, renamed, groups)


def holds_any(ir: Tree) -> bool:
    """Whether there is anything to write."""
    return bool(ir.get("stored")) or any(node.get("stored") for node in ir["nodes"])


def hand_on(node: Any, stored: Mapping[str, Any]) -> None:
    """Gives a node what `read` said of one that it takes over from, except custom properties."""
    same: Any = {"id": node.name, "type": node.bl_idname}
    for path, value in stored.items():
        if not custom_properties.is_path(path):
            with suppress(HostError):  # the output is gone with its item
                _write(node, same, path, value, {}, {})


def _write(
    owner: Any,
    node: Node,
    path: str,
    value: Any,
    renamed: Mapping[str, Mapping[str, str]],
    groups: Mapping[str, Any],
) -> None:
    socket: Any = None

    def socket_of(side: str, identifier: str) -> Any:
        wanted = renamed.get(node["id"], {}).get(identifier, identifier)
        return next((s for s in getattr(node_itself, side) if s.identifier == wanted), None) if side else node_itself

    node_itself = owner
    if custom_properties.is_path(path):
        custom_properties.write(path, value, socket_of, groups)
        return
    if path.startswith("outputs."):
        identifier, _, attribute = path.removeprefix("outputs.").rpartition(".")
        socket = owner = socket_of("outputs", identifier)
    else:
        holder, _, attribute = path.rpartition(".")
        try:
            owner = rna.follow(owner, holder) if holder else owner
        except (AttributeError, LookupError, TypeError):
            owner = None
    if owner is None or not values.has_property(owner, attribute):
        raise HostError("unknown_property", f'Node "{node["id"]}" ({node["type"]}) has no property "{path}".')
    try:
        values.assign(owner, attribute, value)
    except HostError:
        # The items of a menu come from links, and nobody reads what an output holds.
        if socket is None or not rna.is_menu(socket):
            raise
