# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar (N) in the 3D View and the Node Editor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import bpy

from ...messages import for_artist, one_line
from ...run import session
from .. import properties
from ..operators.ownership import active_tree
from ..parts import PanelPart
from .question import draw_question
from .wrapping import draw_text, fitting

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

ICONS: dict[str, IconItems] = {"error": "ERROR", "warning": "INFO", "info": "NONE"}
STATES: dict[str, tuple[str, IconItems]] = {
    "IDLE": ("Ready", "NONE"),
    "PLANNING": ("Planning", "SORTTIME"),
    "VALIDATING": ("Validating", "SORTTIME"),
    "EXECUTING": ("Executing", "SORTTIME"),
    "DONE": ("Done", "CHECKMARK"),
    "ERROR": ("Not done", "ERROR"),
    "CANCELLED": ("Cancelled", "CANCEL"),
}
STEP_ICONS: dict[str, IconItems] = {
    "planned": "DOT",
    "pending": "DOT",
    "running": "SORTTIME",
    "done": "CHECKMARK",
    "failed": "ERROR",
    "restored": "LOOP_BACK",
}
# A sidebar is no log: the report has everything.
SHOWN_MESSAGES, SHOWN_STEPS, SHOWN_CALLS = 8, 8, 4
SHOWN_CHARACTERS = 600
SHOWN_CALL = 80
SHOWN_OUTPUT = 10
# What takes no longer needs no clock.
SILENT_S = 2


class _Sidebar(PanelPart):
    bl_label = "GeoNode Assistant"
    bl_category = "GeoNode"
    bl_region_type = "UI"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        view = session.current
        draw_prompt(layout, context)
        row = layout.row(align=True)
        row.operator("geonode.send", icon="PLAY")
        row.operator("geonode.cancel", icon="X")
        draw_conversation(layout, view)
        draw_state(layout, view)
        draw_text(layout, spent(view), context)
        for call in view.tools[-SHOWN_CALLS:]:
            draw_text(layout, spoken_call(call), context, STEP_ICONS.get(call.get("status", ""), "DOT"))
        for step in view.steps[-SHOWN_STEPS:]:
            draw_step(layout, step, context)
        for request_id, request in view.pending:
            draw_question(layout, request_id, request, context)
        if view.running and not view.pending:
            draw_text(layout, streamed(view.text), context)
        done = view.final_message if view.summary == "DONE" else ""
        draw_text(layout, done, context)
        for message in for_artist(view.messages, done)[:SHOWN_MESSAGES]:
            draw_message(layout, message, context)
        draw_ownership(layout, context)


class GEONODE_PT_view3d(_Sidebar, bpy.types.Panel):
    bl_idname = "GEONODE_PT_view3d"
    bl_space_type = "VIEW_3D"


class GEONODE_PT_nodes(_Sidebar, bpy.types.Panel):
    bl_idname = "GEONODE_PT_nodes"
    bl_space_type = "NODE_EDITOR"


def draw_prompt(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The prompt, in several lines where Blender has such a field (5.2), else below it as soon as it is cut off."""
    data = properties.edited()
    rna: Any = layout.bl_rna
    if "textbox" in rna.functions:
        layout.textbox(data, "prompt", placeholder="Scatter 200 rocks on the plane", initial_visible_lines=4)
    else:
        layout.prop(data, "prompt", text="", placeholder="Scatter 200 rocks on the plane")
        if len(fitting(context, data.prompt)) > 1:
            draw_text(layout, data.prompt, context)


def draw_ownership(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The buttons that decide whose the node tree is; nothing where there is none."""
    if active_tree(context) is not None:
        row = layout.row(align=True)
        row.operator("geonode.make_mine")
        row.operator("geonode.let_manage", text="Hand It Over")


def draw_conversation(layout: bpy.types.UILayout, view: session.Session) -> None:
    """How many prompts the present one follows, and a way out; nothing before the first."""
    if view.conversation is None:
        return
    row = layout.row(align=True)
    row.label(text=f"{view.turns} {'prompt' if view.turns == 1 else 'prompts'} so far", icon="COMMUNITY")
    row.operator("geonode.new_conversation", text="New", icon="FILE_NEW")


def draw_state(layout: bpy.types.UILayout, view: session.Session) -> None:
    """State in words; while it runs a progress bar, or what is being done where nobody knows how far it is, and for how
    long already.
    """
    text, icon = STATES.get(view.summary, (view.summary.title(), "NONE"))
    text = view.activity or text
    if view.pending:
        layout.label(text="Waiting for your answer", icon="QUESTION")
    elif view.running and view.progress is not None:
        layout.progress(factor=view.progress, text=text)
    elif view.running:
        clock = f" {view.elapsed_s} s" if view.elapsed_s >= SILENT_S else ""
        layout.label(text=f"{text}…{clock}", icon=icon)
    else:
        layout.label(text=text, icon=icon)


def spent(view: session.Session) -> str:
    """What is expected while a model works, then what its provider counted; empty when no model was asked."""
    if view.running:
        if view.estimate is None:
            return ""
        return f"About {priced(view.estimate['input_tokens'], view.estimate.get('cost_usd'))} to read"
    usage = view.report.usage if view.report is not None else None
    if not usage:
        return ""
    return priced((usage.get("input_tokens") or 0) + (usage.get("output_tokens") or 0), usage.get("cost_usd"))


def priced(tokens: int, cost: float | None) -> str:
    """Tokens, and the cost where it is known: ``5,200 tokens ($0.013)``."""
    return f"{tokens:,} tokens" + (f" (${cost:.4f})" if cost is not None else "")


def draw_step(layout: bpy.types.UILayout, step: dict, context: bpy.types.Context) -> None:
    """A step, and below it what its script printed."""
    draw_text(layout, spoken_step(step), context, STEP_ICONS.get(step["status"], "DOT"))
    if step.get("action_type") == "PYTHON" and step.get("message") and step["status"] != "planned":
        lines = step["message"].splitlines()
        more = [f"… {len(lines) - SHOWN_OUTPUT} more lines"] if len(lines) > SHOWN_OUTPUT else []
        draw_text(layout, "\n".join([*lines[:SHOWN_OUTPUT], *more])[:SHOWN_CHARACTERS], context, "BLANK1")


def spoken_call(call: dict) -> str:
    """A call of a tool in one line: its name and what it was asked."""
    asked = ", ".join(
        str(value) for value in (call.get("input") or {}).values() if isinstance(value, str | int | float)
    )
    percent = f" {call['percent']} %" if call.get("status") == "running" and "percent" in call else ""
    return one_line(f"{call['tool'].replace('_', ' ')}{f': {asked}' if asked else ''}{percent}", SHOWN_CALL)


def spoken_step(step: dict) -> str:
    """A step in one line: its ID, and while nothing of it is done what it says of itself."""
    planned = step.get("message") if step.get("status") == "planned" else ""
    return one_line(f"{step['step_id']}: {planned}" if planned else step["step_id"], SHOWN_CALL)


def streamed(text: str) -> str:
    """What a model has said so far, for an artist: its words as they are, of the plan's JSON only that it arrives."""
    words = re.split(r"```|\{", text, maxsplit=1)[0]
    shown = words[-SHOWN_CHARACTERS:].strip()
    if len(words) == len(text):
        return shown
    return f"{shown}\nThe plan is being written: {len(text) - len(words)} characters".strip()


def draw_message(layout: bpy.types.UILayout, message: dict, context: bpy.types.Context) -> None:
    """One message with its fix; the code stays in the report."""
    draw_text(layout, message.get("text", ""), context, ICONS.get(message.get("severity", ""), "NONE"))
    if message.get("hint"):
        draw_text(layout, message["hint"], context)


CLASSES = (GEONODE_PT_view3d, GEONODE_PT_nodes)
