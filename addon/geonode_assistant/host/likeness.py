# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object shows the same before and after a run: a print of its evaluated geometry, which depends neither on
the order of elements nor on elements that lie in one another.

What is compared is what can be seen or read: positions, connections, attributes and materials of meshes, curves, points
and instances. Never writes.
"""

from __future__ import annotations

import zlib
from typing import Any

import bpy
import numpy as np

from . import attributes
from .points import attribute

# Elements up to which geometry is read; the print of a larger one is unknown.
MOST = 50_000
MAX_NESTING = 8
# Lengths that differ by less than this part of the largest coordinate are equal.
_GRAIN = 1e-5
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

Rows = np.ndarray
"""One hash for each element, uint64."""


class _Unknown(Exception):
    """Something that has no print: too large, or of a kind that is not read."""


def of(evaluated: Any) -> int | None:
    """The print of what an evaluated object shows; None where it is unknown: volumes and strokes, attributes of rare
    kinds, very large geometry. In Blender 4.2, which shows no instances to Python, only that of a mesh.
    """
    if hasattr(evaluated, "evaluated_geometry"):
        geometry = evaluated.evaluated_geometry()
        return None if geometry is None else _known(geometry)
    mesh = evaluated.data
    try:
        return _mesh(mesh) if isinstance(mesh, bpy.types.Mesh) else None
    except _Unknown:
        return None


def _known(geometry: Any) -> int | None:
    try:
        return _geometry(geometry, 0)
    except _Unknown:
        return None


def _geometry(geometry: Any, depth: int) -> int:
    if depth > MAX_NESTING:
        raise _Unknown
    pencil = getattr(geometry, "grease_pencil", None)
    if geometry.volume is not None or (pencil is not None and len(pencil.layers)):
        raise _Unknown
    cloud = geometry.pointcloud
    parts = [
        0 if geometry.mesh is None else _mesh(geometry.mesh),
        0 if geometry.curves is None else _curves(geometry.curves),
        0 if cloud is None else _set(_points(cloud, "POINT", len(cloud.points))),
    ]
    instances = geometry.instances_pointcloud()
    if instances is not None and len(instances.points):
        parts.append(_instances(geometry, instances, depth))
    return hash(tuple(part for part in parts if part))


def _mesh(mesh: Any) -> int:
    if not len(mesh.vertices):
        return 0
    if max(len(mesh.vertices), len(mesh.polygons), len(mesh.edges)) > MOST:
        raise _Unknown
    points = _points(mesh, "POINT", len(mesh.vertices))
    ends = points[_numbers(mesh.edges, "vertices", 2)]
    corner_points = points[_numbers(mesh.loops, "vertex_index", 1)]
    edges = _mixed(ends.sum(axis=1, dtype=np.uint64), mesh, "EDGE")
    sizes = _numbers(mesh.polygons, "loop_total", 1)
    if sizes.sum() != len(corner_points):
        raise _Unknown  # in the middle of an edit by hand
    faces = _mixed(_sums(corner_points, _numbers(mesh.polygons, "loop_start", 1)), mesh, "FACE")
    corners = _mixed(_hashed(corner_points, np.repeat(faces, sizes)), mesh, "CORNER")
    # Nodes leave an empty slot where there was none.
    materials = zlib.crc32(repr([one.name for one in mesh.materials if one]).encode())
    return hash((_set(points), _set(edges), _set(faces), _set(corners), materials))


def _curves(curves: Any) -> int:
    if not len(curves.points):
        return 0
    points = _points(curves, "POINT", len(curves.points))
    firsts = _numbers(curves.curves, "first_point_index", 1)
    if not len(firsts) or firsts[0]:
        raise _Unknown
    # Along a curve the order counts.
    along = _hashed(points, np.arange(len(points), dtype=np.int64) - np.repeat(firsts, np.diff([*firsts, len(points)])))
    return hash((_set(points), _set(_mixed(_sums(along, firsts), curves, "CURVE"))))


def _instances(geometry: Any, instances: Any, depth: int) -> int:
    references = [_reference(one, depth) for one in geometry.instance_references()]
    count = len(instances.points)
    if count > MOST or len(references) > MOST:
        raise _Unknown
    shown = np.array([*references, 0], dtype=np.int64)
    index = instances.attributes.get(".reference_index")
    chosen = np.zeros(count, dtype=np.int32)
    if index is not None:
        index.data.foreach_get("value", chosen)
    placed = _hashed(np.zeros(count, dtype=np.uint64), shown[np.clip(chosen, -1, len(references))])
    matrices = attribute(instances, "instance_transform", "value", 16)
    return _set(_mixed(_lengths(placed, matrices), instances, "INSTANCE"))


def _reference(reference: Any, depth: int) -> int:
    if reference is None:
        return 0
    if isinstance(reference, bpy.types.ID):
        return zlib.crc32(f"{type(reference).__name__} {reference.name}".encode())
    return _geometry(reference, depth + 1)


def _points(data: Any, domain: str, count: int) -> Rows:
    if count > MOST:
        raise _Unknown
    return _mixed(_lengths(np.zeros(count, dtype=np.uint64), attribute(data, "position", "vector", 3)), data, domain)


def _mixed(rows: Rows, data: Any, domain: str) -> Rows:
    """The rows with the values of all attributes of a domain; those that Blender keeps for itself are left out."""
    own = [one for one in data.attributes if one.domain == domain and not one.name.startswith(".")]
    for one in sorted(own, key=lambda one: one.name):
        if one.name in ("position", "instance_transform"):
            continue
        if one.data_type not in attributes.VALUES:
            raise _Unknown
        field, width, kind = attributes.VALUES[one.data_type]
        if len(one.data) != len(rows):
            raise _Unknown
        flat = np.empty(len(rows) * width, dtype=kind)
        one.data.foreach_get(field, flat)
        rows = _hashed(rows, np.full(len(rows), zlib.crc32(f"{one.name} {one.data_type}".encode()), dtype=np.int64))
        values = flat.reshape(-1, width)
        if kind is np.float32:
            rows = _lengths(rows, values)
        else:
            for column in values.T:
                rows = _hashed(rows, column.astype(np.int64))
    return rows


def _lengths(rows: Rows, values: np.ndarray) -> Rows:
    if len(values) != len(rows):
        raise _Unknown  # in Edit Mode there are points whose places are kept elsewhere
    finite = np.nan_to_num(values.astype(np.float64), nan=3e38, posinf=3e38, neginf=-3e38)
    # A power of two, so that equal values are equal whatever lies beside them, nearly always; it counts, for size does.
    power = np.ceil(np.log2(max(float(np.abs(finite).max(initial=0.0)), 1e-30)))
    grain = 2.0**power * _GRAIN
    for column in np.rint(finite / grain).astype(np.int64).T:
        rows = _hashed(rows, column + np.int64(power) * 1_000_003)
    return rows


def _hashed(rows: Rows, column: np.ndarray) -> Rows:
    mixed: Rows = (rows ^ column.astype(np.uint64)) * _PRIME
    mixed ^= mixed >> _SHIFT
    return mixed * _PRIME


def _sums(rows: Rows, firsts: np.ndarray) -> Rows:
    if not len(firsts):
        return np.zeros(0, dtype=np.uint64)
    found: Rows = np.add.reduceat(rows, firsts)
    return found


def _set(rows: Rows) -> int:
    """One number for the set of rows."""
    one = np.unique(rows)
    return hash((len(one), int(one.sum(dtype=np.uint64))))


def _numbers(elements: Any, field: str, width: int) -> np.ndarray:
    flat = np.empty(len(elements) * width, dtype=np.int32)
    elements.foreach_get(field, flat)
    return flat.reshape(-1, width) if width > 1 else flat
