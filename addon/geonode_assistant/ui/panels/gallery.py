# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery of presets, those that ship and the user's own, drawn when the artist opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...run import choices, session
from .. import gallery, history, properties
from ..operators.gallery import PART
from ..translation import say
from .wrapping import draw_text, side_by_side

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

# Until all are asked for.
SHOWN = 10
ALL = "gallery_all"
# Files of the user's that are no presets.
SHOWN_UNREADABLE = 3


def draw_gallery(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws the buttons of the gallery and of the history and, if the former is open, the presets for the active
    object.
    """
    is_open = PART in view.shown
    row = side_by_side(layout, context)
    row.operator("geonode.gallery", icon="PRESET", depress=is_open)
    row.operator("geonode.history", icon="TIME", depress=history.PART in view.shown)
    if not is_open:
        return
    box = layout.box()
    data = properties.edited()
    box.prop(data, "search", text="", icon="VIEWZOOM", placeholder="Search")
    failed = gallery.failure()
    if failed is not None:
        draw_text(box, failed.message, context, "ERROR")
        draw_text(box, failed.hint or "", context, "BLANK1")
    elif not gallery.loaded and gallery.is_reading():
        draw_text(box, "Reading the presets…", context, "SORTTIME")
    else:
        _draw_presets(box, view, context, data.search)
    for file in gallery.unreadable[:SHOWN_UNREADABLE]:
        draw_text(box, say("{file} is no preset: {why}", file=file["file"], why=file["message"]), context, "ERROR")
    box.operator("geonode.import_preset", icon="IMPORT")


def _draw_presets(box: bpy.types.UILayout, view: session.Session, context: bpy.types.Context, search: str) -> None:
    kind = context.object.type if context.object is not None else ""
    kept = gallery.favourites(choices.stored())
    found = gallery.offered(kind, search, kept)
    if not found:
        draw_text(box, "No preset with these words." if search else "Select a mesh or a curve.", context, "INFO")
        return
    column = box.column(align=True)
    most = len(found) if ALL in view.shown else SHOWN
    for preset in found[:most]:
        row = column.row(align=True)
        icon: IconItems = "USER" if preset.own else "NONE"
        row.operator("geonode.use_preset", text=preset.title, icon=icon, translate=False).preset = preset.id
        if preset.own:
            row.operator("geonode.preset_menu", text="", icon="DOWNARROW_HLT").preset = preset.id
        star: IconItems = "SOLO_ON" if preset.id in kept else "SOLO_OFF"
        row.operator("geonode.favourite", text="", icon=star).preset = preset.id
    if len(found) > SHOWN:
        text = "Show Fewer" if ALL in view.shown else say("Show {count} More", count=len(found) - SHOWN)
        box.operator("geonode.show", text=text).part = ALL
