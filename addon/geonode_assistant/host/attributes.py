# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of existing attributes, which a Named Attribute node can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from .documents import Tree

READER = "GeometryNodeInputNamedAttribute"
STORE = "GeometryNodeStoreNamedAttribute"
# The most data-blocks that are searched; in a larger file the names are unknown.
MAX_BLOCKS = 5_000


def are_read_by(trees: dict[str, Tree]) -> bool:
    """Whether any of the exported trees reads an attribute by name."""
    return any(node["type"] == READER for tree in trees.values() for node in tree["nodes"])


def all_names(evaluated: Iterable[str]) -> list[str] | None:
    """The sorted names of `evaluated`, of the attributes and vertex groups of all data in the file, and of attributes
    that trees store; None if the file is too large to search.
    """
    blocks = list(_blocks())
    if len(blocks) + len(bpy.data.objects) > MAX_BLOCKS:
        return None
    found = set(evaluated)
    for block in blocks:
        found.update(of(block))
    for obj in bpy.data.objects:
        found.update(group.name for group in obj.vertex_groups)
    for tree in bpy.data.node_groups:
        if tree.bl_idname == "GeometryNodeTree":
            found.update(_stored(node) for node in tree.nodes if node.bl_idname == STORE)
    return sorted(found)


def of(data: Any) -> Iterator[str]:
    """Names of the attributes of one geometry; for grease pencil also those of its drawings."""
    attributes = getattr(data, "attributes", None)
    if attributes is not None:
        yield from attributes.keys()
    for layer in getattr(data, "layers", ()):
        for frame in getattr(layer, "frames", ()):
            drawing = getattr(frame, "drawing", None)
            if drawing is not None:
                yield from drawing.attributes.keys()


def _blocks() -> Iterator[Any]:
    for kind in ("meshes", "hair_curves", "pointclouds", "grease_pencils_v3", "grease_pencils"):
        yield from getattr(bpy.data, kind, ())


def _stored(node: Any) -> str:
    return node.inputs["Name"].default_value
