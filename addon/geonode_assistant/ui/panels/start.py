# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a run: what it works on, who plans, examples to click, and the three questions that set up a planner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy

from ...messages import one_line
from ...run import choices, offers, sent, session
from .. import examples, preferences
from ..operators.connection import SETUP
from ..operators.data import SENT, described
from ..translation import say
from .wrapping import MARGIN_PX, draw_message, draw_text, draw_texts, fits, is_wide, labelled

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

SHOWN_EXAMPLES = 4
# Of what is sent: lines, and letters of each.
SHOWN_LINES, SHOWN_CHARACTERS = 30, 300
# Width that the frames of the panel and of a button take away from its text.
BUTTON_PX = 52
_TITLES = {provider.name: provider.title for provider in offers.PROVIDERS}


def draw_who(layout: bpy.types.UILayout, view: session.Session, context: bpy.types.Context) -> None:
    """Draws what the next prompt works on and who plans; both can be changed here."""
    column = layout.column(align=True)
    layer: Any = context.view_layer
    labelled(column, "Works on", context).prop(layer.objects, "active", text="")
    if context.mode != "OBJECT":
        draw_text(column, "Leave this mode for Object Mode; then a prompt can be sent.", context, "INFO")
    elif context.object is not None and context.object.type not in examples.CARRIERS:
        text = "No prompt can work on “{name}”: select another object, or name it in the prompt."
        draw_text(column, say(text, name=context.object.name), context, "INFO")
    stored = choices.stored()
    is_open = SETUP in view.shown
    icon: IconItems = "DOWNARROW_HLT" if is_open else "RIGHTARROW"
    if not is_wide(context):
        icon = "NONE"
    name = planner(stored)
    place = labelled(column, "Planned by", context, name)
    place.operator("geonode.show", text=name, icon=icon, depress=is_open).part = SETUP
    if is_open:
        draw_setup(layout, stored, context)


def planner(stored: Any) -> str:
    """Who plans, in a few words."""
    if stored is None or stored.provider == "offline":
        return _TITLES["offline"]
    named = "" if choices.is_key(stored.model) else stored.model
    return named or _TITLES.get(stored.provider, stored.provider)


def draw_setup(layout: bpy.types.UILayout, stored: Any, context: bpy.types.Context) -> None:
    """Draws the questions that set up a planner, and the outcome of a test."""
    box = layout.box()
    if stored is None:
        draw_text(box, "Enable the add-on in Preferences > Add-ons to choose a planner.", context, "INFO")
        return
    box.label(text="1. Planned by")
    box.prop(stored, "provider", text="")
    if stored.provider == "offline":
        draw_text(box, "It needs no key and no network, and knows a library of presets.", context)
        draw_text(box, "A language model understands more. One that runs on this computer needs no key:", context)
        box.operator("geonode.find_servers", icon="VIEWZOOM")
        draw_connection(box, context)
        return
    if stored.provider in offers.SERVERS:
        box.label(text="2. Where is it?")
        box.prop(stored, "base_url", text="", placeholder="http://127.0.0.1:11434/v1")
        box.operator("geonode.find_servers", icon="VIEWZOOM")
    else:
        box.label(text="2. What is your key?")
    preferences.draw_key(box, stored, lambda place, text, icon: draw_text(place, text, context, icon))
    if not bpy.app.online_access:
        draw_text(
            box,
            "Online access is off: only servers on this machine can be used. Allow it in Preferences > System.",
            context,
            "INTERNET_OFFLINE",
        )
    box.label(text="3. Which model?")
    box.prop(stored, "model", text="", placeholder="Name of the model")
    box.operator("geonode.test_connection", icon="LINKED")
    draw_connection(box, context)
    is_open = SENT in session.current.shown
    box.operator("geonode.show_sent", icon="DOWNARROW_HLT" if is_open else "RIGHTARROW", depress=is_open)
    if is_open:
        draw_texts(box, ((line, "DOT") for line in sent.BESIDE), context)
        for line in described[:SHOWN_LINES]:
            draw_text(box, one_line(line, SHOWN_CHARACTERS), context, "BLANK1")


def draw_connection(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draws what the last test found, and the servers on this machine, each model as a button."""
    state = preferences.connection_state
    if state.busy:
        draw_text(layout, "Waiting for an answer… (Esc cancels)", context, "SORTTIME")
    elif state.outcome is not None:
        found = state.outcome
        shown: IconItems = "CHECKMARK" if found.ok else "ERROR"
        draw_message(layout, found.code or "", found.text, found.hint or "", context, shown)
        if not state.outcome.ok:
            draw_models(layout, state.outcome.models)
    column = layout.column(align=True)
    for server in state.servers:
        for model in server.models[: state.SHOWN_MODELS]:
            button = column.operator("geonode.use_server", text=f"{model} ({server.name})", translate=False)
            button.base_url, button.model = server.base_url, model


def draw_models(layout: bpy.types.UILayout, models: Sequence[str]) -> None:
    """Draws the models that the chosen server offers as buttons; nothing without any."""
    column = layout.column(align=True)
    for model in models[: preferences.ConnectionState.SHOWN_MODELS]:
        column.operator("geonode.use_model", text=model, translate=False).model = model


def draw_start(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draws what a newcomer can do: examples for the active object."""
    found = examples.prompts(context, lambda prompt: fits(context, prompt, BUTTON_PX - MARGIN_PX))
    if not found:
        draw_text(layout, "Select a mesh or a curve: its examples appear here.", context, "INFO")
        return
    column = layout.column(align=True)
    draw_text(column, "For example (a click fills it in):", context)
    for prompt in found[:SHOWN_EXAMPLES]:
        column.operator("geonode.use_example", text=prompt, translate=False).prompt = prompt
    column = layout.column(align=True)
    draw_text(column, "Or one of the presets, made at once:", context)
    column.operator("geonode.surprise", icon="PLAY")
