# SPDX-License-Identifier: GPL-3.0-or-later
"""The question that a run asks before it writes, drawn in the sidebar: reason, operations to tick, answers, trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...run import session
from .. import properties
from .wrapping import draw_code, draw_text

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

    from ...run.protocol import ApprovalRequest, AskedDryRun, AskedOperation, AskedScript, AskedStep

SHOWN_CHANGES, SHOWN_OPERATIONS, SHOWN_FINDINGS, SHOWN_LINES = 12, 40, 6, 30


def draw_question(
    layout: bpy.types.UILayout, request_id: str, request: ApprovalRequest, context: bpy.types.Context
) -> None:
    """Draws one request for approval; the session knows which operations are left out."""
    view = session.current
    box = layout.box()
    draw_text(box, request.get("reason", "This plan needs your approval."), context, "QUESTION")
    if any(step.get("operations") or step.get("script") for step in request.get("steps", ())):
        _draw_steps(box, request["steps"], view.left_out, context)
    else:
        _draw_changes(box, request.get("diff", []), context)
    for finding in request.get("findings", ())[:SHOWN_FINDINGS]:
        draw_text(box, finding.get("message", ""), context, "ERROR")
    _draw_trial(box, request_id, request.get("dry_run"), view, context)
    open_to_approve = view.can_approve(request)
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


def _draw_steps(
    box: bpy.types.UILayout, steps: list[AskedStep], left_out: set[str], context: bpy.types.Context
) -> None:
    """Draws every operation with its number and its tick; the numbers run through all steps."""
    number = 0
    for step in steps:
        icon: IconItems = "ERROR" if step.get("destructive") else "NONE"
        # A step that cannot be divided is ticked as a whole.
        whole: list[AskedOperation] = [{"id": step["id"], "words": step.get("description", ""), "destructive": False}]
        if step.get("operations"):
            draw_text(box, step.get("description") or step["step_id"], context, icon)
        for operation in step.get("operations") or whole:
            number += 1
            # A script is always shown, however many operations come before it.
            if number <= SHOWN_OPERATIONS or step.get("script"):
                _draw_operation(box, number, operation, operation["id"] not in left_out, context, icon)
        script = step.get("script")
        if script:
            _draw_script(box, step["id"], script, context)
    if number > SHOWN_OPERATIONS:
        box.label(text=f"and {number - SHOWN_OPERATIONS} more operations")


def _draw_operation(
    box: bpy.types.UILayout,
    number: int,
    operation: AskedOperation,
    wanted: bool,
    context: bpy.types.Context,
    icon: IconItems = "NONE",
) -> None:
    row = box.row(align=True)
    tick: IconItems = "CHECKBOX_HLT" if wanted else "CHECKBOX_DEHLT"
    row.operator("geonode.choose", text="", icon=tick, emboss=False).operation_id = operation["id"]
    words = row.column(align=True)
    words.active = wanted
    mark = "ERROR" if operation.get("destructive") else icon
    draw_text(words, f"{number}. {operation.get('words', '')}", context, mark, beside=True)


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
