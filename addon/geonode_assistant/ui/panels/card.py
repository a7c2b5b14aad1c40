# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of a run as a card: one sentence, how it was understood, the inputs of what was made, what can be done
next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...host import sliders, visibility
from ...run import session
from .. import next_steps, pictures, properties, wording
from ..operators.keep import kept
from ..translation import named, say, told_of
from .log import ICONS, draw_output
from .start import draw_models
from .understanding import done_lines, draw_remarks, draw_understanding, notes
from .wrapping import draw_message, draw_text, side_by_side

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

UNDONE = "The result was taken back by Undo; Redo brings it again."
FORMER = "The result before is as it was:"
REMOVED = "What this made has been removed since:"
# Letters of messages from which on all but their first sentences are closed.
DETAILS, LONG = "details", 240
# Of each; the modifier's own panel and the log have all of them.
SHOWN_RESULTS, SHOWN_SLIDERS, SHOWN_LINES, SHOWN_MESSAGES = 3, 16, 6, 6
# Of pictures: how much of the width they do not have, and the largest, both in heights of a button.
NOT_PICTURES, LARGEST = 4, 8
# Characters of what a model wrote in place of a plan.
SHOWN_CHARACTERS = 600


def draw_card(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws the outcome of the run that has ended."""
    box = layout.box()
    if view.undone:
        draw_text(box, UNDONE, context, "LOOP_BACK")
        row = side_by_side(box, context, "Try Again")
        row.operator("ed.redo", icon="LOOP_FORWARDS")
        _draw_again(row, view, True)
    elif view.summary == "DONE":
        _draw_done(box, view, context)
    elif view.summary == "ERROR":
        _draw_failed(box, view, context)
    else:
        draw_text(box, "Cancelled; nothing was changed.", context, "CANCEL")
        row = side_by_side(box, context, "Try Again", log_text(view))
        _draw_again(row, view, True)
        draw_log_button(row, view)
        _draw_former(box, view, context)


def _draw_done(box: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    results, read, card = view.results, view.understanding, box
    # The rest of the planner's message is shown as data, on demand.
    said = list(done_lines(read)[:1] if read is not None else ()) or list(wording.sentences(view.final_message))
    if view.unchanged and (view.steps or not said):
        # Without steps it was a question, and what is said is the answer.
        said.insert(0, say("Done: nothing had to be changed."))
    elif not said:
        said.append(
            say("Made “{modifier}” on “{object}”.", modifier=results[0].name, object=results[0].id_data.name)
            if results
            else say("Done.")
        )
    if view.removed:
        _draw_removed(box, view, said[0], context)
        return
    draw_text(box, said[0], context, "CHECKMARK")
    if read is not None and results:
        draw_remarks(box, read, context)
    column = box.column(align=True)
    for line in said[1 : 1 + SHOWN_LINES]:
        draw_text(column, line, context, "DOT")
    for step in view.steps:
        draw_output(box, step, context)
    draw_messages(box, view, context)
    shown = [(modifier, sliders.of(modifier)) for modifier in results]
    if read is not None and results:
        draw_understanding(box, view, read, {slider.name for _, found in shown for slider in found}, context)
    draw_results(box, view, shown, context)
    if results:
        row = side_by_side(box, context, "Open Tree")
        row.operator("ed.undo", icon="LOOP_BACK")
        row.operator("geonode.open_tree", icon="NODETREE")
        _draw_again(box, view)
        draw_keep(box, results[0].node_group, True, context)
        box.prop(properties.edited(), "change", text="", placeholder="What should be different")
        box = side_by_side(box, context, "Change", log_text(view))
        box.operator("geonode.change", text="Change", icon="PLAY")
    draw_log_button(box, view)
    if results:
        # Below the buttons, which have to be in sight.
        draw_pair(card, pictures.runs.of_report(view.report), context)
    if view.unchanged and not results:
        _draw_former(box, view, context)


def _draw_removed(box: bpy.types.UILayout, view: session.Session, done: str, context: bpy.types.Context) -> None:
    """What was made is gone: nothing of it stands or can be changed, but it can be made again."""
    draw_text(box, REMOVED, context, "INFO")
    draw_text(box, done, context, "BLANK1")
    row = side_by_side(box, context, "Try Again" if view.is_prompt else "Gallery", log_text(view))
    if view.is_prompt:
        _draw_again(row, view, True)
    else:
        row.operator("geonode.gallery", icon="PRESET")
    draw_log_button(row, view)


def draw_pair(layout: bpy.types.UILayout, icons: tuple[int, int], context: bpy.types.Context) -> None:
    """Draws the 3D View before and after a run beside each other; nothing without both."""
    if not all(icons):
        return
    preferences: Any = context.preferences
    region: Any = context.region
    unit = 20 * preferences.system.ui_scale
    row = layout.row(align=True)
    for icon, text in zip(icons, ("Before", "After"), strict=True):
        column = row.column(align=True)
        column.template_icon(icon_value=icon, scale=min((region.width / unit - NOT_PICTURES) / 2, LARGEST))
        name = column.row()
        name.alignment = "CENTER"
        name.label(text=text)


def _draw_failed(box: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """What went wrong, what it means for the file, and what to do next; a long explanation is closed."""
    draw_messages(box, view, context, is_short=True)
    if any(message.get("code") == "invalid_json" for message in view.messages):
        words = view.text[:SHOWN_CHARACTERS].strip()
        if words:
            draw_text(box, "It answered:", context)
            draw_text(box, words, context, "BLANK1")
    _draw_next(box, view, context)
    row = side_by_side(box, context, "Try Again", log_text(view))
    _draw_again(row, view)
    draw_log_button(row, view)
    _draw_former(box, view, context)


def _draw_next(box: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """The buttons that do the next right thing."""
    kind = context.object.type if context.object is not None else ""
    found = next_steps.of(view, kind)
    if any(message.get("code") == "unknown_model" for message in view.messages):
        draw_models(box, next_steps.offered())
    column = box.column(align=True)
    for step in found:
        button = column.operator(step.operator, text=step.text, icon=step.icon)
        for name, value in step.values.items():
            setattr(button, name, value)


def _draw_former(box: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """The result before a run that made none: it stands, and can be changed with other words."""
    standing = view.standing
    if not standing:
        return
    draw_text(box, FORMER, context, "CHECKMARK")
    draw_results(box, view, [(modifier, sliders.of(modifier)) for modifier in standing], context)
    box.prop(properties.edited(), "change", text="", placeholder="What should be different")
    row = side_by_side(box, context, "Change", "Open Tree")
    row.operator("geonode.change", text="Change", icon="PLAY")
    row.operator("geonode.open_tree", icon="NODETREE")


def _draw_again(layout: bpy.types.UILayout, view: session.Session, is_gone: bool = False) -> None:
    """The button that sends the prompt again, where there was one; the offline planner gives one prompt one answer,
    which is of use where there is none any more (``is_gone``).
    """
    if view.is_prompt and (is_gone or provider_of(view) != wording.OFFLINE):
        layout.operator("geonode.try_again", icon="FILE_REFRESH")


def provider_of(view: session.Session) -> str:
    """Who planned the run that has ended."""
    return view.report.provider if view.report is not None else wording.OFFLINE


def draw_messages(
    layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context, is_short: bool = False
) -> None:
    """What there is to say besides the closing message, in words for the artist. ``is_short``: of each the first
    sentence, the rest on demand.
    """
    done = view.final_message if view.summary == "DONE" else ""
    lines = wording.lines(view.messages, provider_of(view), done, view.told)[:SHOWN_MESSAGES]
    is_long = is_short and sum(len(line.text) + len(line.hint) for line in lines) > LONG
    if not is_long or DETAILS in view.shown:
        for line in lines:
            draw_message(layout, line.code, line.text, line.hint, context, ICONS.get(line.severity, "NONE"))
    else:
        for line in lines:
            # In the language of the interface, and only then divided.
            first = next(iter(wording.sentences(" ".join(told_of(line.code, line.text)))), "")
            draw_text(layout, first, context, ICONS.get(line.severity, "NONE"))
    if is_long:
        is_open = DETAILS in view.shown
        arrow: IconItems = "DOWNARROW_HLT" if is_open else "RIGHTARROW"
        layout.operator("geonode.show", text="Show Details", icon=arrow, depress=is_open).part = DETAILS


def log_text(view: session.Session) -> str:
    """What stands on the button of the log."""
    return "Hide Log" if "log" in view.shown else "Show Log"


def draw_log_button(layout: bpy.types.UILayout, view: session.Session) -> None:
    """The button that shows the log of the run below the card, or hides it."""
    is_open = "log" in view.shown
    button = layout.operator("geonode.show", text=log_text(view), icon="TEXT", depress=is_open)
    button.part = "log"


def draw_keep(layout: bpy.types.UILayout, tree: Any, of_result: bool, context: bpy.types.Context) -> None:
    """Draws the button that keeps a tree as a preset and, once that was done, where it is now."""
    layout.operator("geonode.keep_preset", icon="PRESET_NEW").of_result = of_result
    title = kept.title(tree)
    if title:
        draw_text(
            layout,
            say("Kept as “{title}”: it is in the Gallery, and prompts find it by its name.", title=title),
            context,
            "CHECKMARK",
        )
        for loss in kept.losses:
            draw_text(layout, loss, context, "ERROR")


def draw_results(
    layout: bpy.types.UILayout,
    view: session.Session,
    results: list[tuple[Any, list[sliders.Slider]]],
    context: bpy.types.Context,
) -> None:
    """Draws the modifiers that hold the result, each with its inputs and with what hides it."""
    for modifier, found in results[:SHOWN_RESULTS]:
        box = layout.box()
        name, of = modifier.name, modifier.id_data.name
        # What was made as an object of its own has the name of its modifier.
        title = name if name == of else say("{modifier} on {object}", modifier=name, object=of)
        draw_text(box, title, context, "GEOMETRY_NODES", nested=True)
        unseen = visibility.why_unseen(modifier, context.view_layer) or visibility.within(modifier, context.view_layer)
        draw_text(box, unseen, context, "HIDE_ON", nested=True)
        column = box.column(align=True)
        said = notes(view, modifier, found, len(results) == 1)
        for slider in found[:SHOWN_SLIDERS]:
            _draw_slider(column, slider)
            if slider.identifier in said:
                note = column.column(align=True)
                note.active = False
                draw_text(note, said[slider.identifier], context, nested=True)
        if len(found) > SHOWN_SLIDERS:
            box.label(text=say("{count} more in the modifier", count=len(found) - SHOWN_SLIDERS))


def _draw_slider(column: bpy.types.UILayout, slider: sliders.Slider) -> None:
    name = named(slider.name)
    if slider.is_seed:
        row = column.row(align=True)
        row.prop(slider.owner, slider.path, text=name, translate=False)
        row.operator("geonode.randomize", text="", icon="FILE_REFRESH")
    elif slider.is_vector:
        column.label(text=name, translate=False)
        column.row(align=True).prop(slider.owner, slider.path, text="")
    elif slider.lists is None:
        column.prop(slider.owner, slider.path, text=name, translate=False)
    else:
        column.prop_search(slider.owner, slider.path, slider.lists, slider.list_of, text=name, translate=False)
