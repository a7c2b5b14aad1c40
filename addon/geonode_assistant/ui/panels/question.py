# SPDX-License-Identifier: GPL-3.0-or-later
"""The question that a run asks before it writes, drawn in the sidebar: reason, operations to tick, answers, trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ...run import session
from .. import properties
from .wrapping import draw_code, draw_text

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

    from ...run.protocol import ApprovalRequest, AskedDryRun, AskedOperation, AskedScript, AskedStep

SHOWN_CHANGES, SHOWN_OPERATIONS, SHOWN_FINDINGS, SHOWN_LINES = 12, 40, 6, 30
# A question with at most so many operations shows each of them at once.
FEW = 8
# What the operations of a group do, in the order in which the groups are shown.
TOPICS = {
    "removals": "Removals",
    "changes": "Changes to what is there",
    "interface": "Inputs, outputs, values",
    "new_nodes": "New nodes and their links",
}


def draw_question(
    layout: bpy.types.UILayout, request_id: str, request: ApprovalRequest, context: bpy.types.Context
) -> None:
    """Draws one request for approval; the session knows which operations are left out."""
    view = session.current
    box = layout.box()
    steps = request.get("steps", [])
    reasons = list(dict.fromkeys(reason for step in steps if (reason := step.get("reason"))))
    for line in reasons or [request.get("reason") or "This plan needs your approval."]:
        draw_text(box, line, context, "QUESTION")
    # A script is read before it is approved; ticks are looked at by those who want to.
    scripts = any(step.get("script") for step in steps)
    if scripts:
        _draw_change(box, request, view, context)
    else:
        draw_text(box, summary(steps), context)
    for finding in request.get("findings", ())[:SHOWN_FINDINGS]:
        draw_text(box, finding.get("message", ""), context, "ERROR")
    _draw_trial(box, request_id, request.get("dry_run"), view, context)
    _draw_answers(box, request_id, view.can_approve(request))
    if not scripts:
        _draw_change(box, request, view, context)


def _draw_answers(box: bpy.types.UILayout, request_id: str, open_to_approve: bool) -> None:
    """Draws the buttons, and the field for words that go with a rejection."""
    row = box.row(align=True)
    answers: tuple[tuple[str, IconItems, bool], ...] = (("Approve", "CHECKMARK", True), ("Reject", "X", False))
    for label, icon, accept in answers:
        cell = row.row(align=True)
        cell.enabled = open_to_approve or not accept
        button = cell.operator("geonode.decide", text=label, icon=icon)
        button.request_id, button.accept = request_id, accept
    box.prop(
        properties.edited(), "words", text="", placeholder="What should be different, for example: make it smaller"
    )


def _draw_change(
    box: bpy.types.UILayout, request: ApprovalRequest, view: session.Session, context: bpy.types.Context
) -> None:
    """Draws what would be applied."""
    steps = request.get("steps", [])
    if any(step.get("operations") or step.get("script") for step in steps):
        _draw_steps(box, steps, view, context)
    else:
        _draw_changes(box, request.get("diff", []), context)


def summary(steps: Sequence[AskedStep]) -> str:
    """What the steps do to the file, in one sentence."""
    counts: Counter[str] = Counter(o.get("topic", "new_nodes") for step in steps for o in step.get("operations", ()))
    named = {"removals": "removal", "changes": "change", "interface": "input or output", "new_nodes": "addition"}
    parts = [f"{counts[t]} {named[t]}{'s' if counts[t] != 1 else ''}" for t in TOPICS if counts[t]]
    parts = [part.replace("input or outputs", "inputs and outputs") for part in parts]
    if not parts:
        return ""
    harmless = not counts["removals"] and not counts["changes"] and not any(step.get("script") for step in steps)
    return ", ".join(parts) + ("; no node of yours is changed." if harmless else ".")


def _draw_steps(
    box: bpy.types.UILayout, steps: Sequence[AskedStep], view: session.Session, context: bpy.types.Context
) -> None:
    """Draws each step: its description, its operations in groups that can be opened, its script."""
    few = sum(len(step.get("operations", ())) for step in steps) <= FEW
    for step in steps:
        icon: IconItems = "ERROR" if step.get("destructive") else "NONE"
        operations = step.get("operations", [])
        if operations:
            draw_text(box, step.get("description") or step["step_id"], context, icon)
            for topic in TOPICS:
                group = [one for one in operations if one.get("topic", "new_nodes") == topic]
                if group:
                    _draw_group(box, step["id"], topic, group, few, view, context)
        else:
            # A step that cannot be divided is ticked as a whole.
            _draw_operation(box, step["id"], step.get("description", ""), icon, view, context)
        script = step.get("script")
        if script:
            _draw_script(box, step["id"], script, context)
    if view.followed:
        draw_text(box, f"{view.followed} more went along, because they need each other.", context, "LINKED")


def _draw_group(
    box: bpy.types.UILayout,
    step_id: str,
    topic: str,
    group: list[AskedOperation],
    few: bool,
    view: session.Session,
    context: bpy.types.Context,
) -> None:
    """Draws the operations of one topic: a tick for all of them, and each by itself once the group is opened."""
    name = f"{step_id}#{topic}"
    # What takes something away is always seen; a click turns any group to the other state.
    is_open = (few or topic == "removals") != (name in view.opened)
    out = sum(one["id"] in view.left_out for one in group)
    tick: IconItems = "CHECKBOX_DEHLT" if out == len(group) else "REMOVE" if out else "CHECKBOX_HLT"
    row = box.row(align=True)
    button = row.operator("geonode.choose_group", text="", icon=tick, emboss=False)
    button.step_id, button.topic = step_id, topic
    row.label(text=f"{TOPICS[topic]}: {len(group) - out}" + (f" of {len(group)}" if out else ""))
    arrow: IconItems = "DOWNARROW_HLT" if is_open else "RIGHTARROW"
    row.operator("geonode.open_group", text="", icon=arrow, emboss=False).group = name
    if not is_open:
        return
    for operation in group[:SHOWN_OPERATIONS]:
        icon: IconItems = "ERROR" if operation.get("destructive") else "NONE"
        _draw_operation(box, operation["id"], operation.get("words", ""), icon, view, context)
    if len(group) > SHOWN_OPERATIONS:
        box.label(text=f"and {len(group) - SHOWN_OPERATIONS} more")


def _draw_operation(
    box: bpy.types.UILayout,
    operation_id: str,
    text: str,
    icon: IconItems,
    view: session.Session,
    context: bpy.types.Context,
) -> None:
    wanted = operation_id not in view.left_out
    row = box.row(align=True)
    tick: IconItems = "CHECKBOX_HLT" if wanted else "CHECKBOX_DEHLT"
    row.operator("geonode.choose", text="", icon=tick, emboss=False).operation_id = operation_id
    words = row.column(align=True)
    words.active = wanted
    draw_text(words, text, context, icon, beside=True)


def _draw_script(box: bpy.types.UILayout, step_id: str, script: AskedScript, context: bpy.types.Context) -> None:
    """Draws the script that would run; of a long one in safe mode the beginning, until the artist opens the rest."""
    trusted = script["mode"] == "trusted"
    inner = box.box()
    head = inner.row(align=True)
    title = "Trusted: runs without any limits" if trusted else "Safe mode"
    head.label(text=f"{title} ({script['lines']} lines)", icon="ERROR" if trusted else "SCRIPT")
    head.operator("geonode.copy_script", text="", icon="COPYDOWN").step_id = step_id
    for line in script["removes"]:
        draw_text(inner, f"Removes data: {line}", context, "TRASH", nested=True)
    whole = trusted or step_id in session.current.opened
    hidden = draw_code(inner, script["code"], context, None if whole else SHOWN_LINES)
    if hidden:
        inner.operator("geonode.open_script", text=f"Show {hidden} More Lines", icon="DOWNARROW_HLT").step_id = step_id


def _draw_changes(box: bpy.types.UILayout, changes: list[str], context: bpy.types.Context) -> None:
    for line in changes[:SHOWN_CHANGES]:
        draw_text(box, line, context, "DOT")
    if len(changes) > SHOWN_CHANGES:
        box.label(text=f"and {len(changes) - SHOWN_CHANGES} more changes")


def _draw_trial(
    box: bpy.types.UILayout,
    request_id: str,
    offer: AskedDryRun | None,
    view: session.Session,
    context: bpy.types.Context,
) -> None:
    """Draws the button that starts a trial, during the trial its elapsed time, afterwards its result."""
    if view.trying:
        row = box.row(align=True)
        row.label(text=f"Dry run… {view.tried_s or 0} s", icon="SORTTIME")
        row.operator("geonode.stop_dry_run", text="", icon="CANCEL")
    elif offer:
        box.operator("geonode.dry_run", icon="EXPERIMENTAL").request_id = request_id
    result = offer.get("result") if offer else None
    if result and not view.trying:
        draw_text(box, result.get("text", ""), context, "CHECKMARK" if result.get("ok") else "ERROR")
        for line in result.get("did", ()):
            draw_text(box, line, context, "TRASH" if " removed: " in line else "DOT", nested=True)
        if result.get("form"):
            draw_text(box, result["form"], context, "CHECKMARK" if result.get("by_record") else "INFO", nested=True)
