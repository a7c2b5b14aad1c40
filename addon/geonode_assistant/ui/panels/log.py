# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of a run, drawn when the artist opens it: tokens, calls of tools, steps, messages with codes, changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import bpy

from ...run import script_steps, session
from ..log import call_line, step_line, usage_line
from ..translation import say
from .wrapping import draw_text, draw_texts

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
# The latest of each; the report has all of them.
SHOWN_MESSAGES, SHOWN_STEPS, SHOWN_CALLS, SHOWN_CHANGES = 20, 8, 8, 40
# Characters of a text, lines of a script's output.
SHOWN_CHARACTERS, SHOWN_OUTPUT = 600, 10


def draw_log(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws what happened in the last run, in its own technical words."""
    box = layout.box()
    row = box.row(align=True)
    row.label(text="Log", icon="TEXT")
    row.operator("geonode.copy_log", text="Copy All", icon="COPYDOWN")
    draw_text(box, usage_line(view), context)
    draw_calls(box, view, context, SHOWN_CALLS)
    for step in view.steps[-SHOWN_STEPS:]:
        draw_step(box, step, context)
    draw_texts(box, _messages(view), context)
    changes = view.report.diff if view.report is not None else []
    draw_texts(box, ((line, "DOT") for line in changes[:SHOWN_CHANGES]), context)
    if len(changes) > SHOWN_CHANGES:
        box.label(text=say("and {count} more changes", count=len(changes) - SHOWN_CHANGES))


def _messages(view: session.Session) -> Iterator[tuple[str, IconItems]]:
    for message in view.messages[:SHOWN_MESSAGES]:
        text = f"{message.get('code', '')}: {message.get('text', '')}"
        yield text, ICONS.get(message.get("severity", ""), "NONE")
        yield message.get("hint") or "", "BLANK1"


def draw_calls(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context, most: int) -> None:
    """Draws the latest calls of tools."""
    for call in view.tools[-most:]:
        draw_text(layout, call_line(call), context, STEP_ICONS.get(call.get("status", ""), "DOT"))


def draw_step(layout: bpy.types.UILayout, step: Mapping[str, Any], context: bpy.types.Context) -> None:
    """Draws a step and, below it, what its script printed."""
    draw_text(layout, step_line(step), context, STEP_ICONS.get(step["status"], "DOT"))
    draw_output(layout, step, context)


def draw_output(layout: bpy.types.UILayout, step: Mapping[str, Any], context: bpy.types.Context) -> None:
    """Draws what the script of a step printed; nothing for other steps."""
    if step.get("action_type") == script_steps.TYPE and step.get("message") and step["status"] != "planned":
        lines = step["message"].splitlines()
        more = [say("… {count} more lines", count=len(lines) - SHOWN_OUTPUT)] if len(lines) > SHOWN_OUTPUT else []
        draw_text(layout, "\n".join([*lines[:SHOWN_OUTPUT], *more])[:SHOWN_CHARACTERS], context, "BLANK1")
