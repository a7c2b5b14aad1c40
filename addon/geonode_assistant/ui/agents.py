# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs in the interface: the timer that carries out their calls, and the lines that say who is there."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy

from ..agents.server import PORT, Asked
from ..agents.server import current as programs
from ..run import choices
from . import polling
from .translation import say

# Short enough for a client that waits; a tick without calls costs a few microseconds.
INTERVAL_S = 0.01
# Characters of a line in the sidebar.
LINE = 44
# The panel is drawn again for changes of who is connected this often.
SHOWN_S = 1.0

_shown: list[str] = []
_waited = 0.0


def follow(switched_on: bool) -> None:
    """Starts the server and its timer, or stops both."""
    if switched_on:
        programs.start()
        if programs.running and not bpy.app.timers.is_registered(tick):
            bpy.app.timers.register(tick, first_interval=INTERVAL_S, persistent=True)
    else:
        stop()


def follow_preferences() -> None:
    """Starts the server if the preference says so; the add-on has been switched on. While it is registered Blender's
    data cannot be used, so this takes a moment; nobody is there to answer in the background.
    """
    if not bpy.app.background:
        bpy.app.timers.register(_follow_preferences, first_interval=INTERVAL_S)


def _follow_preferences() -> None:
    stored: Any = choices.stored()
    if stored is not None and stored.agents:
        follow(True)


def stop() -> None:
    """Stops the server and its timer."""
    programs.stop()
    for timer in (tick, _follow_preferences):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)


def tick() -> float | None:
    """Carries out calls of other programs; returns the seconds until the next tick, or None once the server is off."""
    global _waited
    if not programs.running:
        return None
    if programs.tick():
        polling.start()
        polling.redraw()
    _waited += INTERVAL_S
    if _waited >= SHOWN_S:
        _waited = 0.0
        names = [*lines(), programs.asked.text if programs.asked is not None else ""]
        if names != _shown:
            _shown[:] = names
            polling.redraw()
    return INTERVAL_S


def lines() -> list[str]:
    """Who is connected, one line each."""
    found = []
    for client in programs.clients():
        text = "{client}: waits" if client["open"] else "{client}: connected"
        if client["name"] == programs.writer:
            text = "{client}: is changing the file" if programs.asked is None else "{client}: asks"
        line = say(text, client=client["name"])
        found.append(say("{line}, may make changes", line=line) if client["name"] in programs.allowed else line)
    return found


def draw_programs(layout: bpy.types.UILayout) -> None:
    """Draws who is connected and the artist's say over them; nothing while the server is off."""
    if not programs.running:
        return
    box = layout.box()
    named = lines()
    title = "Other programs are paused" if programs.paused else "Other programs may connect"
    box.label(text=title, icon="PAUSE" if programs.paused else "LINKED")
    for client, line in zip(programs.clients(), named, strict=False):
        row = box.row(align=True)
        row.label(text=line, translate=False)
        allowed = client["name"] in programs.allowed
        button = row.operator("geonode.allow_program", text="", icon="UNLOCKED" if allowed else "LOCKED")
        button.program = client["name"]
    if programs.asked is not None:
        _draw_question(box, programs.asked)
    row = box.row(align=True)
    row.operator("geonode.pause_programs", text="Go On" if programs.paused else "Pause")
    row.operator("geonode.take_over")
    row.operator("geonode.revoke_programs")


def _draw_question(box: bpy.types.UILayout, asked: Asked) -> None:
    column = box.column(align=True)
    column.label(text=say("{client} wants to", client=asked.client), icon="QUESTION", translate=False)
    for line in textwrap.wrap(asked.text, LINE):
        column.label(text=line, translate=False)
    row = box.row(align=True)
    row.operator("geonode.answer_program", text="Allow").accept = True
    row.operator("geonode.answer_program", text="Reject").accept = False


def draw_preferences(layout: bpy.types.UILayout, stored: Any) -> None:
    """Draws the switch, and what a client needs to connect."""
    layout.prop(stored, "agents")
    if programs.error is not None:
        layout.label(text=programs.error.message, icon="ERROR")
    if programs.running:
        if programs.elsewhere:
            text = say("Port {port} is taken, perhaps by another Blender: this one has its own address", port=PORT)
            layout.label(text=text, icon="INFO")
        row = layout.row()
        row.label(text=say("Listening on {url}, for programs on this computer only", url=programs.url), icon="LINKED")
        row.operator("geonode.copy_client_command")
        row.operator("geonode.copy_client_configuration")
