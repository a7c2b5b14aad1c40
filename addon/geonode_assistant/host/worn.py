# SPDX-License-Identifier: GPL-3.0-or-later
"""Which materials an evaluated result wears, with what its instances show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from .documents import Tree

SETTER = "GeometryNodeSetMaterial"
# Deepest nesting of instances, and the most parts that are looked through; beyond them the materials are unknown.
MAX_DEPTH = 8
MAX_PARTS = 2_000


def are_set_by(trees: dict[str, Tree]) -> bool:
    """Whether any of the exported trees sets a material."""
    return any(node["type"] == SETTER for tree in trees.values() for node in tree["nodes"])


def of(evaluated: Any, depsgraph: Any) -> list[str] | None:
    """Names of the materials that anything in the result of an evaluated object has; None where that cannot be told,
    as in Blender 4.2.
    """
    if not hasattr(evaluated, "evaluated_geometry"):
        return None
    found: set[str] = set()
    parts = 0
    for data in _parts(evaluated.evaluated_geometry(), depsgraph, 0):
        parts += 1
        if data is None or parts > MAX_PARTS:
            return None
        found.update(_worn(data))
    return sorted(found)


def _parts(geometry: Any, depsgraph: Any, depth: int) -> Iterator[Any]:
    """The data-blocks of a geometry and of all that its instances show; None for what is too deep."""
    if depth > MAX_DEPTH:
        yield None
        return
    pencil = getattr(geometry, "grease_pencil", None)
    for data in (geometry.mesh, geometry.curves, geometry.pointcloud, geometry.volume, pencil):
        if data is not None:
            yield data
    instances = geometry.instances_pointcloud()
    if instances is None or not len(instances.points):
        return
    for reference in geometry.instance_references():
        if isinstance(reference, bpy.types.GeometrySet):
            yield from _parts(reference, depsgraph, depth + 1)
            continue
        objects = [reference] if isinstance(reference, bpy.types.Object) else getattr(reference, "all_objects", ())
        for obj in objects:
            evaluated = obj.evaluated_get(depsgraph)
            if obj.data is not None and hasattr(obj.data, "materials"):
                yield from _parts(evaluated.evaluated_geometry(), depsgraph, depth + 1)


def _worn(data: Any) -> Iterator[str]:
    slots = data.materials
    worn = range(len(slots))
    if isinstance(data, bpy.types.Mesh):
        index = data.attributes.get("material_index")
        if not len(data.polygons):
            return
        chosen = np.zeros(len(data.polygons), dtype=np.int32)
        if index is not None and index.domain == "FACE" and index.data_type == "INT":
            index.data.foreach_get("value", chosen)
        # Faces beyond the last slot show the last one.
        worn = np.unique(np.clip(chosen, 0, max(len(slots) - 1, 0))).tolist()
    for at in worn:
        if at < len(slots) and slots[at] is not None:
            yield slots[at].name
