# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo after changes that are not part of any undo step.

Blender's undo keeps every data-block in memory that is equal in two neighbouring steps. A run that was restored made no
step, but replaced some data-blocks by new ones with the old content: a block that undo keeps may then point to one that
no longer exists, and Blender crashes. So the first undo after such a run re-reads the whole file from its step.
"""

from __future__ import annotations

import bpy

from . import current

_unknown = False
_kept: tuple[bool, bool, bool] | None = None
_cursors: dict[str, dict[str, object]] = {}
_CURSOR = ("location", "rotation_mode", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")


def push(message: str) -> None:
    """Makes an undo step of the current state."""
    bpy.ops.ed.undo_push(message=message)


def step_back() -> None:
    """Undoes once, as Ctrl+Z does."""
    bpy.ops.ed.undo()


def step_forward() -> None:
    """Redoes once, as Ctrl+Shift+Z does."""
    bpy.ops.ed.redo()


def note_write() -> None:
    """Records that data-blocks were changed that are not part of an undo step yet."""
    global _unknown
    _unknown = True


def note_step() -> None:
    """Records that the newest undo step contains the current state."""
    global _unknown
    _unknown = False


def is_settled() -> bool:
    """Whether the newest undo step contains the current state, and no preference is changed for an undo under way."""
    return not _unknown and _kept is None


def before() -> None:
    """For the handlers before undo and redo."""
    global _kept
    preferences = current.preferences()
    if not _unknown or _kept is not None or not hasattr(preferences.experimental, "use_undo_legacy"):
        return
    _kept = (preferences.view.show_developer_ui, preferences.experimental.use_undo_legacy, preferences.is_dirty)
    # Undo does not change the 3D cursor, but re-reading the whole file does in Blender 4.5.
    for scene in bpy.data.scenes:
        values = {name: getattr(scene.cursor, name) for name in _CURSOR}
        _cursors[scene.name] = {name: v if isinstance(v, str) else tuple(v) for name, v in values.items()}
    # The legacy-undo preference only has effect if the developer interface is shown.
    preferences.view.show_developer_ui = True
    preferences.experimental.use_undo_legacy = True


def after() -> None:
    """For the handlers after undo and redo; also called if one may have failed."""
    global _kept
    if _kept is None:
        return
    preferences = current.preferences()
    preferences.view.show_developer_ui, preferences.experimental.use_undo_legacy, dirty = _kept
    preferences.is_dirty = dirty
    _kept = None
    for name, cursor in _cursors.items():
        scene = bpy.data.scenes.get(name)
        if scene is not None:
            for attribute, value in cursor.items():
                setattr(scene.cursor, attribute, value)
    _cursors.clear()
    note_step()
