# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of evaluated geometry as arrays: reading them from Blender, transforming them, and their bounding box."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import values

# Beyond this many points, only the corners of each instance's box are transformed, so bounds may be too large.
EXACT_POINTS = 4_000_000
_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)


class Bounds:
    """The bounding box of the points added so far, and whether all of them were finite."""

    def __init__(self) -> None:
        self.low = np.full(3, np.inf)
        self.high = np.full(3, -np.inf)
        self.finite = True

    def add(self, points: np.ndarray) -> None:
        """Adds points, an (n, 3) array."""
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
        """Whether no point was added."""
        return bool(np.isinf(self.low).any())

    def corners(self) -> np.ndarray:
        """The eight corners of the box."""
        return self.low + _CORNERS * (self.high - self.low)

    def to_json(self) -> list[list[float]] | None:
        """`[[min x, y, z], [max x, y, z]]`, or None if empty."""
        if self.empty:
            return None
        return [[values.shortest_float(float(np.float32(v))) for v in side] for side in (self.low, self.high)]


def attribute(data: Any, name: str, field: str, width: int) -> np.ndarray:
    """An attribute as an (n, width) array; empty if it does not exist."""
    found = data.attributes.get(name)
    if found is None:
        return np.zeros((0, width))
    flat = np.empty(len(found.data) * width, dtype=np.float32)
    found.data.foreach_get(field, flat)
    return flat.reshape(-1, width).astype(np.float64)


def vertices(mesh: Any) -> np.ndarray:
    """The positions of a mesh's vertices, an (n, 3) array."""
    flat = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(np.float64)


# Numbers of the attribute `curve_type`, in Blender's order.
_CATMULL_ROM, _POLY, _BEZIER, _NURBS = range(4)
# Points of an evaluated segment where the curve does not say, and the most points that are computed.
_RESOLUTION = 12
_MAX_SAMPLES = 2_000_000


def curve_points(curves: Any) -> np.ndarray:
    """The points through which curves are drawn, an (n, 3) array: Bézier and Catmull-Rom curves as they bend, others by
    their control points, between which a NURBS curve stays.
    """
    control = attribute(curves, "position", "vector", 3)
    count = len(curves.curves)
    if not len(control):
        return control
    offsets = np.empty(count + 1, dtype=np.int32)
    curves.curve_offset_data.foreach_get("value", offsets)
    kinds = _per_curve(curves, "curve_type", _CATMULL_ROM)
    bent = (kinds == _BEZIER) | (kinds == _CATMULL_ROM)
    if not bent.any():
        return control
    lengths = np.diff(offsets)
    owner = np.repeat(np.arange(count), lengths)
    first, last = offsets[:-1][owner], offsets[1:][owner] - 1
    cyclic = _per_curve(curves, "cyclic", 0).astype(bool)[owner]
    at = np.arange(len(control))
    after, before = at + 1, at - 1
    after = np.where(at == last, np.where(cyclic, first, last), after)
    before = np.where(at == first, np.where(cyclic, last, first), before)
    begins = np.flatnonzero(bent[owner] & (after != at))
    steps = np.maximum(_per_curve(curves, "resolution", _RESOLUTION), 1)[owner][begins]
    steps = np.minimum(steps, max(_MAX_SAMPLES // max(len(begins), 1), 1))
    handles = [attribute(curves, name, "vector", 3) for name in ("handle_right", "handle_left")]
    is_bezier = (kinds == _BEZIER)[owner][begins] & bool(len(handles[0]) and len(handles[1]))
    found = [control]
    for step in np.unique(steps):
        for chosen, bezier in ((is_bezier, True), (~is_bezier & (kinds == _CATMULL_ROM)[owner][begins], False)):
            a = begins[chosen & (steps == step)]
            b = after[a]
            t = (np.arange(1, step) / step)[:, None, None]
            if bezier:
                corners, weights = (control[a], handles[0][a], handles[1][b], control[b]), _bezier(t)
            else:
                corners, weights = (control[before[a]], control[a], control[b], control[after[b]]), _catmull_rom(t)
            found.append(sum(w * c for w, c in zip(weights, corners, strict=True)).reshape(-1, 3))
    return np.concatenate(found)


def _bezier(t: np.ndarray) -> tuple[np.ndarray, ...]:
    s = 1 - t
    return s**3, 3 * s * s * t, 3 * s * t * t, t**3


def _catmull_rom(t: np.ndarray) -> tuple[np.ndarray, ...]:
    return (
        0.5 * (-(t**3) + 2 * t * t - t),
        0.5 * (3 * t**3 - 5 * t * t + 2),
        0.5 * (-3 * t**3 + 4 * t * t + t),
        0.5 * (t**3 - t * t),
    )


def _per_curve(curves: Any, name: str, otherwise: int) -> np.ndarray:
    """An attribute of each curve as whole numbers."""
    found = np.full(len(curves.curves), otherwise, dtype=np.int32)
    data = curves.attributes.get(name)
    if data is not None and len(data.data) == len(found):
        values = np.empty(len(found), dtype=bool if data.data_type == "BOOLEAN" else np.int32)
        data.data.foreach_get("value", values)
        found[:] = values
    return found


class Points:
    """Collects the points of a referenced geometry; has the interface of `Bounds` but keeps the points."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.finite = True

    def add(self, points: np.ndarray) -> None:
        """Adds points, an (n, 3) array."""
        if len(points):
            good = np.isfinite(points).all(axis=1)
            self.finite &= bool(good.all())
            self.parts.append(points[good])

    def all(self) -> np.ndarray:
        """All finite points."""
        return np.concatenate(self.parts) if self.parts else np.zeros((0, 3))


def add_placed(shape: np.ndarray, transforms: np.ndarray, bounds: Any, budget: int = EXACT_POINTS) -> None:
    """Adds the points of `shape` under each transform (row vectors), or only the corners of its box if the number of
    points exceeds `budget`.
    """
    if len(shape) * len(transforms) > budget:
        box = Bounds()
        box.add(shape)
        shape = box.corners()
    for part in np.array_split(transforms, max(1, len(transforms) * len(shape) // 1_000_000)):
        placed = np.einsum("pj,njk->npk", shape, part[:, :3, :3]) + part[:, None, 3, :3]
        bounds.add(placed.reshape(-1, 3))
