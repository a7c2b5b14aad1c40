# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the result of a modifier cannot be seen in the viewport."""

from __future__ import annotations

from typing import Any

from mathutils import Vector

# In files with more objects it is not looked for what hides a result.
_MOST_OBJECTS = 100
_SOLID = frozenset({"SOLID", "TEXTURED"})


def why_unseen(modifier: Any, view_layer: Any) -> str:
    """One sentence, or nothing if it can be seen."""
    obj = modifier.id_data
    if view_layer.objects.get(obj.name) is not obj:
        return f"“{obj.name}” is not part of this view layer, so the result cannot be seen."
    if not obj.visible_get(view_layer=view_layer):
        return f"“{obj.name}” is hidden, so the result cannot be seen."
    if not modifier.show_viewport:
        return f"The modifier “{modifier.name}” is switched off in the viewport, so the result cannot be seen."
    if obj.mode == "EDIT" and not modifier.show_in_editmode:
        return f"The modifier “{modifier.name}” is not shown in Edit Mode; leave it to see the result."
    return ""


def within(modifier: Any, view_layer: Any) -> str:
    """One sentence where an object that shows nothing but this result stands inside another, which may hide it."""
    obj = modifier.id_data
    others = view_layer.objects
    if obj.type != "MESH" or obj.data.polygons or len(others) > _MOST_OBJECTS:
        return ""
    low, high = _bounds(obj)
    if low == high:
        return ""
    for other in others:
        if other is obj or other.type != "MESH" or other.display_type not in _SOLID or not other.visible_get():
            continue
        least, most = _bounds(other)
        if all(least[axis] <= low[axis] and high[axis] <= most[axis] for axis in range(3)):
            return f"It stands inside “{other.name}”, which may hide it: move one of them to see it."
    return ""


def _bounds(obj: Any) -> tuple[Vector, Vector]:
    """The lowest and the highest corner of an object as it is shown, in world space; of instances nothing counts."""
    corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
    low, high = (Vector([pick(corner[axis] for corner in corners) for axis in range(3)]) for pick in (min, max))
    return low, high
