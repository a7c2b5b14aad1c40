# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures results: the evaluated geometry of objects with instances, node warnings, invalid links ("Evidence")."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, cast

import bpy
import numpy as np

from . import attributes, context, evaluate_4_2, export, identity, modifiers, values
from .documents import Evaluated, EvaluatedObject, Evidence, Modifier, Names, ResultBefore
from .errors import HostError
from .points import EXACT_POINTS, Bounds, Points, add_placed, attribute, vertices

MAX_NESTING = 8
# Each instance reference beyond this number counts as one element.
MAX_REFERENCES = 10_000
# Meshes up to this size are compared with their state before the modifier.
COMPARED_VERTICES = 200_000


class Before:
    """What is known of the file before a run, so that the gates do not blame it for what was wrong already."""

    def __init__(self) -> None:
        self.names = lists()
        self.results: dict[str, ResultBefore] = {}
        self.invalid_links: dict[str, list[list[str]]] = {}

    def note_links(self, trees: Iterable[Any]) -> None:
        """Records the invalid links of trees that nothing was written to."""
        for tree in trees:
            if found := invalid_links(tree):
                self.invalid_links[values.block_name(tree)] = found

    def note_result(self, obj: Any) -> None:
        """Records what an object shows; nothing if Blender has not evaluated it."""
        if obj.name not in self.results and (found := _result_before(obj)) is not None:
            self.results[obj.name] = found


def _result_before(obj: Any) -> ResultBefore | None:
    if bpy.context.view_layer is None or obj.mode == "EDIT":
        return None
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        return None
    errors = {m.name: _messages(m, "ERROR") for m in obj.modifiers}
    errors = {name: found for name, found in errors.items() if found}
    data = evaluated.data
    if isinstance(data, bpy.types.Mesh) and len(data.vertices) > COMPARED_VERTICES:
        return {"empty": False, "finite": True, "errors": errors}
    found = evaluate_object(obj, depsgraph)
    instances = found.get("instances", {})
    alone = not found.keys() - {"instances", "bounds", "finite"}
    empty = alone and instances.get("empty", 0) == instances.get("count", 0)
    return {"empty": empty, "finite": found["finite"], "errors": errors}


def _messages(modifier: Any, kind: str) -> list[str]:
    return [found.message for found in getattr(modifier, "node_warnings", ()) if found.type == kind]


def evidence(objects: Iterable[str], trees: Iterable[str], before: Before | None) -> Evidence:
    """Evaluates the objects and collects what the gates check. `before` is what was noted at the start."""
    objects = list(dict.fromkeys(objects))
    present = [name for name in dict.fromkeys(trees) if bpy.data.node_groups.get(name) is not None]
    # As the run left them: what evaluation calls may edit them as well.
    bundle = export.export_trees(present)["trees"]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    named: set[str] | None = set() if attributes.are_read_by(bundle) else None
    return {
        "objects": [
            _object(bpy.data.objects[name], depsgraph, named)
            for name in objects
            if bpy.data.objects.get(name) is not None
        ],
        "trees": bundle,
        "invalid_links": {
            name: found for name in bundle if (found := invalid_links(values.resolve("node_group", name)))
        },
        "before": {"modifiers": {}, "node_groups": []} if before is None else before.names,
        "results_before": {} if before is None else before.results,
        "invalid_before": cast(Any, {} if before is None else before.invalid_links),
        "after": lists(),
        "attributes": None if named is None else attributes.all_names(named),
    }


def lists() -> Names:
    """Names of the modifiers of every object that has any, and of all node groups."""
    return {
        "modifiers": {
            o.name: [m.name for m in o.modifiers]
            for o in sorted(bpy.data.objects, key=lambda o: o.name)
            if len(o.modifiers)
        },
        "node_groups": context.names("node_group"),
    }


def invalid_links(tree: Any) -> list[list[str]]:
    """`[from ID, socket, to ID, socket, reason]` for every link that Blender marks as invalid."""
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
            return f"the {side} socket is not available in the node's current mode"
    if source.type != target.type:
        return f"{source.type} cannot be converted to {target.type}, or a field is linked to a single-value input"
    return "a cycle, a field linked to a single-value input, a link across a zone boundary, or a menu conflict"


def _object(obj: Any, depsgraph: Any, named: set[str] | None) -> EvaluatedObject:
    start = time.perf_counter()
    found = evaluate_object(obj, depsgraph)
    found["ms"] = round((time.perf_counter() - start) * 1000, 3)
    if named is not None:
        named.update(_evaluated_names(obj.evaluated_get(depsgraph)))
    return {
        "name": obj.name,
        "type": obj.type,
        "modifiers": [_modifier(m) for m in obj.modifiers],
        "evaluated": cast("Evaluated", found),
        "unchanged": unchanged(obj, depsgraph, found),
    }


def unchanged(obj: Any, depsgraph: Any, found: Mapping[str, Any]) -> bool:
    """Whether the only modifier of a mesh leaves the mesh unchanged; false if unknown."""
    if obj.type != "MESH" or set(found) & {"curves", "pointcloud", "volume", "greasepencil", "instances"}:
        return False
    shown = [m for m in obj.modifiers if m.show_viewport]
    count = len(obj.data.vertices)
    if [m.type for m in shown] != ["NODES"] or not 0 < count <= COMPARED_VERTICES:
        return False
    mesh = obj.evaluated_get(depsgraph).data
    if not isinstance(mesh, bpy.types.Mesh) or len(mesh.vertices) != count:
        return False
    return _materials(mesh) == _materials(obj.data) and _same(mesh, obj.data)


def _same(a: Any, b: Any) -> bool:
    """Whether two meshes have the same elements and attributes; false if they have an unknown kind of attribute.

    Blender's own comparison is not used: 4.2 crashes in it when the attributes differ.
    """
    for elements, field, width in _TOPOLOGY:
        one, other = getattr(a, elements), getattr(b, elements)
        if len(one) != len(other) or not _equal(one, other, field, width, np.int32):
            return False
    kinds = [sorted((x.name, x.domain, x.data_type) for x in mesh.attributes) for mesh in (a, b)]
    if kinds[0] != kinds[1] or any(kind not in attributes.VALUES for _, _, kind in kinds[0]):
        return False
    return all(
        _equal(a.attributes[name].data, b.attributes[name].data, *attributes.VALUES[kind]) for name, _, kind in kinds[0]
    )


# The elements of a mesh and the data that defines them: field, values per element.
_TOPOLOGY = (("edges", "vertices", 2), ("polygons", "loop_start", 1), ("loops", "vertex_index", 1))


def _equal(a: Any, b: Any, field: str, width: int, kind: Any) -> bool:
    if len(a) != len(b):
        return False
    one, other = (np.empty(len(a) * width, dtype=kind) for _ in range(2))
    a.foreach_get(field, one)
    b.foreach_get(field, other)
    return np.array_equal(one, other)


def _materials(mesh: Any) -> list[str | None]:
    return [None if material is None else material.name for material in mesh.materials]


def _evaluated_names(evaluated: Any) -> set[str]:
    """Names of the attributes of the evaluated geometry and of the geometry that its instances show."""
    if not hasattr(evaluated, "evaluated_geometry"):
        return set(attributes.of(evaluated.data))
    geometry = evaluated.evaluated_geometry()
    parts = [geometry, *(r for r in geometry.instance_references() if isinstance(r, bpy.types.GeometrySet))]
    found: set[str] = set()
    for part in parts:
        for data in (part.mesh, part.curves, part.pointcloud, part.instances_pointcloud()):
            found.update(attributes.of(data))
        found.update(attributes.of(getattr(part, "grease_pencil", None)))
    return found


def _modifier(modifier: Any) -> Modifier:
    out: Modifier = {"name": modifier.name, "type": modifier.type}
    if modifier.type == "NODES":
        group = modifier.node_group
        out["node_group"] = values.block_name(group) if group is not None else None
        out["inputs"] = modifiers.read_inputs(modifier)
        warnings = getattr(modifier, "node_warnings", None)
        out["warnings"] = None if warnings is None else [{"type": w.type, "message": w.message} for w in warnings]
    else:
        out["warnings"] = None
    return out


def evaluate_object(obj: Any, depsgraph: Any) -> dict[str, Any]:
    """Counts per component and local bounds of the evaluated object. Raises `object_hidden` if it is not evaluated."""
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


def _geometry(geometry: Any, bounds: Bounds) -> dict[str, Any]:
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
            _add_instances(geometry, instances, bounds, 0, EXACT_POINTS)
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
            bounds.add(attribute(curves, "position", "vector", 3))
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


def _add_instances(geometry: Any, instances: Any, bounds: Any, depth: int, budget: int) -> None:
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
        points = _reference_points(reference, depth, max(budget // max(len(references), 1), 1))
        if not points.finite:
            bounds.finite = False
        shape = points.all()
        if not len(shape):
            bounds.add(own[:, 3, :3])
            continue
        add_placed(shape, own, bounds, budget)


def _reference_points(reference: Any, depth: int, budget: int) -> Points:
    """Points of what one reference shows: a geometry, an object, or a collection."""
    points = Points()
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


def _add_object(obj: Any, matrix: np.ndarray, points: Points, depth: int, budget: int) -> None:
    inner = Points()
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
