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
