# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of a run, drawn when the artist opens it: tokens, calls of tools, steps, messages with codes, changes; all of
it, or what a filter lets through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import bpy

from ...run import script_steps, session
from .. import properties
from ..log import Entry, call_line, chosen, entries, shown, usage_line
from ..places import places
from ..translation import say
from .wrapping import draw_text, is_wide, side_by_side

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

ICONS: dict[str, IconItems] = {"error": "ERROR", "warning": "INFO", "info": "NONE"}
STEP_ICONS: dict[str, IconItems] = {
    "planned": "DOT",
    "pending": "DOT",
    "running": "SORTTIME",
    "done": "CHECKMARK",
    "failed": "ERROR",
    "restored": "LOOP_BACK",
}
# Lines of the log until all are asked for, and then at most; the file that is exported has every one.
SHOWN, MOST = 24, 200
ALL = "log_all"
# Width from which a title and two buttons can be read beside each other.
THREE_PX = 330
# Characters of a text, lines of a script's output.
SHOWN_CHARACTERS, SHOWN_OUTPUT = 600, 10


def draw_log(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws what happened in the last run, in technical words, as far as the filter lets it through."""
    box, data = layout.box(), properties.edited()
    row = box.row(align=True)
    row.label(text="Log", icon="TEXT")
    wide = is_wide(context, THREE_PX)
    row.operator("geonode.copy_log", text="Copy" if wide else "", icon="COPYDOWN")
    row.operator("geonode.export_log", text="Export…" if wide else "", icon="EXPORT")
    row = side_by_side(box, context)
    row.prop(data, "log_part", text="")
    row.prop(data, "log_severity", text="")
    box.prop(data, "log_search", text="", icon="VIEWZOOM", placeholder="Search")
    draw_text(box, usage_line(view), context)
    found = chosen(entries(view), data.log_part, data.log_severity, data.log_search)
    if not found and properties.is_log_filtered(data):
        draw_text(box, "No line of the log is like that.", context, "INFO")
    most = MOST if ALL in view.shown else SHOWN
    column = box.column(align=True)
    for entry in found[:most]:
        _draw_entry(column, view, entry, context)
    if len(found) > MOST and most == MOST:
        draw_text(box, say("and {count} more: export the log to read them", count=len(found) - MOST), context)
    if len(found) > SHOWN:
        text = "Show Fewer" if ALL in view.shown else say("Show {count} More", count=min(len(found), MOST) - SHOWN)
        box.operator("geonode.show", text=text).part = ALL


def _draw_entry(column: bpy.types.UILayout, view: session.Session, entry: Entry, context: bpy.types.Context) -> None:
    """Draws an entry and, where it speaks of a node that is there, the button that leads to it."""
    icon = STEP_ICONS.get(entry.state) or ICONS.get(entry.severity, "NONE")
    place = places.of(view, entry.text)
    text, below = shown(entry)
    if place is None:
        draw_text(column, text, context, "DOT" if icon == "NONE" else icon)
    else:
        row = column.row(align=True)
        button = row.operator("geonode.show_mentioned", text="", icon="VIEWZOOM", emboss=False)
        (button.object, button.modifier), button.tree, button.node = place
        draw_text(row.column(align=True), text, context, icon, beside=True)
    more = below.splitlines()
    if len(more) > SHOWN_OUTPUT:
        more[SHOWN_OUTPUT:] = [say("… {count} more lines", count=len(more) - SHOWN_OUTPUT)]
    draw_text(column, "\n".join(more)[:SHOWN_CHARACTERS], context, "BLANK1")


def draw_calls(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context, most: int) -> None:
    """Draws the latest calls of tools."""
    for call in view.tools[-most:]:
        draw_text(layout, call_line(call), context, STEP_ICONS.get(call.get("status", ""), "DOT"))


def draw_output(layout: bpy.types.UILayout, step: Mapping[str, Any], context: bpy.types.Context) -> None:
    """Draws what the script of a step printed; nothing for other steps."""
    if step.get("action_type") == script_steps.TYPE and step.get("message") and step["status"] != "planned":
        lines = step["message"].splitlines()
        more = [say("… {count} more lines", count=len(lines) - SHOWN_OUTPUT)] if len(lines) > SHOWN_OUTPUT else []
        draw_text(layout, "\n".join([*lines[:SHOWN_OUTPUT], *more])[:SHOWN_CHARACTERS], context, "BLANK1")
