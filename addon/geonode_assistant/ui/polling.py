# SPDX-License-Identifier: GPL-3.0-or-later
"""The timer that advances the session while Blender's window stays alive, and what ends a run early."""

from __future__ import annotations

import contextlib
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..host import current, folders, mainfile, undo
from ..run import conversations, session

# Often enough to feel immediate, seldom enough to cost nothing.
INTERVAL_S = 0.02
AREAS = frozenset({"VIEW_3D", "NODE_EDITOR"})


def start() -> None:
    """Polls the session until its run has ended."""
    if not bpy.app.timers.is_registered(tick):
        bpy.app.timers.register(tick, first_interval=INTERVAL_S)


def stop() -> None:
    """Ends the run at once, restoring what it wrote, and takes the timer away."""
    session.current.close()
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)


def tick() -> float | None:
    """Advances the session once; returns the seconds until the next time, or None when nothing runs."""
    windows = current.window_manager().windows
    # A timer has no window of its own, and the undo step of a commit belongs to one.
    window: Any = bpy.context.temp_override(window=windows[0]) if windows else contextlib.nullcontext()
    with window:
        changed = session.current.poll()
    if changed:
        redraw()
    return INTERVAL_S if session.current.running else None


def redraw() -> None:
    """Draws the sidebars again that show the session."""
    for window in current.window_manager().windows:
        for area in window.screen.areas:
            if area.type in AREAS:
                # The view itself costs far more, and Blender draws it again when its content changes.
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


@persistent
def end_before_load(*_args: object) -> None:
    """A run belongs to the file in which it began, and so does a conversation."""
    stop()
    session.current.new_conversation()


@persistent
def go_on_after_load(*_args: object) -> None:
    """A file that was saved within a conversation goes on with it."""
    if not mainfile.path():
        return
    known = conversations.of_file(folders.own_folder(), mainfile.path())
    if known is not None:
        session.current.conversation, session.current.turns = known


@persistent
def remember_after_save(*_args: object) -> None:
    """The file that was saved belongs to the conversation of this moment."""
    if mainfile.path():
        conversations.remember(folders.own_folder(), mainfile.path(), session.current.conversation)


@persistent
def end_half_written(*_args: object) -> None:
    """Saving or undoing in the middle of a run would keep half of it."""
    handle = session.current.handle
    if handle is not None and handle.half_written:
        stop()


@persistent
def before_undo(*_args: object) -> None:
    """What is half written is taken back first; what a run changed without an undo step is read anew."""
    end_half_written()
    undo.before()


@persistent
def after_undo(*_args: object) -> None:
    """The preferences are as before."""
    undo.after()


HANDLERS = {
    "load_pre": end_before_load,
    "load_post": go_on_after_load,
    "save_post": remember_after_save,
    "save_pre": end_half_written,
    "undo_pre": before_undo,
    "redo_pre": before_undo,
    "undo_post": after_undo,
    "redo_post": after_undo,
}
