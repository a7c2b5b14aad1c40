# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures evaluated geometry: what an object shows, instances included, in its own space. Plain bpy and numpy.

``measure(object)`` gives the measures that README.md lists; tasks compare them with what they expect.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

MOST_PARTS = 30_000
"""Parts beyond this number are counted, not looked at one by one."""
MOST_POINTS = 500_000
"""Points that are looked at together."""
MOST_RINGS = 20
OWN_COMPONENT = 2**31 - 1
"""The instance number that Blender gives to a component of the object itself."""


@dataclass
class Shape:
    """One block of evaluated data in its own space."""

    points: np.ndarray
    """n x 3 positions of vertices, control points or points."""
    edges: np.ndarray
    """m x 2 indices of points; empty for what is not a mesh."""
    faces: int = 0
    labels: np.ndarray | None = None
    """For each point the number of its loose part."""
    solid: np.ndarray | None = None
    """The numbers of the loose parts that have faces."""
    normals: np.ndarray | None = None
    areas: np.ndarray | None = None
    corners: tuple[np.ndarray, np.ndarray] | None = None
    """Of all triangles: indices of their points, k x 3, and the face that each belongs to."""
    materials: list[str] | None = None
    """The material's name of each face."""
    smooth: int = 0
    open_edges: int = 0
    loose_edges: int = 0
    curves: int = 0
    cloud: bool = False
    volume: bool = False


@dataclass
class Leaf:
    """A shape in its place."""

    shape: Shape
    matrix: np.ndarray
    """4 x 4, acts on columns; into the space of the measured object."""
    instance: bool
    component: bool = False
    """Whether it is a component of the object's own geometry, shown beside the object."""


@dataclass
class Group:
    """A shape in all of its places."""

    shape: Shape
    matrices: np.ndarray
    """k x 4 x 4."""

    def placed(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Places and points in them, k x n x 3, in portions that fit into memory."""
        step = max(1, MOST_POINTS // max(len(self.shape.points), len(self.shape.edges), 1))
        for start in range(0, len(self.matrices), step):
            some = self.matrices[start : start + step]
            yield some, np.einsum("kij,nj->kni", some[:, :3, :3], self.shape.points) + some[:, None, :3, 3]


def components(count: int, pairs: np.ndarray) -> np.ndarray:
    """The number of the connected part of each of ``count`` points that the pairs join."""
    label = np.arange(count)
    if len(pairs):
        while True:
            low = np.minimum(label[pairs[:, 0]], label[pairs[:, 1]])
            new = label.copy()
            np.minimum.at(new, pairs[:, 0], low)
            np.minimum.at(new, pairs[:, 1], low)
            new = new[new]
            if np.array_equal(new, label):
                break
            label = new
    return np.unique(label, return_inverse=True)[1].reshape(-1)


def _got(rows: Any, field: str, width: int, kind: Any = np.float32) -> np.ndarray:
    out = np.empty(len(rows) * width, dtype=kind)
    rows.foreach_get(field, out)
    return out.reshape(-1, width) if width > 1 else out


def _mesh(mesh: Any, slots: list[str]) -> Shape:
    points = _got(mesh.vertices, "co", 3).astype(float)
    edges = _got(mesh.edges, "vertices", 2, np.int32)
    shape = Shape(points, edges, len(mesh.polygons), components(len(points), edges))
    used = np.bincount(_got(mesh.loops, "edge_index", 1, np.int32), minlength=len(edges))
    shape.open_edges = int(((used > 0) & (used != 2)).sum())
    shape.loose_edges = int((used == 0).sum())
    mesh.calc_loop_triangles()
    shape.corners = (
        _got(mesh.loop_triangles, "vertices", 3, np.int32),
        _got(mesh.loop_triangles, "polygon_index", 1, np.int32),
    )
    shape.solid = np.unique(shape.labels[shape.corners[0].ravel()])
    shape.smooth = int(_got(mesh.polygons, "use_smooth", 1, bool).sum())
    names = [material.name if material else "" for material in mesh.materials] or slots
    chosen = _got(mesh.polygons, "material_index", 1, np.int32)
    shape.materials = [names[min(index, len(names) - 1)] if names else "" for index in chosen]
    return shape


def _curves(data: Any) -> Shape:
    empty = np.zeros((0, 2), dtype=int)
    points = _got(data.attributes["position"].data, "vector", 3).astype(float) if len(data.points) else empty
    sizes = [len(curve.points) for curve in data.curves]
    return Shape(points.reshape(-1, 3), empty, labels=np.repeat(np.arange(len(sizes)), sizes), curves=len(sizes))


def _curves_beside(evaluated: Any) -> Shape | None:
    """The curves that nodes make beside a mesh. The temporary curve that Blender shows of them cannot be read."""
    if not hasattr(evaluated, "evaluated_geometry"):  # before 4.5
        return None
    geometry = evaluated.evaluated_geometry()
    return _curves(geometry.curves) if geometry.curves is not None else None


def _shape(obj: Any) -> Shape | None:
    data = obj.data
    slots = [slot.material.name if slot.material else "" for slot in obj.material_slots]
    if isinstance(data, bpy.types.Mesh):
        return _mesh(data, slots)
    empty = np.zeros((0, 2), dtype=int)
    if isinstance(data, bpy.types.Curves):
        return _curves(data)
    if isinstance(data, bpy.types.PointCloud):
        points = _got(data.attributes["position"].data, "vector", 3).astype(float) if len(data.points) else empty
        return Shape(points.reshape(-1, 3), empty, labels=np.arange(len(data.points)), cloud=True)
    if isinstance(data, bpy.types.Volume):
        return Shape(np.zeros((0, 3)), empty, volume=True)
    if isinstance(data, bpy.types.Curve):
        mesh = obj.to_mesh()
        if mesh is not None:
            try:
                return _mesh(mesh, slots)
            finally:
                obj.to_mesh_clear()
    return None


def leaves(obj: Any, depsgraph: Any) -> list[Leaf]:
    """Everything that the object shows, nested instances flattened."""
    found = list(_leaves(obj, depsgraph))
    # Of what nodes make of a curve or a text Blender shows the components beside the object itself.
    made = any(leaf.component for leaf in found)
    return [leaf for leaf in found if leaf.instance or leaf.component or not (made and obj.type in {"CURVE", "FONT"})]


def _leaves(obj: Any, depsgraph: Any) -> Iterator[Leaf]:
    evaluated = obj.evaluated_get(depsgraph)
    inverse = np.linalg.inv(np.array(evaluated.matrix_world))
    shapes: dict[Any, Shape | None] = {}
    for shown in depsgraph.object_instances:
        owner = shown.parent if shown.is_instance else shown.object
        if owner is None or owner.original != obj:
            continue
        component = shown.is_instance and shown.object.original == obj and shown.persistent_id[1] == OWN_COMPONENT
        own = component or not shown.is_instance
        # A curve's temporary mesh has no address of its own.
        data = shown.object.data
        key = (type(data).__name__, data.as_pointer() if data is not None else 0, own)
        if key not in shapes:
            beside = component and obj.type == "MESH" and isinstance(data, bpy.types.Curve)
            shapes[key] = _curves_beside(evaluated) if beside else _shape(shown.object)
        shape = shapes[key]
        if shape is not None and (len(shape.points) or shape.volume):
            yield Leaf(shape, inverse @ np.array(shown.matrix_world), not own, component)


def measure(obj: Any) -> dict[str, Any]:
    """All measures of the object at the present frame; lengths in metres, angles in degrees. See README.md."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    found = leaves(obj, depsgraph)
    out: dict[str, Any] = {
        "instances": sum(leaf.instance for leaf in found),
        "vertices": sum(len(leaf.shape.points) for leaf in found if _is_mesh(leaf.shape)),
        "edges": sum(len(leaf.shape.edges) for leaf in found),
        "faces": sum(leaf.shape.faces for leaf in found),
        "own_vertices": sum(len(leaf.shape.points) for leaf in found if not leaf.instance and _is_mesh(leaf.shape)),
        "own_faces": sum(leaf.shape.faces for leaf in found if not leaf.instance),
        "curves": sum(leaf.shape.curves for leaf in found),
        "curve_points": sum(len(leaf.shape.points) for leaf in found if leaf.shape.curves),
        "points": sum(len(leaf.shape.points) for leaf in found if leaf.shape.cloud),
        "volumes": sum(leaf.shape.volume for leaf in found),
        "open_edges": sum(leaf.shape.open_edges for leaf in found),
        "loose_edges": sum(leaf.shape.loose_edges for leaf in found),
    }
    surfaces = any(leaf.shape.faces for leaf in found)
    out["parts"] = sum(len(_chosen_parts(leaf.shape, surfaces)) for leaf in found)
    groups = _groups(found)
    everything = [points.reshape(-1, 3) for group in groups for _, points in group.placed()]
    everything = np.concatenate(everything) if everything else np.zeros((0, 3))
    out["finite"] = bool(np.isfinite(everything).all())
    out["digest"] = _digest(everything, out)
    out["attributes"] = _attributes(obj, depsgraph)
    out["warnings"] = [
        warning.message
        for modifier in obj.modifiers
        for warning in getattr(modifier, "node_warnings", ())
        if warning.type in ("ERROR", "WARNING")
    ]
    if not len(everything) or not out["finite"]:
        return out
    low, high = everything.min(axis=0), everything.max(axis=0)
    for name, values in (("low", low), ("high", high), ("size", high - low)):
        out[name] = {axis: float(value) for axis, value in zip("xyz", values, strict=True)}
    out["levels"] = {axis: len(np.unique(np.round(everything[:, number], 3))) for number, axis in enumerate("xyz")}
    out["symmetric"] = {axis: _symmetric(everything, number, low, high) for number, axis in enumerate("xyz")}
    ring = np.minimum(np.hypot(everything[:, 0], everything[:, 1]), MOST_RINGS).astype(int)
    out["rings"] = {str(number): _range(everything[ring == number, 2]) for number in np.unique(ring)}
    _surface(groups, out)
    _parts(groups, out)
    _instances(found, out)
    return out


def _groups(found: list[Leaf]) -> list[Group]:
    by_shape: dict[int, list[Leaf]] = {}
    for leaf in found:
        by_shape.setdefault(id(leaf.shape), []).append(leaf)
    return [Group(some[0].shape, np.array([leaf.matrix for leaf in some])) for some in by_shape.values()]


def _chosen_parts(shape: Shape, surfaces: bool) -> np.ndarray:
    """The numbers of the loose parts that count: beside surfaces, wires and curves are no parts."""
    if surfaces:
        return shape.solid if shape.solid is not None else np.zeros(0, dtype=int)
    return np.arange(int(shape.labels.max()) + 1 if len(shape.points) else 0)


def _is_mesh(shape: Shape) -> bool:
    return not (shape.curves or shape.cloud or shape.volume)


def _digest(points: np.ndarray, counts: dict[str, Any]) -> str:
    """Equal for equal results whatever the order of their points."""
    import hashlib

    rows = np.round(np.nan_to_num(points), 4) + 0.0
    rows = rows[np.lexsort(rows.T)] if len(rows) else rows
    text = ",".join(f"{name}={value}" for name, value in sorted(counts.items()))
    return hashlib.sha256(rows.tobytes() + text.encode()).hexdigest()[:16]


def _symmetric(points: np.ndarray, axis: int, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether mirroring in the middle of the own space, the plane at 0, gives the same points."""
    mirrored = points.copy()
    mirrored[:, axis] *= -1
    step = max(float((high - low).max()) * 1e-3, 1e-4)
    # Two grids, half a cell apart, so that no point lies on the border of a cell in both.
    for shift in (0.25, 0.75):
        one, other = (np.unique(_cells(rows, step, shift)) for rows in (points, mirrored))
        if np.array_equal(one, other):
            return True
    return False


def _cells(points: np.ndarray, step: float, shift: float) -> np.ndarray:
    """One number for the cell of each point."""
    cells = np.floor(points / step + shift).astype(np.int64)
    return (cells * np.array([1, 2_000_003, 4_000_037_000_077])).sum(axis=1)


def _surface(groups: list[Group], out: dict[str, Any]) -> None:
    area = volume = up = 0.0
    moment = np.zeros(3)
    by_material: dict[str, float] = {}
    smooth = faces = 0
    longest, shortest = 0.0, math.inf
    for group in groups:
        shape = group.shape
        names = np.array(shape.materials or [""] * shape.faces)
        for matrices, points in group.placed():
            if len(shape.edges):
                lengths = np.linalg.norm(points[:, shape.edges[:, 0]] - points[:, shape.edges[:, 1]], axis=2)
                longest, shortest = max(longest, float(lengths.max())), min(shortest, float(lengths.min()))
            if shape.corners is None or not shape.faces:
                continue
            corners, face = shape.corners
            a, b, c = (points[:, corners[:, number]] for number in range(3))
            cross = np.cross(b - a, c - a)
            size = np.linalg.norm(cross, axis=2) / 2
            flipped = np.where(np.linalg.det(matrices[:, :3, :3]) < 0, -1.0, 1.0)[:, None]
            area += float(size.sum())
            solid = np.einsum("kti,kti->kt", a, np.cross(b, c)) / 6 * flipped
            volume += float(solid.sum())
            moment += np.einsum("kt,kti->i", solid, (a + b + c) / 4)
            up += float(size[cross[:, :, 2] * flipped > 2 * size * math.cos(math.radians(45))].sum())
            smooth += shape.smooth * len(matrices)
            faces += shape.faces * len(matrices)
            per_face = np.bincount(face, weights=size.sum(axis=0), minlength=shape.faces)
            for name in np.unique(names):
                by_material[str(name)] = by_material.get(str(name), 0.0) + float(per_face[names == name].sum())
    out["area"], out["volume"] = area, volume
    if volume > 1e-6:
        out["mass"] = {axis: float(value) for axis, value in zip("xyz", moment / volume, strict=True)}
    out["up_share"] = up / area if area else 0.0
    out["smooth_share"] = smooth / faces if faces else 0.0
    out["materials"] = {name: share / area if area else 0.0 for name, share in by_material.items()}
    if longest:
        out["edge_length"] = {"min": shortest, "max": longest}


def _range(values: np.ndarray) -> dict[str, float]:
    return {
        "min": float(values.min()),
        "max": float(values.max()),
        "mean": float(values.mean()),
        "distinct": len(np.unique(np.round(values, 3))),
    }


def _parts(groups: list[Group], out: dict[str, Any]) -> None:
    """Loose parts, realized or not, by the boxes around them."""
    if out["parts"] > MOST_PARTS:
        return
    lows, highs = [], []
    surfaces = any(group.shape.faces for group in groups)
    for group in groups:
        chosen = _chosen_parts(group.shape, surfaces)
        if not len(chosen):
            continue
        order = np.argsort(group.shape.labels, kind="stable")
        starts = np.searchsorted(group.shape.labels[order], chosen)
        ends = np.searchsorted(group.shape.labels[order], chosen, side="right")
        for _, points in group.placed():
            rows = points[:, order]
            # Pairs of beginnings and ends: what lies between two parts is left out.
            cuts = np.column_stack([starts, ends]).ravel()
            for found, reduce, last in ((lows, np.minimum, np.inf), (highs, np.maximum, -np.inf)):
                more = np.concatenate([rows, np.full((len(rows), 1, 3), last)], axis=1)
                found.append(reduce.reduceat(more, cuts, axis=1)[:, ::2].reshape(-1, 3))
    low, high = np.concatenate(lows), np.concatenate(highs)
    centres, sizes = (low + high) / 2, high - low
    out["part_size"] = _range(sizes.max(axis=1))
    for number, axis in enumerate("xyz"):
        out[f"part_size_{axis}"] = _range(sizes[:, number])
        out[f"part_{axis}"] = _range(centres[:, number])
        out[f"part_low_{axis}"] = _range(low[:, number])
    out["part_radius"] = _range(np.hypot(centres[:, 0], centres[:, 1]))
    if 1 < len(centres) <= 4000:
        nearest = np.empty(len(centres))
        for start in range(0, len(centres), 500):
            far = np.linalg.norm(centres[start : start + 500, None] - centres[None], axis=2)
            far[np.arange(len(far)), np.arange(start, start + len(far))] = np.inf
            nearest[start : start + 500] = far.min(axis=1)
        out["part_gap"] = _range(nearest)


def _instances(found: list[Leaf], out: dict[str, Any]) -> None:
    """Scale, tilt from the Z axis and turn around it, of the instances."""
    matrices = np.array([leaf.matrix for leaf in found if leaf.instance])
    if not len(matrices):
        return
    axes = matrices[:, :3, :3]
    scales = np.linalg.norm(axes, axis=1)
    out["scale"] = _range(scales.max(axis=1))
    safe = axes / np.maximum(scales, 1e-9)[:, None, :]
    out["tilt"] = _range(np.degrees(np.arccos(np.clip(safe[:, 2, 2], -1, 1))))
    out["turn"] = _range(np.degrees(np.arctan2(safe[:, 1, 0], safe[:, 0, 0])))
    out["kinds"] = len({id(leaf.shape) for leaf in found if leaf.instance})
    # Where the instances' own X and Z axes point, seen from the object's origin: 1 is straight outwards.
    places = matrices[:, :3, 3]
    flat = places * (1, 1, 0)
    for name, axis, rays in (("outward", 0, flat), ("outward_y", 1, flat), ("outward_z", 2, places)):
        lengths = np.linalg.norm(rays, axis=1)
        if (lengths > 1e-6).all():
            out[name] = _range(np.einsum("ij,ij->i", safe[:, :, axis], rays / lengths[:, None]))


WIDTHS = {
    "FLOAT": ("value", 1),
    "INT": ("value", 1),
    "INT8": ("value", 1),
    "BOOLEAN": ("value", 1),
    "FLOAT_VECTOR": ("vector", 3),
    "FLOAT2": ("vector", 2),
    "FLOAT_COLOR": ("color", 4),
    "BYTE_COLOR": ("color", 4),
}


def _attributes(obj: Any, depsgraph: Any) -> dict[str, Any]:
    """The attributes of everything that the object shows, by name; of several with one name the first."""
    out: dict[str, Any] = {}
    evaluated = obj.evaluated_get(depsgraph)
    blocks = [evaluated.data]
    if hasattr(evaluated, "evaluated_geometry"):
        geometry = evaluated.evaluated_geometry()
        blocks = [geometry.mesh, geometry.curves, geometry.pointcloud, geometry.instances_pointcloud()]
    for block in blocks:
        for attribute in getattr(block, "attributes", ()):
            if attribute.name.startswith(".") or attribute.name in out or attribute.data_type not in WIDTHS:
                continue
            field, width = WIDTHS[attribute.data_type]
            entry: dict[str, Any] = {"domain": attribute.domain, "type": attribute.data_type}
            if len(attribute.data):
                kind = bool if attribute.data_type == "BOOLEAN" else np.float32
                if attribute.data_type in ("INT", "INT8"):
                    kind = np.int32
                values = _got(attribute.data, field, width, kind).astype(float).reshape(-1, width)
                entry |= {"min": float(values.min()), "max": float(values.max())}
                entry["distinct"] = len(np.unique(np.round(values, 3), axis=0))
                entry["mean"] = float(values.mean())
            out[attribute.name] = entry
    return out
