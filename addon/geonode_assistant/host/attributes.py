# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of existing attributes, which a Named Attribute node can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypedDict

import bpy
import numpy as np

from .documents import Tree

READER = "GeometryNodeInputNamedAttribute"
STORE = "GeometryNodeStoreNamedAttribute"
# The most data-blocks that are searched; in a larger file the names are unknown.
MAX_BLOCKS = 5_000
# Field, values per element and their type, by the type of an attribute.
VALUES: dict[str, tuple[str, int, Any]] = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "INT8": ("value", 1, np.int32),
    "BOOLEAN": ("value", 1, bool),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT2": ("vector", 2, np.float32),
    "INT32_2D": ("value", 2, np.int32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color", 4, np.float32),
    "QUATERNION": ("value", 4, np.float32),
    "FLOAT4X4": ("value", 16, np.float32),
}


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


class Summary(TypedDict):
    """What an attribute of evaluated geometry holds; ``min`` and ``max`` are None where it holds no numbers."""

    domain: str
    type: str
    min: float | None
    max: float | None


def summaries(names: Iterable[str]) -> dict[str, dict[str, Summary]]:
    """For each of these objects that exists, the attributes of its evaluated geometry: of the mesh, else of curves,
    points or instances.
    """
    return {name: _summaries(obj) for name in names if (obj := bpy.data.objects.get(name)) is not None}


def _summaries(obj: Any) -> dict[str, Summary]:
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    parts = [evaluated.data]
    instances = None
    if hasattr(evaluated, "evaluated_geometry"):
        geometry = evaluated.evaluated_geometry()
        instances = geometry.instances_pointcloud()
        parts = [geometry.mesh, geometry.curves, geometry.pointcloud]
    found: dict[str, Summary] = {}
    for part in (*parts, instances):
        for attribute in getattr(part, "attributes", ()):
            if attribute.name not in found:
                found[attribute.name] = _summary(attribute)
                if part is instances:
                    found[attribute.name]["domain"] = "INSTANCE"  # Blender shows them as points
    return found


def _summary(attribute: Any) -> Summary:
    low: float | None = None
    high: float | None = None
    known = VALUES.get(attribute.data_type)
    if known is not None and len(attribute.data):
        name, width, kind = known
        numbers = np.empty(len(attribute.data) * width, kind)
        attribute.data.foreach_get(name, numbers)
        low, high = float(numbers.min()), float(numbers.max())
    return {"domain": attribute.domain, "type": attribute.data_type, "min": low, "max": high}


def _blocks() -> Iterator[Any]:
    for kind in ("meshes", "hair_curves", "pointclouds", "grease_pencils_v3", "grease_pencils"):
        yield from getattr(bpy.data, kind, ())


def _stored(node: Any) -> str:
    return node.inputs["Name"].default_value
