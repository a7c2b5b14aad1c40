# SPDX-License-Identifier: GPL-3.0-or-later
"""The question that a run asks before it writes, drawn in the sidebar: reason, summary, trial, answers, changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ...messages import one_line
from ...run import session
from .. import properties
from ..history import asked
from ..translation import say
from ..wording import rounded
from .wrapping import draw_code, draw_message, draw_text, draw_texts, fits, is_wide, side_by_side

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

    from ...run.protocol import ApprovalRequest, AskedDryRun, AskedOperation, AskedScript, AskedStep

# Letters of a prompt.
SHOWN_LETTERS = 200
SHOWN_CHANGES, SHOWN_OPERATIONS, SHOWN_FINDINGS, SHOWN_NEWS = 12, 40, 6, 6
TRY_FIRST = "It is tried on a copy of the file first; then it can be approved."
# The group of all changes of a plan that is not divided.
ALL = "changes"
# What only sets values is told in the summary; its operations are shown when they are asked for.
SINGLY = "singly"
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
    """Draws one request for approval: the artist's words, what they do in a few sentences, the answers, then each
    change. The session knows which operations are left out.
    """
    view = session.current
    box = layout.box()
    if view.is_prompt and view.prompt.strip():
        draw_text(box, f"“{one_line(asked(view.prompt), SHOWN_LETTERS)}”", context, "GREASEPENCIL")
    reasons = list(dict.fromkeys(reason for step in request.get("steps", ()) if (reason := step.get("reason"))))
    draw_texts(box, ((line, "DOT") for line in request.get("summary", ())), context)
    for line in reasons or [request.get("reason") or "This plan needs your approval."]:
        draw_text(box, line, context, "QUESTION")
    if view.former_question is not None:
        _draw_news(box, view.former_question, request, context)
    _draw_answers(box, request_id, request, view, context)
    # What comes up later stands below the answers, so that these never move under the pointer.
    for finding in request.get("findings", ())[:SHOWN_FINDINGS]:
        draw_message(box, finding.get("code", ""), finding.get("message", ""), "", context, "ERROR")
    _draw_trial(box, request_id, request.get("dry_run"), view, context)
    _draw_change(box, request, view, context)


def _draw_answers(
    box: bpy.types.UILayout,
    request_id: str,
    request: ApprovalRequest,
    view: session.Session,
    context: bpy.types.Context,
) -> None:
    """Draws the buttons, and the field for words that go with a rejection. They stand above what is asked about, so
    that they are in sight however long that is.
    """
    row = box.row(align=True)
    # In a narrow sidebar the words take the room of their icons.
    wide = is_wide(context)
    answers: tuple[tuple[str, IconItems, bool], ...] = (
        ("Approve", "CHECKMARK" if wide else "NONE", True),
        ("Reject", "X" if wide else "NONE", False),
    )
    is_open = view.can_approve(request)
    for label, icon, accept in answers:
        cell = row.row(align=True)
        cell.enabled = is_open or not accept
        button = cell.operator("geonode.decide", text=label, icon=icon)
        button.request_id, button.accept = request_id, accept
    if not is_open:
        draw_text(box, view.unread(request) or TRY_FIRST, context, "INFO")
    hint = "What should be different, for example: make it smaller"
    if not fits(context, say(hint)):
        hint = "What should be different"
    box.prop(properties.edited(), "words", text="", placeholder=hint)


def _draw_news(
    box: bpy.types.UILayout, former: ApprovalRequest, request: ApprovalRequest, context: bpy.types.Context
) -> None:
    """Draws how this plan differs from the one that was asked about before."""
    then, now = former.get("diff", []), request.get("diff", [])
    news: list[tuple[str, IconItems]] = [(line, "ADD") for line in now if line not in then]
    gone: list[tuple[str, IconItems]] = [(line, "REMOVE") for line in then if line not in now]
    scripts = [[step.get("script") for step in one.get("steps", ())] for one in (former, request)]
    if scripts[0] != scripts[1]:
        news.insert(0, ("The script is another one", "SCRIPT"))
    found = [*news, *gone]
    inner = box.box()
    head = "Against the question before" if found else "The same changes as in the question before"
    draw_text(inner, head, context, "FILE_REFRESH", nested=True)
    draw_texts(inner, found[:SHOWN_NEWS], context)
    if len(found) > SHOWN_NEWS:
        inner.label(text=say("and {count} more changes", count=len(found) - SHOWN_NEWS))


def _draw_change(
    box: bpy.types.UILayout, request: ApprovalRequest, view: session.Session, context: bpy.types.Context
) -> None:
    """Draws what would be applied: operations to tick, or, of a plan that is not divided, what it changes."""
    steps = request.get("steps", [])
    divided = any(step.get("operations") for step in steps)
    if divided and only_values(steps):
        is_open = SINGLY in view.opened
        arrow: IconItems = "DOWNARROW_HLT" if is_open else "RIGHTARROW"
        box.operator("geonode.open_group", text="Choose One by One", icon=arrow).group = SINGLY
        if not is_open:
            return
    if divided or len(steps) > 1 or any(step.get("script") for step in steps):
        _draw_steps(box, steps, view, context)
    elif steps:
        draw_text(box, steps[0].get("description", ""), context)
    if not divided:
        _draw_changes(box, request.get("diff", []), view, context)


def only_values(steps: Sequence[AskedStep]) -> bool:
    """Whether a plan does nothing but to set inputs, outputs and values."""
    return all(
        not step.get("script")
        and step.get("operations")
        and all(one.get("topic") == "interface" for one in step["operations"])
        for step in steps
    )


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
            _draw_script(box, step["id"], script, view, context)
    if view.followed:
        draw_text(
            box, say("{count} more went along, because they need each other.", count=view.followed), context, "LINKED"
        )


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
    draw_text(
        row.column(align=True),
        _counted(TOPICS[topic], len(group) - out, len(group)),
        context,
        beside=True,
        nested=True,
    )
    arrow: IconItems = "DOWNARROW_HLT" if is_open else "RIGHTARROW"
    row.operator("geonode.open_group", text="", icon=arrow, emboss=False).group = name
    if not is_open:
        return
    for operation in group[:SHOWN_OPERATIONS]:
        icon: IconItems = "ERROR" if operation.get("destructive") else "NONE"
        _draw_operation(box, operation["id"], operation.get("words", ""), icon, view, context)
    if len(group) > SHOWN_OPERATIONS:
        box.label(text=say("and {count} more", count=len(group) - SHOWN_OPERATIONS))


def _counted(topic: str, count: int, of: int) -> str:
    """How many operations of a topic are ticked."""
    if count == of:
        return say("{topic}: {count}", topic=say(topic), count=count)
    return say("{topic}: {count} of {all}", topic=say(topic), count=count, all=of)


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
    draw_text(words, rounded(text), context, icon, beside=True)


def _draw_script(
    box: bpy.types.UILayout, step_id: str, script: AskedScript, view: session.Session, context: bpy.types.Context
) -> None:
    """Draws a page of the script that would run; what removes data is marked at its line."""
    trusted = script["mode"] == "trusted"
    inner = box.box()
    inner.alert = trusted
    head = inner.row(align=True)
    title = say("Trusted ({count} lines)" if trusted else "Safe mode ({count} lines)", count=script["lines"])
    draw_text(head.column(), title, context, "ERROR" if trusted else "SCRIPT", beside=True, nested=True)
    head.operator("geonode.read_script", text="", icon="WORDWRAP_OFF").step_id = step_id
    head.operator("geonode.copy_script", text="", icon="COPYDOWN").step_id = step_id
    if trusted:
        draw_text(inner, "It runs without any limits, in this file and outside of it.", context, nested=True)
    pages, page = session.pages_of(script["code"]), view.pages.get(step_id, 0)
    if pages > 1:
        turns: tuple[tuple[str, int, IconItems], ...]
        turns = (("Back", page - 1, "TRIA_LEFT"), ("Next Page", page + 1, "TRIA_RIGHT"))
        inner.label(text=say("Page {page} of {pages}", page=page + 1, pages=pages))
        row = side_by_side(inner, context, *(text for text, *_ in turns))
        for text, to, icon in turns:
            cell = row.row(align=True)
            cell.enabled = 0 <= to < pages
            button = cell.operator("geonode.turn_page", text=text, icon=icon)
            button.step_id, button.page = step_id, to
    plain = inner.column(align=True)
    plain.alert = False
    most = session.PAGE_LINES
    draw_code(plain, script["code"], context, page * most + 1, most, script["marks"])
    if trusted and page == pages - 1:
        is_wanted = step_id in view.confirmed
        tick: IconItems = "CHECKBOX_HLT" if is_wanted else "CHECKBOX_DEHLT"
        inner.operator("geonode.confirm_script", icon=tick, depress=is_wanted).step_id = step_id


def _draw_changes(
    box: bpy.types.UILayout, changes: list[str], view: session.Session, context: bpy.types.Context
) -> None:
    """Draws what is changed, line by line; of many the first, until all are asked for."""
    is_open = ALL in view.opened
    draw_texts(box, ((rounded(line), "DOT") for line in (changes if is_open else changes[:SHOWN_CHANGES])), context)
    if len(changes) > SHOWN_CHANGES:
        text = "Show Fewer" if is_open else say("Show {count} More Changes", count=len(changes) - SHOWN_CHANGES)
        box.operator("geonode.open_group", text=text).group = ALL


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
        row.label(text=say("Dry run… {seconds} s", seconds=view.tried_s or 0), icon="SORTTIME")
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
