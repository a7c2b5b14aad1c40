# SPDX-License-Identifier: GPL-3.0-or-later
"""The complete RNA state of a node tree, to compare two trees. Shares no code with the product.

Every RNA property is read, read-only ones included; `SKIPPED` lists the exceptions and their reasons.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import bpy

SKIPPED = {
    "rna_type": "the type itself",
    # State of the data-block in its file, not of the tree.
    "name_full": "follows name and library",
    "session_uid": "differs in every session",
    "users": "differs with who uses it",
    "use_fake_user": "a matter of the file",
    "use_extra_user": "a matter of the file",
    "asset_data": "a matter of the file's catalogues",
    "animation_data": "animation is no part of the document",
    "original": "itself",
    "preview": "a picture",
    "tag": "scratch space of scripts",
    "is_runtime_data": "how the data-block came about",
    "is_evaluated": "how the data-block came about",
    "library": "where the data-block comes from",
    "library_weak_reference": "where the data-block comes from",
    "override_library": "where the data-block comes from",
    "annotation": "drawings",
    "grease_pencil": "drawings",
    # The user interface.
    "select": "selection",
    "active_index": "which entry of a list is highlighted",
    "active_item": "which entry of a list is highlighted",
    "active_input_index": "which entry of a list is highlighted",
    "active_output_index": "which entry of a list is highlighted",
    "active_generation_index": "which entry of a list is highlighted",
    "active_main_index": "which entry of a list is highlighted",
    "view_center": "where the editor looks",
    "show_preview": "compositor and textures only",
    "show_texture": "compositor and textures only",
    "panel_states": "which panels of a node are folded",
    "textbox_state": "how far a text field is scrolled",
    # Derived.
    "is_valid": "of links: by Blender; of the links in a ring any one is called invalid",
    "location_absolute": "from location and parents",
    "bl_socket_idname": "of interface items: from type, subtype and size; up to 5.0 it may lag behind them",
    "internal_links": "from the sockets",
    "is_icon_visible": "from drawing",
    "is_hidden": "of links: from drawing",
    "interface_items": "items_tree has them all",
    "active": "of interfaces: which item is highlighted",
    "node": "of sockets: the owner",
}
_PLACE = 6e-3  # the document rounds places to 1/100, and Blender adds its own rounding


def tree_state(tree: Any) -> dict[str, Any]:
    """The tree and, below `groups`, every tree nested in it, by name."""
    groups: dict[str, Any] = {}
    waiting = [tree]
    while waiting:
        current = waiting.pop()
        if current.name not in groups:
            groups[current.name] = _one(current)
            waiting += [node.node_tree for node in current.nodes if getattr(node, "node_tree", None)]
    return groups


def _one(tree: Any) -> dict[str, Any]:
    out = _struct(tree, skip={"nodes", "links", "interface"})
    out["interface"] = [
        {**_struct(item), "": "", "path": _path(item)} | ({} if item.item_type == "SOCKET" else {"panel": _panel(item)})
        for item in tree.interface.items_tree
    ]
    out["nodes"] = [_node(node) for node in tree.nodes]
    out["links"] = sorted(_link(tree, link) for link in tree.links)
    return out


def _path(item: Any) -> list[str]:
    names: list[str] = []
    while item.parent is not None and item.parent.index >= 0:
        item = item.parent
        names.append(f"{item.name}@{item.index}")
    return names


def _panel(item: Any) -> Any:
    return getattr(item, "persistent_uid", None)


def _node(node: Any) -> dict[str, Any]:
    out = _struct(node, skip={"inputs", "outputs", "dimensions"})
    for side in ("inputs", "outputs"):
        out[side] = [_struct(socket) for socket in getattr(node, side)]
    return out


def _link(tree: Any, link: Any) -> tuple[Any, ...]:
    order = 0
    if link.to_socket.is_multi_input:
        # After replacing links, two may have the same number: then their order in the tree decides.
        rivals = [(x.multi_input_sort_id, n) for n, x in enumerate(tree.links) if x.to_socket == link.to_socket]
        order = next(rank for rank, (_, n) in enumerate(sorted(rivals)) if tree.links[n] == link)
    ends = (link.from_node.name, link.from_socket.identifier, link.to_node.name, link.to_socket.identifier)
    return (*ends, order, link.is_muted)


def _struct(owner: Any, skip: set[str] = frozenset(), depth: int = 0) -> dict[str, Any]:
    out: dict[str, Any] = {"": owner.bl_rna.identifier}
    for prop in owner.bl_rna.properties:
        name = prop.identifier
        if name in SKIPPED or name in skip or _crashes(owner, name):
            continue
        value = getattr(owner, name)
        if prop.type == "POINTER":
            if value is None:
                out[name] = None
            elif isinstance(value, bpy.types.ID):
                out[name] = (value.id_type, value.name)
            elif isinstance(value, bpy.types.Node):
                out[name] = value.name
            elif isinstance(value, bpy.types.NodeTreeInterfacePanel):
                continue  # in `path`
            elif depth < 5:
                out[name] = _struct(value, depth=depth + 1)
        elif prop.type == "COLLECTION":
            if depth < 5:
                out[name] = [_struct(part, depth=depth + 1) for part in value]
        else:
            out[name] = _plain(value)
    return out


def _crashes(owner: Any, name: str) -> bool:
    """Whether reading the property crashes Blender: so on the experimental closure nodes of 4.5."""
    return (
        name == "paired_output"
        and bpy.app.version < (5, 0)
        and getattr(owner, "bl_idname", "") == "GeometryNodeClosureInput"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, set):
        return sorted(value)
    if hasattr(value, "__len__") and not isinstance(value, str):
        return [_plain(part) for part in value]
    return value


def differences(a: Any, b: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, left, right) for everything that differs; floats must be equal in 32 bits, positions nearly so."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(k for k in b if k not in a)]:
            yield from differences(a.get(key, "absent"), b.get(key, "absent"), f"{path}/{key}")
    elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
        if len(a) != len(b):
            yield f"{path}/#", len(a), len(b)
        for number, (x, y) in enumerate(zip(a, b, strict=False)):
            yield from differences(x, y, f"{path}/{number}")
    elif isinstance(a, float) and isinstance(b, float):
        near = _PLACE + 1e-6 * abs(a) if "/location/" in path else 0.0
        if abs(a - b) > near and not (math.isnan(a) and math.isnan(b)):
            yield path, a, b
    elif a != b or type(a) is not type(b):
        yield path, a, b
