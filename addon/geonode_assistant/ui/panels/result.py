# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a run, drawn in the sidebar: the inputs of its modifiers, to be turned at once."""

from __future__ import annotations

from typing import Any

import bpy

from ...host import sliders, visibility
from .wrapping import draw_text

# Of each; the modifier's own panel has all of them.
SHOWN_RESULTS, SHOWN_SLIDERS = 3, 16


def draw_results(layout: bpy.types.UILayout, modifiers: list[Any], context: bpy.types.Context) -> None:
    """Draws these Geometry Nodes modifiers, each with its inputs and with what hides it."""
    for modifier in modifiers[:SHOWN_RESULTS]:
        found = sliders.of(modifier)
        box = layout.box()
        box.label(text=f"{modifier.name} on {modifier.id_data.name}", icon="GEOMETRY_NODES", translate=False)
        draw_text(box, visibility.why_unseen(modifier, context.view_layer), context, "HIDE_ON")
        column = box.column(align=True)
        for slider in found[:SHOWN_SLIDERS]:
            if slider.lists is None:
                column.prop(slider.owner, slider.path, text=slider.name, translate=False)
            else:
                column.prop_search(
                    slider.owner, slider.path, slider.lists, slider.list_of, text=slider.name, translate=False
                )
        if len(found) > SHOWN_SLIDERS:
            box.label(text=f"{len(found) - SHOWN_SLIDERS} more in the modifier")
