# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery of presets, drawn when the artist opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...run import choices, session
from .. import gallery, properties
from ..operators.gallery import PART
from .wrapping import draw_text

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

# Until all are asked for.
SHOWN = 10
ALL = "gallery_all"


def draw_gallery(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws the button of the gallery and, if it is open, the presets for the active object."""
    is_open = PART in view.shown
    layout.operator("geonode.gallery", icon="PRESET", depress=is_open)
    if not is_open:
        return
    box = layout.box()
    data = properties.edited()
    box.prop(data, "search", text="", icon="VIEWZOOM", placeholder="Search")
    kind = context.object.type if context.object is not None else ""
    kept = gallery.favourites(choices.stored())
    found = gallery.offered(kind, data.search, kept)
    if not found:
        draw_text(box, "No preset with these words." if data.search else "Select a mesh or a curve.", context, "INFO")
        return
    column = box.column(align=True)
    most = len(found) if ALL in view.shown else SHOWN
    for preset in found[:most]:
        row = column.row(align=True)
        row.operator("geonode.use_preset", text=preset.title, translate=False).preset = preset.id
        star: IconItems = "SOLO_ON" if preset.id in kept else "SOLO_OFF"
        row.operator("geonode.favourite", text="", icon=star).preset = preset.id
    if len(found) > SHOWN:
        text = "Show Fewer" if ALL in view.shown else f"Show {len(found) - SHOWN} More"
        box.operator("geonode.show", text=text).part = ALL
