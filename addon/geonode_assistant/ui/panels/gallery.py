# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery of presets, those that ship and the user's own, drawn when the artist opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...run import choices, session
from .. import gallery, history, pictures, properties
from ..polling import GALLERY
from ..translation import say
from .wrapping import FRAME_PX, NESTED_PX, draw_message, draw_text, fits, is_wide, side_by_side

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

# Until all are asked for.
SHOWN = 10
ALL = "gallery_all"
AT_ONCE = "A click makes it at once; Undo takes it back."
# Height of a picture and of the buttons beside it, in those of a button, and the height of a button.
PICTURE, TILE_PX = 2.4, 20
# Width of a star, of the icon and the menu of a preset of the user's, of what surrounds the title on its button, and
# the width from which two presets stand beside each other.
STAR_PX, MENU_PX, PADDING_PX, TWO_PX = 20, 44, 24, 440
# Files of the user's that are no presets.
SHOWN_UNREADABLE = 3


def draw_gallery(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws the buttons of the gallery and of the history and, if the former is open, the presets for the active
    object.
    """
    is_open = GALLERY in view.shown
    row = side_by_side(layout, context, "Gallery", "History")
    row.operator("geonode.gallery", icon="PRESET", depress=is_open)
    row.operator("geonode.history", icon="TIME", depress=history.PART in view.shown)
    if not is_open:
        return
    box = layout.box()
    data = properties.edited()
    box.prop(data, "search", text="", icon="VIEWZOOM", placeholder="Search")
    failed = gallery.failure()
    if failed is not None:
        draw_message(box, failed.code, failed.message, failed.hint or "", context, "ERROR")
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
    draw_text(box, AT_ONCE, context)
    columns = 2 if is_wide(context, TWO_PX) else 1
    flow = box.grid_flow(row_major=True, columns=columns, even_columns=True, align=True)
    most = len(found) if ALL in view.shown else SHOWN
    for preset in found[:most]:
        _draw_preset(flow.row(align=True), preset, preset.id in kept, columns, context)
    if len(found) > SHOWN:
        text = "Show Fewer" if ALL in view.shown else say("Show {count} More", count=len(found) - SHOWN)
        box.operator("geonode.show", text=text).part = ALL


def _draw_preset(
    row: bpy.types.UILayout, preset: gallery.Preset, is_favourite: bool, columns: int, context: bpy.types.Context
) -> None:
    """Draws the buttons of a preset, behind its picture where there is one and its title can be read beside it."""
    picture = pictures.of_file(preset.picture)
    preferences: Any = context.preferences
    region: Any = context.region
    scale = preferences.system.ui_scale
    width = max(region.width / scale - NESTED_PX - FRAME_PX, 1) / columns
    # In a narrow sidebar the small buttons stand below the title.
    wide = is_wide(context)
    beside = (STAR_PX + (MENU_PX if preset.own else 0)) if wide else 0
    taken = TILE_PX * PICTURE + PADDING_PX + beside + width * (columns - 1)
    head = more = row
    if picture and not wide and not fits(context, preset.shown, taken):
        # The title has the whole width, and the picture stands below it.
        column = row.column(align=True)
        head, below = column.row(align=True), column.row(align=True)
        below.template_icon(icon_value=picture, scale=PICTURE)
        more = below.column(align=True)
    elif picture and fits(context, preset.shown, taken):
        split = row.split(factor=min(TILE_PX * PICTURE / width, 0.5), align=True)
        split.template_icon(icon_value=picture, scale=PICTURE)
        if wide:
            head = more = split.row(align=True)
            head.scale_y = PICTURE
        else:
            column = split.column(align=True)
            column.scale_y = PICTURE / 2
            head, more = column.row(align=True), column.row(align=True)
    icon: IconItems = "USER" if preset.own else "NONE"
    head.operator("geonode.use_preset", text=preset.shown, icon=icon, translate=False).preset = preset.id
    if preset.own:
        more.operator("geonode.preset_menu", text="", icon="DOWNARROW_HLT").preset = preset.id
    star: IconItems = "SOLO_ON" if is_favourite else "SOLO_OFF"
    more.operator("geonode.favourite", text="", icon=star).preset = preset.id
