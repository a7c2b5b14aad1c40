# SPDX-License-Identifier: GPL-3.0-or-later
"""The timer that advances the session without blocking Blender's window, and the handlers that end a run early."""

from __future__ import annotations

import contextlib
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..agents.server import current as programs
from ..host import current, folders, mainfile, ownership, reading, undo
from ..run import conversations, session
from . import history, pictures

# Short enough to feel immediate; a tick without news costs next to nothing.
INTERVAL_S = 0.02
# How long after a run the 3D View is looked at: the panel is drawn first.
LOOK_AFTER_S = 0.1
GALLERY = "gallery"
# Parts of the panel that push everything below them out of sight: at most one of them is open.
LISTS = frozenset({GALLERY, history.PART})
AREAS = frozenset({"VIEW_3D", "NODE_EDITOR"})


def start() -> None:
    """Polls the session until its run has ended, with the lists closed, since its result is shown below them. Nothing
    of the run is written before the first tick.
    """
    session.current.shown -= LISTS
    pictures.runs.look_before()
    if not bpy.app.timers.is_registered(tick):
        bpy.app.timers.register(tick, first_interval=INTERVAL_S)


def stop() -> None:
    """Ends the run at once, restores what it wrote, and removes the timer."""
    session.current.close()
    session.current.remember_tree()
    reading.remove()
    for timer in (tick, look_after):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)


def tick() -> float | None:
    """Advances the session once; returns the seconds until the next tick, or None if nothing is running."""
    windows = current.window_manager().windows
    # A timer runs without a window, but the undo step of a commit needs one.
    window: Any = bpy.context.temp_override(window=windows[0]) if windows else contextlib.nullcontext()
    with window:
        if not session.current.pending:
            # Before anything is written: it is no part of what the run finds.
            reading.close()
        if session.current.is_treeless:
            # In a tick of its own: it is read with all that it stores.
            session.current.remember_tree()
            history.load()
        changed = session.current.poll(at_once=False)
    if changed:
        if not session.current.running:
            history.load()
            bpy.app.timers.register(look_after, first_interval=LOOK_AFTER_S)
        redraw()
    return INTERVAL_S if session.current.running or session.current.is_treeless else None


def look_after() -> None:
    """Takes the picture of the result. A timer."""
    if pictures.runs.look_after():
        redraw()


def open_list(part: str) -> None:
    """Opens one of ``LISTS`` and closes the others, or closes it again."""
    view = session.current
    view.shown -= LISTS - {part}
    view.show(part)
    redraw()


def redraw() -> None:
    """Redraws the sidebars that show the session."""
    for window in current.window_manager().windows:
        for area in window.screen.areas:
            if area.type in AREAS:
                # Redrawing the view itself costs far more, and Blender does it when its content changes.
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


@persistent
def end_before_load(*_args: object) -> None:
    """Ends the run and the conversation: both belong to the file in which they began."""
    stop()
    programs.leave_file()
    session.current.new_conversation()


@persistent
def continue_after_load(*_args: object) -> None:
    """Shows nothing of the former file, and continues the conversation during which the loaded file was saved."""
    session.current.leave_file()
    reading.remove()
    ownership.note_all()
    if not mainfile.path():
        return
    known = conversations.of_file(folders.own_folder(), mainfile.path())
    if known is not None:
        session.current.conversation, session.current.turns = known


@persistent
def remember_after_save(*_args: object) -> None:
    """Records that the saved file belongs to the current conversation."""
    if mainfile.path():
        conversations.remember(folders.own_folder(), mainfile.path(), session.current.conversation)


@persistent
def end_half_written(*_args: object) -> None:
    """Ends a run that is between two writes: saving or undoing then would keep half of it."""
    handle = session.current.handle
    if handle is not None and handle.half_written:
        stop()


@persistent
def prepare_save(*_args: object) -> None:
    """Ends a run that is between two writes, and keeps copies of results from passing for them in the saved file."""
    end_half_written()
    reading.remove()
    ownership.disown_copies()


@persistent
def before_undo(*_args: object) -> None:
    """Restores what a run has half written, and makes Blender re-read what a run changed without an undo step."""
    end_half_written()
    undo.before()


@persistent
def after_undo(*_args: object) -> None:
    """Puts the preferences back to what they were before the undo, and shows whether the last result still stands."""
    _settle_undo()
    _follow(redo=False)


def _settle_undo() -> None:
    undo.after()
    if not session.current.pending:
        reading.remove()


def _follow(redo: bool) -> None:
    if session.current.follow_undo(redo):
        redraw()


@persistent
def after_redo(*_args: object) -> None:
    """As after an undo."""
    _settle_undo()
    _follow(redo=True)


HANDLERS = {
    "load_pre": end_before_load,
    "load_post": continue_after_load,
    "save_post": remember_after_save,
    "save_pre": prepare_save,
    "undo_pre": before_undo,
    "redo_pre": before_undo,
    "undo_post": after_undo,
    "redo_post": after_redo,
}
