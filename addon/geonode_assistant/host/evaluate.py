# SPDX-License-Identifier: GPL-3.0-or-later
"""What came out: the evaluated geometry of objects with their instances, node warnings, invalid links ("Evidence")."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from . import context, evaluate_4_2, export, identity, values
from .errors import HostError

# Beyond this many transformed points, instances count by the corners of what they show: bounds then may be too large.
EXACT_POINTS = 4_000_000
MAX_NESTING = 8
_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)


class Bounds:
    """A growing box around points; remembers whether all were finite."""

    def __init__(self) -> None:
        self.low = np.full(3, np.inf)
        self.high = np.full(3, -np.inf)
        self.finite = True

    def add(self, points: np.ndarray) -> None:
        """Takes in points, an (n, 3) array."""
        if not len(points):
            return
        good = np.isfinite(points).all(axis=1)
        if not good.all():
            self.finite = False
            points = points[good]
        if len(points):
            self.low = np.minimum(self.low, points.min(axis=0))
            self.high = np.maximum(self.high, points.max(axis=0))

    @property
    def empty(self) -> bool:
        """Nothing was added."""
        return bool(np.isinf(self.low).any())

    def corners(self) -> np.ndarray:
        """Its eight corners."""
        return self.low + _CORNERS * (self.high - self.low)

    def to_json(self) -> list[list[float]] | None:
        """`[[min x, y, z], [max x, y, z]]`, or null when empty."""
        if self.empty:
            return None
        return [[values.shortest(float(np.float32(v))) for v in side] for side in (self.low, self.high)]


def evidence(objects: Iterable[str], trees: Iterable[str], before: dict[str, Any] | None) -> dict[str, Any]:
    """Evaluates the objects and gathers what the gates judge. `before` is the lists that `lists()` gave at the
    start.
    """
    objects = list(dict.fromkeys(objects))
    present = [name for name in dict.fromkeys(trees) if bpy.data.node_groups.get(name) is not None]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    bundle = export.export_trees(present)["trees"]
    return {
        "objects": [
            _object(bpy.data.objects[name], depsgraph) for name in objects if bpy.data.objects.get(name) is not None
        ],
        "trees": bundle,
        "invalid_links": {
            name: found for name in bundle if (found := invalid_links(values.resolve("node_group", name)))
        },
        "before": before or {"modifiers": {}, "node_groups": []},
        "after": lists(),
    }


def lists() -> dict[str, Any]:
    """Names of the modifiers of every object that has some, and of all node groups."""
    return {
        "modifiers": {
            o.name: [m.name for m in o.modifiers]
            for o in sorted(bpy.data.objects, key=lambda o: o.name)
            if len(o.modifiers)
        },
        "node_groups": context.names("node_group"),
    }


def invalid_links(tree: Any) -> list[list[str]]:
    """`[from ID, socket, to ID, socket, reason]` of every link that Blender marks as invalid."""
    id_of: dict[str, str] | None = None
    found = []
    for link in tree.links:
        if link.is_valid or link.is_muted:
            continue
        id_of = id_of or dict(zip((n.name for n in tree.nodes), identity.node_ids(tree), strict=True))
        found.append(
            [
                id_of[link.from_node.name],
                link.from_socket.identifier,
                id_of[link.to_node.name],
                link.to_socket.identifier,
                _reason(link),
            ]
        )
    return found


def _reason(link: Any) -> str:
    source, target = link.from_socket, link.to_socket
    for socket, side in ((source, "source"), (target, "target")):
        if not socket.enabled or socket.is_unavailable:
            return f"the {side} socket is not available in the node's present mode"
    if source.type != target.type:
        return f"{source.type} does not fit {target.type}, or a field meets a single value"
    return "a cycle, a field into a single value, a zone boundary or a menu conflict"


def _object(obj: Any, depsgraph: Any) -> dict[str, Any]:
    start = time.perf_counter()
    found = evaluate_object(obj, depsgraph)
    found["ms"] = round((time.perf_counter() - start) * 1000, 3)
    return {"name": obj.name, "modifiers": [_modifier(m) for m in obj.modifiers], "evaluated": found}


def _modifier(modifier: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"name": modifier.name, "type": modifier.type}
    if modifier.type == "NODES":
        group = modifier.node_group
        out["node_group"] = values.block_name(group) if group is not None else None
        warnings = getattr(modifier, "node_warnings", None)
        out["warnings"] = None if warnings is None else [{"type": w.type, "message": w.message} for w in warnings]
    else:
        out["warnings"] = None
    return out


def evaluate_object(obj: Any, depsgraph: Any) -> dict[str, Any]:
    """Counts per component and local bounds of the evaluated object; `object_hidden` when Blender has none."""
    evaluated = obj.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise HostError(
            "object_hidden",
            f'"{obj.name}" is hidden in the viewport or not in this view layer, so its result cannot be checked. '
            "Show it first.",
        )
    bounds = Bounds()
    if hasattr(evaluated, "evaluated_geometry"):
        out = _geometry(evaluated.evaluated_geometry(), bounds)
    else:
        out = evaluate_4_2.geometry(evaluated, depsgraph, bounds)
    out["bounds"] = bounds.to_json()
    out["finite"] = bounds.finite
    return out


def attribute(data: Any, name: str, field: str, width: int) -> np.ndarray:
    """An attribute as an (n, width) array; empty when there is none."""
    found = data.attributes.get(name)
    if found is None:
        return np.zeros((0, width))
    flat = np.empty(len(found.data) * width, dtype=np.float32)
    found.data.foreach_get(field, flat)
    return flat.reshape(-1, width).astype(np.float64)


def _geometry(geometry: Any, bounds: Bounds) -> dict[str, Any]:
    out: dict[str, Any] = {}
    out.update(_components(geometry, bounds))
    instances = geometry.instances_pointcloud()
    if instances is not None:
        count = len(instances.points)
        if count:
            out["instances"] = {"count": count}
            _add_instances(geometry, instances, bounds, 0, EXACT_POINTS)
    return out


def _components(geometry: Any, bounds: Bounds) -> dict[str, Any]:
    out: dict[str, Any] = {}
    mesh = geometry.mesh
    if mesh is not None and len(mesh.vertices):
        out["mesh"] = {"vertices": len(mesh.vertices), "edges": len(mesh.edges), "faces": len(mesh.polygons)}
        bounds.add(vertices(mesh))
    curves = geometry.curves
    if curves is not None and len(curves.curves):
        out["curves"] = {"curves": len(curves.curves), "points": len(curves.points)}
        bounds.add(attribute(curves, "position", "vector", 3))
    cloud = geometry.pointcloud
    if cloud is not None and len(cloud.points):
        out["pointcloud"] = {"points": len(cloud.points)}
        bounds.add(attribute(cloud, "position", "vector", 3))
    volume = geometry.volume
    if volume is not None and len(volume.grids):
        out["volume"] = {"grids": len(volume.grids)}
    pencil = getattr(geometry, "grease_pencil", None)
    if pencil is not None and len(pencil.layers):
        out["greasepencil"] = {"layers": len(pencil.layers)}
    return out


def vertices(mesh: Any) -> np.ndarray:
    flat = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(np.float64)


class _Points:
    """Collects the points of a referenced geometry like `Bounds` does, and keeps them."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.finite = True

    def add(self, points: np.ndarray) -> None:
        if len(points):
            good = np.isfinite(points).all(axis=1)
            self.finite &= bool(good.all())
            self.parts.append(points[good])

    def all(self) -> np.ndarray:
        return np.concatenate(self.parts) if self.parts else np.zeros((0, 3))


def _add_instances(geometry: Any, instances: Any, bounds: Any, depth: int, budget: int) -> None:
    """Adds the points of all instances, transformed. Row vectors: Blender stores the transforms column by column."""
    transforms = attribute(instances, "instance_transform", "value", 16).reshape(-1, 4, 4)
    if not np.isfinite(transforms).all():
        bounds.finite = False
        transforms = transforms[np.isfinite(transforms).all(axis=(1, 2))]
    index = instances.attributes.get(".reference_index")
    references = geometry.instance_references()
    chosen = np.zeros(len(transforms), dtype=np.int32)
    if index is not None and len(index.data) == len(transforms):
        index.data.foreach_get("value", chosen)
    for number, reference in enumerate(references):
        own = transforms[chosen == number]
        if not len(own):
            continue
        points = _reference_points(reference, depth, max(budget // max(len(references), 1), 1))
        if not points.finite:
            bounds.finite = False
        shape = points.all()
        if not len(shape):
            bounds.add(own[:, 3, :3])
            continue
        add_placed(shape, own, bounds, budget)


def add_placed(shape: np.ndarray, transforms: np.ndarray, bounds: Any, budget: int = EXACT_POINTS) -> None:
    """Adds the points of `shape` under each transform (row vectors), or its box's corners when that is beyond
    `budget`.
    """
    if len(shape) * len(transforms) > budget:
        box = Bounds()
        box.add(shape)
        shape = box.corners()
    for part in np.array_split(transforms, max(1, len(transforms) * len(shape) // 1_000_000)):
        placed = np.einsum("pj,njk->npk", shape, part[:, :3, :3]) + part[:, None, 3, :3]
        bounds.add(placed.reshape(-1, 3))


def _reference_points(reference: Any, depth: int, budget: int) -> _Points:
    """Points of what one reference shows: a geometry, an object, or a collection."""
    points = _Points()
    if depth >= MAX_NESTING:
        return points
    if isinstance(reference, bpy.types.Object):
        _add_object(reference, np.identity(4), points, depth, budget)
    elif isinstance(reference, bpy.types.Collection):
        offset = np.identity(4)
        offset[3, :3] = -np.array(reference.instance_offset)
        for obj in reference.all_objects:
            _add_object(obj, np.array(obj.matrix_world).T @ offset, points, depth, budget)
    elif reference is not None:  # an instance of nothing: the space in a text
        _components(reference, points)
        instances = reference.instances_pointcloud()
        if instances is not None and len(instances.points):
            _add_instances(reference, instances, points, depth + 1, budget)
    return points


def _add_object(obj: Any, matrix: np.ndarray, points: _Points, depth: int, budget: int) -> None:
    inner = _Points()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    geometry = (
        evaluated.evaluated_geometry() if obj.type not in {"EMPTY", "CAMERA", "LIGHT", "ARMATURE", "SPEAKER"} else None
    )
    if geometry is not None:
        _components(geometry, inner)
        instances = geometry.instances_pointcloud()
        if instances is not None and len(instances.points):
            _add_instances(geometry, instances, inner, depth + 1, budget)
    points.finite &= inner.finite
    shape = inner.all()
    if len(shape):
        points.add(shape @ matrix[:3, :3] + matrix[3, :3])
