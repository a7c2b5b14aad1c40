# SPDX-License-Identifier: GPL-3.0-or-later
"""A state of the whole file to come back to, for work that may touch anything. Blender's own undo keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from . import current, operators, undo
from .errors import HostError

# Modes with an undo of their own, which keeps only what is edited in them.
_WITH_OWN_UNDO = ("EDIT", "SCULPT", "PAINT", "PARTICLE")

# So many undo steps of others are gone back at most.
MOST_STEPS = 64


class Checkpoint:
    """The file as it was when this was taken. Ends with exactly one of `restore`, `commit` and `drop`.

    Like every undo, a restore makes Blender read its data anew: references to data-blocks are invalid afterwards. The
    mode and what is selected come back too.
    """

    def __init__(self, message: str = "Before the script") -> None:
        """Takes the state. Raises `undo_unavailable` where this Blender has no undo."""
        if not operators.can(bpy.ops.ed.undo_push):
            raise HostError("undo_unavailable", "This Blender has no undo, so nothing could be taken back.")
        self._mode = _Mode()
        self._open = True
        self.half_way = False
        """A restore made a step of what was done, and then could not undo it."""
        self._before = _lists()
        with _undo_enabled():
            self._mode.leave()
            bpy.ops.ed.undo_push(message=message)
        undo.wrote()  # from now on whatever the script does
        self._mode.enter()

    def restore(self, astray: Callable[[], bool] = lambda: False) -> bool:
        """Brings the file back, and leaves nothing to redo. Whether the lists of data-blocks are as they were.
        One that raised may be tried again.

        ``astray`` tells a state that came after this was taken, where somebody may have made undo steps since.
        """
        self._still_open()
        with _undo_enabled():
            to_object_mode()
            # Undo goes to the state before the newest step, so what was done becomes one.
            if not self.half_way:
                bpy.ops.ed.undo_push(message="Taken back")
                self.half_way = True
            _undo_whole()
            self._close()
            self.half_way = False
            for _ in range(MOST_STEPS):
                if not astray() or not operators.can(bpy.ops.ed.undo):
                    break
                _undo_whole()
            # The next step takes the place of what could be redone.
            bpy.ops.ed.undo_push(message="Taken back")
            undo.pushed()
        self._mode.enter()
        return _lists() == self._before

    def commit(self, message: str) -> None:
        """Keeps what was done as one undo step of that name."""
        self._close()
        mode = _Mode()
        with _undo_enabled():
            mode.leave()
            bpy.ops.ed.undo_push(message=message)
            undo.pushed()
        mode.enter()

    def drop(self) -> None:
        """Keeps what was done, as a part of the next undo step, which somebody else makes."""
        self._close()

    def _close(self) -> None:
        self._still_open()
        self._open = False

    def _still_open(self) -> None:
        if not self._open:
            raise HostError("internal_error", "This checkpoint is closed.")


def _undo_whole() -> None:
    """One step back, reading the whole file: nothing that the script made or removed is left in a pointer."""
    undo.wrote()
    undo.before()
    try:
        bpy.ops.ed.undo()
    finally:
        undo.after()


class _Mode:
    """The mode that the artist is in, and with which objects."""

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
    """Out of a mode with an undo of its own."""
    active = bpy.context.view_layer.objects.active if bpy.context.view_layer is not None else None
    if active is None or not any(part in active.mode for part in _WITH_OWN_UNDO):
        return
    if operators.can(bpy.ops.object.mode_set):
        bpy.ops.object.mode_set(mode="OBJECT")


@contextmanager
def _undo_enabled() -> Iterator[None]:
    """Makes room for the steps of a checkpoint, whatever the preferences say about undo."""
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
    """The names of all data-blocks by kind, those of Blender's interface aside."""
    kinds = [p.identifier for p in bpy.data.bl_rna.properties if p.type == "COLLECTION"]
    return {
        kind: [(block.name, block.library.name if block.library else "") for block in getattr(bpy.data, kind)]
        for kind in kinds
        if kind not in {"window_managers", "screens", "workspaces", "libraries", "brushes"}
    }
