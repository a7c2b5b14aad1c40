# SPDX-License-Identifier: GPL-3.0-or-later
"""What the modifiers of an object multiply, before Blender evaluates them."""

from __future__ import annotations

from array import array
from typing import Any

from .. import native
from .errors import Guarded

_MULTIPLYING = {
    "SUBSURF": ("levels",),
    "MULTIRES": ("levels",),
    "ARRAY": ("fit_type", "count"),
    "SCREW": ("steps", "iterations"),
    "MIRROR": ("use_axis",),
    "BEVEL": ("limit_method", "segments"),
    "SMOOTH": ("iterations",),
    "LAPLACIANSMOOTH": ("iterations",),
    "CORRECTIVE_SMOOTH": ("iterations",),
    "OCEAN": ("resolution", "viewport_resolution", "geometry_mode", "repeat_x", "repeat_y"),
    "REMESH": ("mode", "voxel_size"),
    "BOOLEAN": (),
    "SOLIDIFY": (),
    "WIREFRAME": (),
    "SKIN": (),
}
"""The properties that decide how many elements a modifier makes, by its type."""


def stack(obj: Any) -> dict[str, Any] | None:
    """An object's modifiers as the core's estimate takes them; none if they multiply nothing."""
    modifiers = [_numbers(modifier) for modifier in obj.modifiers]
    if not any(one["type"] in _MULTIPLYING for one in modifiers):
        return None
    remeshed = any(one.get("mode") == "VOXEL" for one in modifiers)
    return {"elements": elements(obj), "extent": _extent(obj) if remeshed else 0.0, "modifiers": modifiers}


def check(changed: Any) -> None:
    """Raises, and switches the modifier off, if the stack that it is in would make more than Blender can handle."""
    described = stack(changed.id_data)
    made = 0.0 if described is None else excess(described)
    if made:
        changed.show_viewport = False
        changed.show_render = False
        raise Guarded(
            f"The modifiers of {changed.id_data.name!r} would make about {made:,.0f} elements; {changed.name!r} is "
            "switched off. Use smaller counts and levels."
        )


def excess(described: dict[str, Any]) -> float:
    """How many elements a stack makes if Blender cannot handle them; else 0."""
    made = native.core().stack(described)
    return float(made["elements"]) if made["excessive"] else 0.0


def _numbers(modifier: Any) -> dict[str, Any]:
    """The properties of a modifier that the core's estimate needs; just the type if it multiplies nothing."""
    numbers = {name: getattr(modifier, name) for name in _MULTIPLYING.get(modifier.type, ())}
    match modifier.type:
        case "MIRROR":
            numbers["use_axis"] = list(numbers["use_axis"])
        case "BOOLEAN":
            numbers["elements"] = elements(modifier.object) if modifier.object is not None else 0.0
    return {"type": modifier.type, **numbers}


def voxels(extent: float, size: float) -> float:
    """The approximate number of faces that a remesh of something of that extent makes."""
    if not size < 1e9:
        return 0.0
    remesh = {"type": "REMESH", "mode": "VOXEL", "voxel_size": max(float(size), 0.0)}
    made = native.core().stack({"elements": 0.0, "extent": extent, "modifiers": [remesh]})
    return float(made["elements"])


def _extent(obj: Any) -> float:
    """The longest side of an object without its modifiers, in its own space."""
    vertices: Any = getattr(obj.data, "vertices", ())
    if not len(vertices):
        return max(obj.dimensions)
    places = array("f", bytes(12 * len(vertices)))
    vertices.foreach_get("co", places)
    return max(max(places[axis::3]) - min(places[axis::3]) for axis in range(3))


def elements(obj: Any) -> float:
    """The faces of an object's own mesh, or half of its vertices where those are more."""
    data = obj.data
    polygons = getattr(data, "polygons", None)
    return float(max(len(polygons), len(data.vertices) // 2, 1)) if polygons is not None else 100.0
