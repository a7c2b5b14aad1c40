# SPDX-License-Identifier: GPL-3.0-or-later
"""Node types of this Blender: their properties, their item collections, and the state of a new node.

Nothing is listed by hand: a new node of each type is created once in a scratch tree and read. Cached for the process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import bpy

from . import rna
from .items import read_items

# In files with more objects no type is described before it is used: each scratch tree that is removed lets Blender put
# the order in which it evaluates all objects together anew.
FEW_OBJECTS = 200


@dataclass
class NodeInfo:
    """One node type: its fields, its item collections, and the state of a new node."""

    fields: rna.Fields
    plain: tuple[Any, ...]
    arrays: dict[str, tuple[Any, ...]]
    blocks: dict[str, Any]
    collections: tuple[str, ...]
    lists: dict[str, list[dict[str, Any]]]
    width: float
    height: float
    inputs: dict[str, tuple[type, Any, tuple[bool, ...]]] = field(default_factory=dict)
    outputs: dict[str, tuple[type, Any, tuple[bool, ...]]] = field(default_factory=dict)
    pairs: bool = False
    widths: tuple[float, float] = (0.0, 0.0)
    folded: tuple[bool, ...] = ()  # which of its panels are


_nodes: dict[str, NodeInfo] = {}


def node_info(bl_idname: str, scratch: Callable[[], Any] | None = None) -> NodeInfo | None:
    """The cached description of a node type; None if this Blender cannot create it."""
    if bl_idname not in _nodes:
        if scratch is None:
            with rna.scratch_tree() as tree:
                return node_info(bl_idname, lambda: tree)
        try:
            node = scratch().nodes.new(bl_idname)
        except RuntimeError:
            return None
        _nodes[bl_idname] = _describe(node)
        scratch().nodes.remove(node)
    return _nodes[bl_idname]


def learn(kinds: Iterable[str]) -> None:
    """Describes types for `node_info`. This needs real updates, so not inside a suppressed phase."""
    missing = set(kinds) - _nodes.keys()
    if missing:
        with rna.scratch_tree() as tree:
            for kind in sorted(missing):
                node_info(kind, lambda: tree)


def can_learn_ahead() -> bool:
    """Whether the file has few enough objects to describe types that may be needed."""
    return len(bpy.data.objects) <= FEW_OBJECTS


def learn_for(seconds: float, kinds: Iterator[str]) -> bool:
    """Describes the next of these types for about so long, at least one of them; returns whether there may be more."""
    ends = time.perf_counter() + seconds
    with rna.scratch_tree() as tree:
        for kind in kinds:
            node_info(kind, lambda: tree)
            if time.perf_counter() > ends:
                return True
    return False


def _describe(node: Any) -> NodeInfo:
    fields = rna.fields_of(node)
    paths = list(_list_paths(node))
    return NodeInfo(
        fields=fields,
        plain=fields.read_plain(node),
        arrays={path: fields.read_array(node, path) for path in fields.arrays},
        blocks={path: attrgetter(path)(node) and attrgetter(path)(node).name for path in fields.blocks},
        collections=tuple(path for path, _ in paths),
        lists={path: read_items(node, path) for path, makes_sockets in paths if not makes_sockets},
        width=node.width,
        height=node.height,
        inputs={s.identifier: _socket(s) for s in node.inputs},
        outputs={s.identifier: _socket(s) for s in node.outputs},
        pairs=hasattr(node, "pair_with_output"),
        widths=(node.bl_width_min, node.bl_width_max),
        folded=tuple(panel.is_collapsed for panel in getattr(node, "panel_states", ())),
    )


def _socket(socket: Any) -> tuple[type, Any, tuple[bool, ...]]:
    value = rna.raw_value(socket)
    if rna.value_kind(socket) == "block" and value is not None:
        value = value.name  # data-blocks may be removed while these descriptions are cached
    return type(socket), value, tuple(getattr(socket, flag) for flag in rna.SOCKET_FLAGS)


def known_types() -> dict[str, NodeInfo]:
    """The node types described so far."""
    return _nodes


def _list_paths(owner: Any, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, bool]]:
    """Paths of collections that can grow: (path, whether its items make sockets)."""
    for prop in rna.state_properties(owner):
        if prop.type == "COLLECTION":
            collection = getattr(owner, prop.identifier)
            if prop.srna is not None and "new" in prop.srna.functions:
                yield prefix + prop.identifier, depth == 0
            elif depth:
                for number, part in enumerate(collection):
                    yield from _list_paths(part, f"{prefix}{prop.identifier}.{number}.", depth + 1)
        elif prop.type == "POINTER" and prop.is_readonly and depth < 4 and rna.is_embedded(prop):
            inner = getattr(owner, prop.identifier)
            if inner is not None:
                yield from _list_paths(inner, f"{prefix}{prop.identifier}.", depth + 1)
