# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the result of a modifier cannot be seen in the viewport."""

from __future__ import annotations

from typing import Any


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
