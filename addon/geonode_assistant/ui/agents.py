# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs in the interface: the timer that carries out their calls, and the lines that say who is there."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

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
_asked = 0


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
    global _waited, _asked
    if not programs.running:
        return None
    if programs.tick():
        polling.start()
        polling.redraw()
    asked = programs.asked.number if programs.asked is not None else 0
    if asked != _asked:
        # What the artist answers is what they see.
        _asked = asked
        polling.redraw()
    _waited += INTERVAL_S
    if _waited >= SHOWN_S:
        _waited = 0.0
        names = [*(one.line for one in shown()), programs.asked.text if programs.asked is not None else ""]
        if names != _shown:
            _shown[:] = names
            polling.redraw()
    return INTERVAL_S


class Shown(NamedTuple):
    """A line of the sidebar: the sessions of one name, apart from those of the same name that may make changes."""

    line: str
    sessions: frozenset[int]
    is_allowed: bool


def shown() -> list[Shown]:
    """Who is connected."""
    together: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for client in programs.clients():
        together.setdefault((client["name"], client["session"] in programs.allowed), []).append(client)
    found = []
    for (name, is_allowed), sessions in together.items():
        numbers = frozenset(one["session"] for one in sessions)
        text = "{client}: waits" if any(one["open"] for one in sessions) else "{client}: connected"
        if programs.writer is not None and programs.writer.name == name and programs.writer.session in numbers:
            text = "{client}: is changing the file" if programs.asked is None else "{client}: asks"
        line = say(text, client=f"{name} ({len(sessions)})" if len(sessions) > 1 else name)
        line = say("{line}, may make changes", line=line) if is_allowed else line
        found.append(Shown(line, numbers - {0}, is_allowed))
    return found


def draw_programs(layout: bpy.types.UILayout) -> None:
    """Draws who is connected and the artist's say over them; nothing while the server is off."""
    if not programs.running:
        return
    box = layout.box()
    title = "Other programs are paused" if programs.paused else "Other programs may connect"
    box.label(text=title, icon="PAUSE" if programs.paused else "LINKED")
    for one in shown():
        row = box.row(align=True)
        row.label(text=one.line, translate=False)
        if one.sessions:
            # Whoever calls without a session could be anybody the next time.
            button = row.operator("geonode.allow_program", text="", icon="UNLOCKED" if one.is_allowed else "LOCKED")
            button.sessions = " ".join(map(str, sorted(one.sessions)))
    if programs.asked is not None:
        _draw_question(box, programs.asked)
    row = box.row(align=True)
    row.operator("geonode.pause_programs", text="Go On" if programs.paused else "Pause")
    row.operator("geonode.take_over")
    row.operator("geonode.revoke_programs")


def _draw_question(box: bpy.types.UILayout, asked: Asked) -> None:
    column = box.column(align=True)
    column.label(text=say("{client} wants to", client=asked.who.name), icon="QUESTION", translate=False)
    for line in textwrap.wrap(asked.text, LINE):
        column.label(text=line, translate=False)
    row = box.row(align=True)
    for text, accept in (("Allow", True), ("Reject", False)):
        button = row.operator("geonode.answer_program", text=text)
        button.accept, button.question = accept, asked.number


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
