# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts and bounds of the evaluated geometry of an object, with what it shows as instances. Never writes."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from . import evaluate_4_2
from .errors import HostError
from .points import EXACT_POINTS, Bounds, Points, add_placed, attribute, curve_points, vertices

MAX_NESTING = 8
# Each instance reference beyond this number counts as one element.
MAX_REFERENCES = 10_000


def evaluate_object(obj: Any, depsgraph: Any, budget: int = EXACT_POINTS) -> dict[str, Any]:
    """Counts per component and local bounds of the evaluated object. Raises `object_hidden` if it is not evaluated.

    `budget`: points of instances that are placed exactly; beyond it the bounds may be too large.
    """
    evaluated = obj.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise HostError(
            "object_hidden",
            f'"{obj.name}" is hidden in the viewport or not in this view layer, so its result cannot be checked. '
            "Show it first.",
        )
    bounds = Bounds()
    if hasattr(evaluated, "evaluated_geometry"):
        out = _geometry(evaluated.evaluated_geometry(), depsgraph, bounds, budget)
    else:
        out = evaluate_4_2.geometry(evaluated, depsgraph, bounds)
    out["bounds"] = bounds.to_json()
    out["finite"] = bounds.finite
    return out


def _geometry(geometry: Any, depsgraph: Any, bounds: Bounds, budget: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    out.update(_components(geometry, bounds))
    instances = geometry.instances_pointcloud()
    if instances is not None:
        count = len(instances.points)
        if count:
            empty, nested = _count_instances(geometry, instances, 0)
            out["instances"] = {"count": count}
            out["instances"] |= {"empty": empty} if empty else {}
            out["instances"] |= {"nested": nested} if nested != count else {}
            _add_instances(geometry, instances, depsgraph, bounds, 0, budget)
    return out


def _count_instances(geometry: Any, instances: Any, depth: int) -> tuple[int, int]:
    """How many of a geometry's instances show nothing, and how many there are if nested instances are counted
    instead of the instances that contain them. Works by reference, never by single instance.
    """
    chosen = _reference_indices(instances)
    references = geometry.instance_references()
    counts = np.bincount(np.clip(chosen, 0, len(references)), minlength=len(references) + 1)[: len(references)]
    weights = [_weight(r, depth) if at < MAX_REFERENCES else 1 for at, r in enumerate(references)]
    empty = sum(int(count) for count, weight in zip(counts, weights, strict=True) if weight == 0)
    total = sum(int(count) * max(weight, 1) for count, weight in zip(counts, weights, strict=True))
    return empty + len(chosen) - int(counts.sum()), total


def _reference_indices(instances: Any) -> np.ndarray:
    """For each instance, the index of its reference."""
    chosen = np.zeros(len(instances.points), dtype=np.int32)
    index = instances.attributes.get(".reference_index")
    if index is not None and len(index.data) == len(chosen):
        index.data.foreach_get("value", chosen)
    return chosen


def _weight(reference: Any, depth: int) -> int:
    """The number of instances within one reference: 1 for plain geometry, 0 if it shows nothing."""
    if reference is None:
        return 0
    if isinstance(reference, bpy.types.Collection):
        return 1 if len(reference.all_objects) else 0
    if isinstance(reference, bpy.types.Object):
        return 1
    instances = reference.instances_pointcloud()
    if instances is not None and len(instances.points) and depth < MAX_NESTING:
        empty, nested = _count_instances(reference, instances, depth + 1)
        return nested if empty < len(instances.points) else 0
    return 1 if _components(reference, Bounds(), False) else 0


def _components(geometry: Any, bounds: Any, measured: bool = True) -> dict[str, Any]:
    """Counts of each component; adds the positions of all points to `bounds` unless only counts are wanted."""
    out: dict[str, Any] = {}
    mesh = geometry.mesh
    if mesh is not None and len(mesh.vertices):
        out["mesh"] = {"vertices": len(mesh.vertices), "edges": len(mesh.edges), "faces": len(mesh.polygons)}
        if measured:
            bounds.add(vertices(mesh))
    curves = geometry.curves
    if curves is not None and len(curves.curves):
        out["curves"] = {"curves": len(curves.curves), "points": len(curves.points)}
        if measured:
            bounds.add(curve_points(curves))
    cloud = geometry.pointcloud
    if cloud is not None and len(cloud.points):
        out["pointcloud"] = {"points": len(cloud.points)}
        if measured:
            bounds.add(attribute(cloud, "position", "vector", 3))
    volume = geometry.volume
    if volume is not None and len(volume.grids):
        out["volume"] = {"grids": len(volume.grids)}
    pencil = getattr(geometry, "grease_pencil", None)
    if pencil is not None and len(pencil.layers):
        out["greasepencil"] = {"layers": len(pencil.layers)}
    return out


def _add_instances(geometry: Any, instances: Any, depsgraph: Any, bounds: Any, depth: int, budget: int) -> None:
    """Adds the transformed points of all instances, as row vectors, since Blender stores transforms column by
    column.
    """
    transforms = attribute(instances, "instance_transform", "value", 16).reshape(-1, 4, 4)
    chosen = _reference_indices(instances)
    if not np.isfinite(transforms).all():
        bounds.finite = False
        good = np.isfinite(transforms).all(axis=(1, 2))
        transforms, chosen = transforms[good], chosen[good]
    references = geometry.instance_references()
    for number, reference in enumerate(references):
        own = transforms[chosen == number]
        if not len(own):
            continue
        points = _reference_points(reference, depsgraph, depth, max(budget // max(len(references), 1), 1))
        if not points.finite:
            bounds.finite = False
        shape = points.all()
        if not len(shape):
            bounds.add(own[:, 3, :3])
            continue
        add_placed(shape, own, bounds, budget)


def _reference_points(reference: Any, depsgraph: Any, depth: int, budget: int) -> Points:
    """Points of what one reference shows: a geometry, an object, or a collection."""
    points = Points()
    if depth >= MAX_NESTING:
        return points
    if isinstance(reference, bpy.types.Object):
        _add_object(reference, depsgraph, np.identity(4), points, depth, budget)
    elif isinstance(reference, bpy.types.Collection):
        offset = np.identity(4)
        offset[3, :3] = -np.array(reference.instance_offset)
        for obj in reference.all_objects:
            _add_object(obj, depsgraph, np.array(obj.matrix_world).T @ offset, points, depth, budget)
    elif reference is not None:  # an instance of nothing: the space in a text
        _components(reference, points)
        instances = reference.instances_pointcloud()
        if instances is not None and len(instances.points):
            _add_instances(reference, instances, depsgraph, points, depth + 1, budget)
    return points


def _add_object(obj: Any, depsgraph: Any, matrix: np.ndarray, points: Points, depth: int, budget: int) -> None:
    inner = Points()
    evaluated = obj.evaluated_get(depsgraph)
    geometry = (
        evaluated.evaluated_geometry() if obj.type not in {"EMPTY", "CAMERA", "LIGHT", "ARMATURE", "SPEAKER"} else None
    )
    if geometry is not None:
        _components(geometry, inner)
        instances = geometry.instances_pointcloud()
        if instances is not None and len(instances.points):
            _add_instances(geometry, instances, depsgraph, inner, depth + 1, budget)
    points.finite &= inner.finite
    shape = inner.all()
    if len(shape):
        points.add(shape @ matrix[:3, :3] + matrix[3, :3])
