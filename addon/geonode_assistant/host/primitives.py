# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds Blender's primitives with operators, for the start scenes of manifests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from ..messages import AssistantError
from . import current, operators

# The operator of each primitive, and the arguments that make `size` its extent in metres.
ADD: dict[str, tuple[str, Callable[[float], dict[str, float]]]] = {
    "plane": ("mesh.primitive_plane_add", lambda size: {"size": size}),
    "cube": ("mesh.primitive_cube_add", lambda size: {"size": size}),
    "grid": ("mesh.primitive_grid_add", lambda size: {"size": size}),
    "monkey": ("mesh.primitive_monkey_add", lambda size: {"size": size}),
    "uv_sphere": ("mesh.primitive_uv_sphere_add", lambda size: {"radius": size / 2}),
    "ico_sphere": ("mesh.primitive_ico_sphere_add", lambda size: {"radius": size / 2}),
    "cylinder": ("mesh.primitive_cylinder_add", lambda size: {"radius": size / 2, "depth": size}),
    "cone": ("mesh.primitive_cone_add", lambda size: {"radius1": size / 2, "depth": size}),
    "bezier_curve": ("curve.primitive_bezier_curve_add", lambda size: {"radius": size / 2}),
    "circle_curve": ("curve.primitive_bezier_circle_add", lambda size: {"radius": size / 2}),
}
# Blender's own default: every primitive is two metres wide.
DEFAULT_SIZE = 2.0


def add(item: dict[str, Any]) -> bpy.types.Object:
    """Adds one object; it becomes the active one."""
    name, arguments = ADD[item["primitive"]]
    operators.named(name)(
        **arguments(item.get("size", DEFAULT_SIZE)),
        location=item.get("location", (0, 0, 0)),
        rotation=item.get("rotation", (0, 0, 0)),
    )
    made: Any = current.view_layer().objects.active
    made.name = made.data.name = item["name"]
    made.scale = item.get("scale", (1, 1, 1))
    return made


def activate(name: str) -> None:
    """Makes an object active and the only one selected. Raises ``manifest_invalid`` if it does not exist."""
    objects = current.view_layer().objects
    if name not in objects:
        raise AssistantError("manifest_invalid", f"/start/active: there is no object {name!r}")
    for other in objects:
        other.select_set(other.name == name)
    objects.active = objects[name]
