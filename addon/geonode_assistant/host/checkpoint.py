# SPDX-License-Identifier: GPL-3.0-or-later
"""A saved state of the whole file, for work that may change anything. It is kept by Blender's own undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from . import current, operators, undo
from .errors import HostError

# Modes with their own undo, which covers only the data edited in them.
_WITH_OWN_UNDO = ("EDIT", "SCULPT", "PAINT", "PARTICLE")

# The most undo steps made by others that a restore goes back.
MOST_STEPS = 64


class Checkpoint:
    """The state of the file when this was created. Ends with exactly one of `restore`, `commit` and `drop`.

    Like every undo, a restore makes Blender re-read its data: references to data-blocks are invalid afterwards. Mode
    and selection are restored too.
    """

    def __init__(self, message: str = "Before the script") -> None:
        """Saves the state. Raises `undo_unavailable` if this Blender has no undo."""
        if not operators.can(bpy.ops.ed.undo_push):
            raise HostError(
                "undo_unavailable",
                "Undo is not available in this Blender, so the changes of a script could not be undone.",
            )
        self._mode = _Mode()
        self._open = True
        self.half_way = False
        """Whether a restore made an undo step of the changes and then failed to undo it."""
        self._before = _lists()
        with _undo_enabled():
            self._mode.leave()
            bpy.ops.ed.undo_push(message=message)
        undo.note_write()  # from now on whatever the script does
        self._mode.enter()

    def restore(self, is_later: Callable[[], bool] = lambda: False) -> bool:
        """Restores the file and leaves nothing to redo; returns whether the lists of data-blocks equal the saved ones.
        May be called again if it raised.

        ``is_later`` says whether the file is in a state after this one was saved; needed where others may have made
        undo steps since.
        """
        self._still_open()
        with _undo_enabled():
            to_object_mode()
            # Undo returns to the state before the newest step, so the changes are made a step first.
            if not self.half_way:
                bpy.ops.ed.undo_push(message="Taken back")
                self.half_way = True
            _undo_whole()
            self._close()
            self.half_way = False
            for _ in range(MOST_STEPS):
                if not is_later() or not operators.can(bpy.ops.ed.undo):
                    break
                _undo_whole()
            # A new step removes what could be redone.
            bpy.ops.ed.undo_push(message="Taken back")
            undo.note_step()
        self._mode.enter()
        return _lists() == self._before

    def commit(self, message: str) -> None:
        """Keeps the changes as one undo step of that name."""
        self._close()
        mode = _Mode()
        with _undo_enabled():
            mode.leave()
            bpy.ops.ed.undo_push(message=message)
            undo.note_step()
        mode.enter()

    def drop(self) -> None:
        """Keeps the changes as part of the next undo step, which the caller makes."""
        self._close()

    def _close(self) -> None:
        self._still_open()
        self._open = False

    def _still_open(self) -> None:
        if not self._open:
            raise HostError("internal_error", "This checkpoint is closed.")


def _undo_whole() -> None:
    """Undoes one step and re-reads the whole file, so that no pointer to data of the script is left."""
    undo.note_write()
    undo.before()
    try:
        bpy.ops.ed.undo()
    finally:
        undo.after()


class _Mode:
    """The current mode, and the objects that are in it."""

    def __init__(self) -> None:
        active = bpy.context.view_layer.objects.active if bpy.context.view_layer is not None else None
        self._mode = active.mode if active is not None else "OBJECT"
        self._separate = any(part in self._mode for part in _WITH_OWN_UNDO)

    def leave(self) -> None:
        if self._separate:
            to_object_mode()

    def enter(self) -> None:
        if self._separate and operators.can(bpy.ops.object.mode_set):
            bpy.ops.object.mode_set(mode=self._mode)


def to_object_mode() -> None:
    """Leaves a mode that has its own undo."""
    active = bpy.context.view_layer.objects.active if bpy.context.view_layer is not None else None
    if active is None or not any(part in active.mode for part in _WITH_OWN_UNDO):
        return
    if operators.can(bpy.ops.object.mode_set):
        bpy.ops.object.mode_set(mode="OBJECT")


@contextmanager
def _undo_enabled() -> Iterator[None]:
    """Enables undo with enough steps for a checkpoint, whatever the preferences say."""
    edit = current.preferences().edit
    kept = (edit.use_global_undo, edit.undo_steps, edit.undo_memory_limit)
    try:
        if not edit.use_global_undo:
            edit.use_global_undo = True
        if edit.undo_steps < 8:
            edit.undo_steps = 8
        if edit.undo_memory_limit:
            edit.undo_memory_limit = 0
        yield
    finally:
        for name, value in zip(("use_global_undo", "undo_steps", "undo_memory_limit"), kept, strict=True):
            if getattr(edit, name) != value:
                setattr(edit, name, value)


def _lists() -> dict[str, Any]:
    """The names of all data-blocks by kind, except those of Blender's interface."""
    kinds = [p.identifier for p in bpy.data.bl_rna.properties if p.type == "COLLECTION"]
    return {
        kind: [(block.name, block.library.name if block.library else "") for block in getattr(bpy.data, kind)]
        for kind in kinds
        if kind not in {"window_managers", "screens", "workspaces", "libraries", "brushes"}
    }
