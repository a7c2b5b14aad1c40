# SPDX-License-Identifier: GPL-3.0-or-later
"""How many faces of two surfaces come near each other, estimated from a few of each: their product may take hours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from mathutils import bvhtree

from . import passing
from .errors import Guarded

Box = tuple[float, float, float, float, float, float]
PAIRS = 3e6
"""The most pairs of faces that are compared."""
_FEW = 200


class Surface:
    """The number of faces, and the boxes around a few of them."""

    def __init__(self, count: int, boxes: list[Box]) -> None:
        self.count = count
        self.boxes = boxes


def pairs(one: Surface, other: Surface) -> float:
    """About how many faces of one come near a face of the other."""
    if not one.boxes or not other.boxes or one.count * other.count <= PAIRS:
        return 0.0
    near = sum(_meet(a, b) for a in one.boxes for b in other.boxes)
    return near * (one.count / len(one.boxes)) * (other.count / len(other.boxes))


def _meet(a: Box, b: Box) -> bool:
    return a[0] <= b[3] and b[0] <= a[3] and a[1] <= b[4] and b[1] <= a[4] and a[2] <= b[5] and b[2] <= a[5]


def of_mesh(mesh: Any, places: Any = None) -> Surface:
    """The surface of a mesh, moved by a matrix."""
    polygons, vertices = mesh.polygons, mesh.vertices
    few = (polygons[at] for at in _some(len(polygons)))
    moved = (lambda co: places @ co) if places is not None else (lambda co: co)
    return Surface(len(polygons), [_box([moved(vertices[at].co) for at in one.vertices]) for one in few])


def _some(count: int) -> Iterable[int]:
    return range(0, count, max(count // _FEW, 1))


def _box(corners: Sequence[Any]) -> Box:
    xs, ys, zs = zip(*((co[0], co[1], co[2]) for co in corners), strict=True)
    return min(xs), min(ys), min(zs), max(xs), max(ys), max(zs)


# -- trees of a script
# ----------------------------------------------------------------------------------------------------

_known: dict[int, tuple[Any, Surface]] = {}
"""The trees that the script made, with their surfaces; holding a tree keeps its address."""


def begin() -> None:
    """Called before the first line of a script."""
    _known.clear()


def _keep(tree: Any, surface: Surface) -> Any:
    _known[id(tree)] = tree, surface
    return tree


def from_polygons(vertices: Any, polygons: Any, *more: Any, **how: Any) -> Any:
    """``BVHTree.FromPolygons``."""
    vertices, polygons = list(vertices), list(polygons)
    tree = bvhtree.BVHTree.FromPolygons(vertices, polygons, *more, **how)
    few = (polygons[at] for at in _some(len(polygons)))
    return _keep(tree, Surface(len(polygons), [_box([vertices[at] for at in one]) for one in few if len(one)]))


def from_bmesh(mesh: Any, *more: Any, **how: Any) -> Any:
    """``BVHTree.FromBMesh``."""
    tree = bvhtree.BVHTree.FromBMesh(mesh, *more, **how)
    count = len(mesh.faces)
    few = islice(mesh.faces, 0, None, max(count // _FEW, 1))
    return _keep(tree, Surface(count, [_box([vertex.co for vertex in face.verts]) for face in few]))


def from_object(obj: Any, depsgraph: Any, *more: Any, **how: Any) -> Any:
    """``BVHTree.FromObject``."""
    obj = passing.as_object(obj)
    tree = bvhtree.BVHTree.FromObject(obj, depsgraph, *more, **how)
    mesh = obj.evaluated_get(depsgraph).data
    return _keep(tree, of_mesh(mesh) if hasattr(mesh, "polygons") else Surface(0, []))


def overlap(tree: Any, other: Any) -> Any:
    """``BVHTree.overlap``."""
    one, two = (_known.get(id(each), (None, Surface(0, [])))[1] for each in (tree, other))
    found = pairs(one, two)
    if found > PAIRS:
        raise Guarded(f"overlap() would find about {found:,.0f} pairs of faces, which would freeze Blender.")
    return tree.overlap(other)
