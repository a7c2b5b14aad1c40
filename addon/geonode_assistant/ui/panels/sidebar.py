# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar (N) in the 3D View and the Node Editor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import bpy

from ... import native
from ...messages import one_line
from ...run import session
from .. import agents, examples, history, properties, warming
from ..bases import PanelPart
from ..log import usage_line
from ..operators.result import TAB
from ..translation import say, told
from .card import draw_card
from .gallery import draw_gallery
from .history import draw_history
from .log import draw_calls, draw_log, draw_output
from .question import draw_question
from .start import draw_start, draw_who
from .wrapping import draw_message, draw_text, fit_lines, is_wide

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

STATES: dict[str, tuple[str, IconItems]] = {
    "PLANNING": ("Planning", "SORTTIME"),
    "VALIDATING": ("Validating", "SORTTIME"),
    "EXECUTING": ("Executing", "SORTTIME"),
}
# The trees that are edited here; the Node Editor also shows those of materials and of the compositor.
TREES = "GeometryNodeTree"
PREPARING = "Preparing…"
ENDED = frozenset({"DONE", "ERROR", "CANCELLED"})
# The sidebar shows the latest of each; the log has more, the report all of them.
SHOWN_STEPS, SHOWN_CALLS = 8, 4
# Characters of a text.
SHOWN_CHARACTERS = 600
# The elapsed time is shown from this many seconds on.
CLOCK_AFTER_S = 2


class _Sidebar(PanelPart):
    bl_label = "GeoNode Assistant"
    bl_category = TAB
    bl_region_type = "UI"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        view = session.current
        draw_prompt(layout, context)
        draw_problem(layout, context)
        row = layout.row(align=True)
        # In a narrow sidebar the words take the room of their icons.
        wide = is_wide(context)
        # In the place of Send, so that nothing below it moves once it is open.
        if warming.is_writing():
            row.operator("geonode.send", text=PREPARING, icon="SORTTIME" if wide else "NONE")
        else:
            row.operator("geonode.send", icon="PLAY" if wide else "NONE")
        row.operator("geonode.cancel", icon="X" if wide else "NONE")
        draw_who(layout, view, context)
        agents.draw_programs(layout)
        if not view.running:
            draw_gallery(layout, view, context)
            draw_conversation(layout, view)
            if history.PART in view.shown:
                draw_history(layout, view, context)
        if view.summary in ENDED and not view.running:
            draw_card(layout, view, context)
        elif view.summary == "IDLE":
            draw_start(layout, context)
        else:
            draw_work(layout, view, context)
        if "log" in view.shown:
            draw_log(layout, view, context)


class GEONODE_PT_view3d(_Sidebar, bpy.types.Panel):
    bl_idname = "GEONODE_PT_view3d"
    bl_space_type = "VIEW_3D"


class GEONODE_PT_nodes(_Sidebar, bpy.types.Panel):
    bl_idname = "GEONODE_PT_nodes"
    bl_space_type = "NODE_EDITOR"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return getattr(context.space_data, "tree_type", TREES) == TREES


def draw_prompt(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draws the field for the prompt: with several lines where Blender can (5.2); elsewhere a prompt that is too long
    for the field is repeated below it.
    """
    data = properties.edited()
    rna: Any = layout.bl_rna
    if "textbox" in rna.functions:
        layout.textbox(data, "prompt", placeholder=examples.first(context), initial_visible_lines=4)
    else:
        layout.prop(data, "prompt", text="", placeholder=examples.first(context))
        if len(fit_lines(context, data.prompt)) > 1:
            draw_text(layout, data.prompt, context)


def draw_problem(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draws why no prompt can be sent at all: an installation for another system, or one that needs a restart."""
    problem = native.problem()
    if problem is not None:
        draw_message(layout, problem.code, problem.message, problem.hint or "", context, "ERROR")


def draw_conversation(layout: bpy.types.UILayout, view: session.Session) -> None:
    """Draws how many prompts the conversation has and the button that starts a new one; nothing before the first."""
    if view.running or (view.conversation is None and view.summary == "IDLE"):
        return
    split = layout.split(factor=0.7, align=True)
    # Without any, a plan or a preset was applied.
    split.label(text=say("Prompts: {count}", count=view.turns), icon="COMMUNITY", translate=False)
    split.operator("geonode.new_conversation", text="New")


def draw_work(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws the run that is under way: what it does, what it asks, what the model writes."""
    draw_state(layout, view)
    if view.running:
        draw_text(layout, usage_line(view), context)
    draw_calls(layout, view, context, SHOWN_CALLS)
    for step in view.steps[-SHOWN_STEPS:]:
        draw_planned(layout, step, context)
    for request_id, request in view.pending:
        draw_question(layout, request_id, request, context)
    if view.running and not view.pending:
        draw_text(layout, reply_preview(view.text), context)


def draw_planned(layout: bpy.types.UILayout, step: Mapping[str, Any], context: bpy.types.Context) -> None:
    """Draws what a step will do, while the plan arrives, and later what its script printed."""
    if step.get("status") == "planned":
        draw_text(layout, one_line(step.get("message") or "", SHOWN_CHARACTERS), context, "DOT")
    draw_output(layout, step, context)


def draw_state(layout: bpy.types.UILayout, view: session.Session) -> None:
    """Draws the state; during a run a progress bar, or, while the progress is unknown, the activity and its seconds."""
    text, icon = STATES.get(view.summary, (view.summary.title(), "NONE"))
    text = told(view.activity) if view.activity else say(text)
    if view.pending:
        layout.label(text="Waiting for your answer", icon="QUESTION")
    elif view.running and view.progress is not None:
        layout.progress(factor=view.progress, text=text)
    elif view.running:
        clock = f" {view.elapsed_s} s" if view.elapsed_s >= CLOCK_AFTER_S else ""
        layout.label(text=f"{text}…{clock}", icon=icon)
    else:
        layout.label(text=text, icon=icon)


def reply_preview(text: str) -> str:
    """The reply of a model so far: its text, and in place of the plan's JSON one line that stays as it is, so that
    nothing below it moves.
    """
    words = re.split(r"```|\{", text, maxsplit=1)[0]
    shown = words[-SHOWN_CHARACTERS:].strip()
    if len(words) == len(text):
        return shown
    return "\n".join(filter(None, [shown, say("The plan is being written…")]))


CLASSES = (GEONODE_PT_view3d, GEONODE_PT_nodes)
