# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar (N) in the 3D View and the Node Editor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import bpy

from ...messages import one_line, select_for_artist
from ...run import script_steps, session
from .. import properties
from ..bases import PanelPart
from ..operators.ownership import active_tree
from .question import draw_question
from .result import draw_results
from .wrapping import draw_text, fit_lines

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
UNDONE = "The result was taken back by Undo; Redo brings it again."
STEP_ICONS: dict[str, IconItems] = {
    "planned": "DOT",
    "pending": "DOT",
    "running": "SORTTIME",
    "done": "CHECKMARK",
    "failed": "ERROR",
    "restored": "LOOP_BACK",
}
# The sidebar shows the latest of each; the report has all of them.
SHOWN_MESSAGES, SHOWN_STEPS, SHOWN_CALLS = 8, 8, 4
# Characters of a text, characters of one line, lines of a script's output.
SHOWN_CHARACTERS = 600
SHOWN_LINE = 80
SHOWN_OUTPUT = 10
# Characters of an object's name in an example.
SHOWN_NAME = 24
# The elapsed time is shown from this many seconds on.
CLOCK_AFTER_S = 2


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
        draw_text(layout, usage_line(view), context)
        if view.undone:
            draw_text(layout, UNDONE, context)
            draw_ownership(layout, context)
            return
        for call in view.tools[-SHOWN_CALLS:]:
            draw_text(layout, call_line(call), context, STEP_ICONS.get(call.get("status", ""), "DOT"))
        for step in view.steps[-SHOWN_STEPS:]:
            draw_step(layout, step, context)
        for request_id, request in view.pending:
            draw_question(layout, request_id, request, context)
        if view.running and not view.pending:
            draw_text(layout, reply_preview(view.text), context)
        done = view.final_message if view.summary == "DONE" else ""
        draw_text(layout, done, context)
        draw_results(layout, view.results, context)
        for message in select_for_artist(view.messages, done)[:SHOWN_MESSAGES]:
            draw_message(layout, message, context)
        draw_ownership(layout, context)


class GEONODE_PT_view3d(_Sidebar, bpy.types.Panel):
    bl_idname = "GEONODE_PT_view3d"
    bl_space_type = "VIEW_3D"


class GEONODE_PT_nodes(_Sidebar, bpy.types.Panel):
    bl_idname = "GEONODE_PT_nodes"
    bl_space_type = "NODE_EDITOR"


def draw_prompt(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draws the field for the prompt: with several lines where Blender can (5.2); elsewhere a prompt that is too long
    for the field is repeated below it.
    """
    data = properties.edited()
    rna: Any = layout.bl_rna
    if "textbox" in rna.functions:
        layout.textbox(data, "prompt", placeholder=example_prompt(context), initial_visible_lines=4)
    else:
        layout.prop(data, "prompt", text="", placeholder=example_prompt(context))
        if len(fit_lines(context, data.prompt)) > 1:
            draw_text(layout, data.prompt, context)


def example_prompt(context: bpy.types.Context) -> str:
    """A prompt that the active object can follow, as an example."""
    active = context.object
    kind = active.type if active is not None else ""
    if active is None or kind not in ("MESH", "CURVE"):
        return "Select a mesh or a curve, then say what to make of it"
    name = one_line(active.name, SHOWN_NAME)
    return f"Scatter 200 rocks on {name}" if kind == "MESH" else f"Make a tube along {name}"


def draw_ownership(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draws the buttons that decide whose the active node tree is, if there is one."""
    if active_tree(context) is not None:
        row = layout.row(align=True)
        row.operator("geonode.make_mine")
        row.operator("geonode.let_manage", text="Let the Assistant Manage It")


def draw_conversation(layout: bpy.types.UILayout, view: session.Session) -> None:
    """Draws how many prompts the conversation has and the button that starts a new one; nothing before the first."""
    if view.conversation is None:
        return
    row = layout.row(align=True)
    row.label(text=f"{view.turns} {'prompt' if view.turns == 1 else 'prompts'} so far", icon="COMMUNITY")
    row.operator("geonode.new_conversation", text="New", icon="FILE_NEW")


def draw_state(layout: bpy.types.UILayout, view: session.Session) -> None:
    """Draws the state; during a run a progress bar, or, while the progress is unknown, the activity and its seconds."""
    text, icon = STATES.get(view.summary, (view.summary.title(), "NONE"))
    if view.undone:
        text, icon = "Undone", "LOOP_BACK"
    elif view.unchanged:
        text, icon = "Done: nothing had to be changed", "CHECKMARK"
    text = view.activity or text
    if view.pending:
        layout.label(text="Waiting for your answer", icon="QUESTION")
    elif view.running and view.progress is not None:
        layout.progress(factor=view.progress, text=text)
    elif view.running:
        clock = f" {view.elapsed_s} s" if view.elapsed_s >= CLOCK_AFTER_S else ""
        layout.label(text=f"{text}…{clock}", icon=icon)
    else:
        layout.label(text=text, icon=icon)


def usage_line(view: session.Session) -> str:
    """The expected tokens while a model works, then those that its provider counted; empty if no model was asked."""
    if view.running:
        if view.estimate is None:
            return ""
        return f"The request has about {format_usage(view.estimate['input_tokens'], view.estimate.get('cost_usd'))}"
    usage = view.report.usage if view.report is not None else None
    if not usage:
        return ""
    return format_usage((usage.get("input_tokens") or 0) + (usage.get("output_tokens") or 0), usage.get("cost_usd"))


def format_usage(tokens: int, cost: float | None) -> str:
    """Tokens and, if known, their cost in US dollars: ``5,200 tokens ($0.0130)``."""
    return f"{tokens:,} tokens" + (f" (${cost:.4f})" if cost is not None else "")


def draw_step(layout: bpy.types.UILayout, step: Mapping[str, Any], context: bpy.types.Context) -> None:
    """Draws a step and, below it, what its script printed."""
    draw_text(layout, step_line(step), context, STEP_ICONS.get(step["status"], "DOT"))
    if step.get("action_type") == script_steps.TYPE and step.get("message") and step["status"] != "planned":
        lines = step["message"].splitlines()
        more = [f"… {len(lines) - SHOWN_OUTPUT} more lines"] if len(lines) > SHOWN_OUTPUT else []
        draw_text(layout, "\n".join([*lines[:SHOWN_OUTPUT], *more])[:SHOWN_CHARACTERS], context, "BLANK1")


def call_line(call: dict) -> str:
    """A tool call in one line: name, simple arguments, and progress in percent."""
    arguments = ", ".join(
        str(value) for value in (call.get("input") or {}).values() if isinstance(value, str | int | float)
    )
    percent = f" {call['percent']} %" if call.get("status") == "running" and "percent" in call else ""
    return one_line(f"{call['tool'].replace('_', ' ')}{f': {arguments}' if arguments else ''}{percent}", SHOWN_LINE)


def step_line(step: Mapping[str, Any]) -> str:
    """A step in one line: its ID and, until it is carried out, its description in the plan."""
    planned = step.get("message") if step.get("status") == "planned" else ""
    return one_line(f"{step['step_id']}: {planned}" if planned else step["step_id"], SHOWN_LINE)


def reply_preview(text: str) -> str:
    """The reply of a model so far: its text, and in place of the plan's JSON the number of its characters."""
    words = re.split(r"```|\{", text, maxsplit=1)[0]
    shown = words[-SHOWN_CHARACTERS:].strip()
    if len(words) == len(text):
        return shown
    return f"{shown}\nThe plan is being written: {len(text) - len(words)} characters".strip()


def draw_message(layout: bpy.types.UILayout, message: Mapping[str, Any], context: bpy.types.Context) -> None:
    """Draws a message and its fix; its code is only in the report."""
    draw_text(layout, message.get("text", ""), context, ICONS.get(message.get("severity", ""), "NONE"))
    if message.get("hint"):
        draw_text(layout, message["hint"], context)


CLASSES = (GEONODE_PT_view3d, GEONODE_PT_nodes)
