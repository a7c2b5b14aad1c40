# SPDX-License-Identifier: GPL-3.0-or-later
"""The history of runs, drawn when the artist opens it: what was asked, what came of it, what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...messages import one_line
from ...run import session
from .. import history, pictures, properties, wording
from ..translation import say
from .card import draw_pair
from .wrapping import draw_text, is_wide, side_by_side

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

    from ...run.history import Entry

ALL = "history_all"
# Runs until all are asked for; sentences about a run; letters of a prompt on its button.
SHOWN, SHOWN_LINES, SHOWN_LETTERS = 8, 2, 60
ICONS: dict[str, IconItems] = {"done": "CHECKMARK", "error": "ERROR", "cancelled": "CANCEL"}
OUTCOMES = {"done": "Done", "error": "Not done", "cancelled": "Cancelled"}
NOTHING = "Nothing was asked yet. Prompts and applied presets appear here."
NO_TREE = "Its tree is not remembered: that lasts until Blender is closed. Keep a result as a preset to have it longer."


def draw_history(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws the runs that match the search, one of them open."""
    box = layout.box()
    data = properties.edited()
    found = history.found(data.history_search)
    if not found and not data.history_search:
        draw_text(box, NOTHING, context, "INFO")
        return
    box.prop(data, "history_search", text="", icon="VIEWZOOM", placeholder="Search")
    if not found:
        draw_text(box, "No run with these words.", context, "INFO")
    most = len(found) if ALL in view.shown else SHOWN
    column = box.column(align=True)
    for run in found[:most]:
        is_open = run["id"] == history.opened
        text = one_line(history.asked(run["prompt"]), SHOWN_LETTERS) or "…"
        button = column.operator("geonode.show_run", text=text, icon=ICONS.get(run["status"], "DOT"), depress=is_open)
        button.run = run["id"]
        if is_open:
            _draw_run(column.box(), run, context)
    if len(found) > SHOWN:
        text = "Show Fewer" if ALL in view.shown else say("Show {count} More", count=len(found) - SHOWN)
        box.operator("geonode.show", text=text).part = ALL
    box.operator("geonode.export_history", icon="EXPORT")


def _draw_run(box: bpy.types.UILayout, run: Entry, context: bpy.types.Context) -> None:
    column = box.column(align=True)
    if len(run["prompt"]) > SHOWN_LETTERS or "\n" in run["prompt"]:
        draw_text(column, f"“{run['prompt']}”", context, nested=True)
    status, when = run["status"], history.when(run["at"])
    outcome = say(OUTCOMES.get(status, status))
    text = f"{outcome} {when}"
    if run["object"]:
        text = say("{outcome} {when}, on “{object}”", outcome=outcome, when=when, object=run["object"])
    draw_text(column, text, context)
    for line in wording.sentences(run["message"])[:SHOWN_LINES]:
        draw_text(column, line, context, "DOT", nested=True)
    draw_pair(box, pictures.runs.of_run(run["id"]), context)
    if run["has_tree"]:
        row = side_by_side(box, context, "Compare", "Apply Again")
        row.operator("geonode.compare_run", icon="VIEWZOOM").run = run["id"]
        row.operator("geonode.apply_run", icon="FILE_REFRESH").run = run["id"]
    elif run["status"] == "done" and run["changes"]:
        draw_text(box, NO_TREE, context, "INFO", nested=True)
    row = side_by_side(box, context, "Send Again", "Edit Prompt")
    if run["is_prompt"]:
        row.operator("geonode.send_again", icon="PLAY").run = run["id"]
        row.operator("geonode.use_example", text="Edit Prompt", icon="GREASEPENCIL").prompt = run["prompt"]
    text = "Forget Conversation…" if run["conversation"] is not None else "Forget…"
    icon: IconItems = "TRASH" if is_wide(context) else "NONE"
    box.operator("geonode.delete_run", text=text, icon=icon).run = run["id"]
