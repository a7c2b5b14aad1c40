# SPDX-License-Identifier: GPL-3.0-or-later
"""The complete RNA state of a node tree, to compare two trees. Shares no code with the product.

Every RNA property is read, read-only ones included, but for those in `READ_ONLY` and those that FORMATS.md publishes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

FORMATS = Path(__file__).resolve().parents[2] / "rust" / "graph" / "FORMATS.md"


def _published() -> dict[str, str]:
    """The writable properties that the product does not promise to give again, with the reasons."""
    block = FORMATS.read_text(encoding="utf-8").split("```exceptions\n")[1].split("```")[0]
    found = dict(line.split(None, 1) for line in block.splitlines())
    assert len(found) >= 10
    return found


EXCEPTIONS = _published()
# Read-only everywhere (`test_exact.py` says so).
READ_ONLY = {
    "rna_type": "the type itself",
    "name_full": "follows name and library",
    "session_uid": "differs in every session",
    "users": "differs with who uses it",
    "animation_data": "animation is no part of the document",
    "original": "itself",
    "preview": "a picture",
    "is_evaluated": "how the data-block came about",
    "is_editable": "whether the data-block is linked",
    "is_library_indirect": "how the data-block is linked",
    "library": "where the data-block comes from",
    "library_weak_reference": "where the data-block comes from",
    "override_library": "where the data-block comes from",
    "view_center": "where the editor looks",
    "textbox_state": "how far a text field is scrolled",
    "internal_links": "from the sockets",
    "is_icon_visible": "from drawing",
    "is_hidden": "of links: from drawing",
    "interface_items": "items_tree has them all",
    "node": "of sockets: the owner",
}
SKIPPED = frozenset(READ_ONLY) | frozenset(EXCEPTIONS) - {"name"}


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
    kind = owner.bl_rna.identifier
    out: dict[str, Any] = {"": kind}
    for prop in owner.bl_rna.properties:
        name = prop.identifier
        if name in SKIPPED or name in skip or f"{kind}.{name}" in SKIPPED or _crashes(owner, name):
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
    """(path, left, right) for everything that differs; floats must be equal in 32 bits."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(k for k in b if k not in a)]:
            yield from differences(a.get(key, "absent"), b.get(key, "absent"), f"{path}/{key}")
    elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
        if len(a) != len(b):
            yield f"{path}/#", len(a), len(b)
        for number, (x, y) in enumerate(zip(a, b, strict=False)):
            yield from differences(x, y, f"{path}/{number}")
    elif isinstance(a, float) and isinstance(b, float):
        if a != b and not (math.isnan(a) and math.isnan(b)):
            yield path, a, b
    elif a != b or type(a) is not type(b):
        yield path, a, b
