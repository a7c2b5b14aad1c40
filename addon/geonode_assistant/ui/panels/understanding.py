# SPDX-License-Identifier: GPL-3.0-or-later
"""How the offline planner read a prompt, on the card of its result: which words set which value, what was assumed, and
what was not used. Each value stands beside its live slider, so that a wrong one is corrected where it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Any

import bpy

from ...host import sliders
from ...run import session
from .. import wording
from ..translation import named, say, told
from .wrapping import draw_text, draw_texts, is_wide

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

    from ...run.protocol import Understanding, UnderstoodParameter

PART = "understanding"
# Of what was assumed about the scene: lines that are in sight without opening anything.
IN_SIGHT = 3
ASSUMED = "Values without a note below were assumed."
ALL_ASSUMED = "None of your words set a value: all of them were assumed."


def done_lines(read: Understanding) -> list[str]:
    """What was done, one sentence each."""
    return [line for text in read.get("done", []) for line in wording.sentences(text)]


def draw_remarks(layout: bpy.types.UILayout, read: Understanding, context: bpy.types.Context) -> None:
    """Draws what was taken in place of something else and the words that nothing used, while the rest is closed too."""
    for line in read["assumed"][:IN_SIGHT]:
        draw_text(layout, line, context, "INFO")
    if read["unused"]:
        words = ", ".join(f"“{word}”" for word in read["unused"])
        draw_text(layout, say("Not used: {words}.", words=words), context, "ERROR")


def draw_understanding(
    layout: bpy.types.UILayout,
    view: session.Session,
    read: Understanding,
    shown: Set[str],
    context: bpy.types.Context,
) -> None:
    """Draws the button that opens the understanding; if it is open, all that has no slider of its own. ``shown``: the
    names of the sliders.
    """
    is_open = PART in view.shown
    icon: IconItems = "DOWNARROW_HLT" if is_open else "RIGHTARROW"
    if not is_wide(context):
        icon = "NONE"
    layout.operator("geonode.show", text="How It Was Understood", icon=icon, depress=is_open).part = PART
    if not is_open:
        return
    lines = [_read_as(read)]
    lines += [_without_slider(parameter) for parameter in read["parameters"] if parameter["input"] not in shown]
    lines += [*done_lines(read)[1:], *read["assumed"][IN_SIGHT:]]
    said = [parameter["said"] is not None for parameter in read["parameters"] if parameter["input"] in shown]
    if not all(said):
        lines.append(ASSUMED if any(said) else ALL_ASSUMED)
    draw_texts(layout, ((line, "DOT") for line in lines), context)


def _read_as(read: Understanding) -> str:
    if read["thing"]:
        return say("As “{preset}”, placing {thing}.", preset=told(read["preset"]), thing=read["thing"])
    return say("As “{preset}”.", preset=told(read["preset"] or ""))


def notes(view: session.Session, modifier: Any, found: Iterable[sliders.Slider], alone: bool) -> dict[str, str]:
    """What is to be said below the sliders of a modifier, by their identifiers; nothing while this is closed.
    ``alone``: it is the only one of the result.
    """
    read = view.understanding
    if read is None or PART not in view.shown:
        return {}
    # Another modifier may use the same tree with values of its own.
    if not alone and (modifier.name, modifier.id_data.name) != (read["modifier"], read["object"]):
        return {}
    known = {parameter["input"]: parameter for parameter in read["parameters"]}
    said = {
        slider.identifier: _note(known[slider.name], view.is_as_left(modifier, slider))
        for slider in found
        if slider.name in known
    }
    return {identifier: note for identifier, note in said.items() if note}


def _note(parameter: UnderstoodParameter, is_as_left: bool) -> str:
    if is_as_left:
        # One line says it for all that no word set.
        return _source(parameter) if parameter["said"] is not None else ""
    said = parameter["said"]
    value = parameter["value"]
    if not said:
        return say("changed since; it was {value}", value=value)
    return say("changed since; “{said}” was {value}", said=said, value=value)


def _without_slider(parameter: UnderstoodParameter) -> str:
    """What was read as a parameter that the result does not have: it shaped the tree, or another one came first."""
    said, value, title = parameter["said"], parameter["value"], named(parameter["title"])
    if title == parameter["title"]:
        title = title.lower()
    if not said:
        return say("Your words were read as {title} {value}, which has no slider here.", title=title, value=value)
    return say("“{said}” was read as {title} {value}, which has no slider here.", said=said, title=title, value=value)


def _source(parameter: UnderstoodParameter) -> str:
    said = parameter["said"]
    if said is None:
        return say("assumed")
    return say("from “{said}”", said=said) if said else say("from your words")
