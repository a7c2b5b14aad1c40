# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo across changes that no undo step holds.

Blender's undo keeps every data-block that is equal in two neighbouring steps as it is in memory. A run that was taken
back has made no step, but some of its data-blocks are new ones with the old content: a block that is kept may then
point to one that is gone, and Blender crashes. So the first undo after such a run reads the whole file from its step.
"""

from __future__ import annotations

import bpy

from . import current

_unknown = False
_kept: tuple[bool, bool, bool] | None = None
_cursors: dict[str, dict[str, object]] = {}
_CURSOR = ("location", "rotation_mode", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")


def push(message: str) -> None:
    """Makes an undo step of what is there now."""
    bpy.ops.ed.undo_push(message=message)


def step_back() -> None:
    """Undoes once, as Ctrl+Z does."""
    bpy.ops.ed.undo()


def wrote() -> None:
    """Data-blocks were changed, and no undo step holds them yet."""
    global _unknown
    _unknown = True


def pushed() -> None:
    """The newest undo step holds what is there now."""
    global _unknown
    _unknown = False


def at_rest() -> bool:
    """Whether the newest undo step holds what is there, and no preference is changed for an undo under way."""
    return not _unknown and _kept is None


def before() -> None:
    """For the handlers before undo and redo."""
    global _kept
    preferences = current.preferences()
    if not _unknown or _kept is not None or not hasattr(preferences.experimental, "use_undo_legacy"):
        return
    _kept = (preferences.view.show_developer_ui, preferences.experimental.use_undo_legacy, preferences.is_dirty)
    # Undo leaves the 3D cursor alone; reading the whole file does not, in Blender 4.5.
    for scene in bpy.data.scenes:
        values = {name: getattr(scene.cursor, name) for name in _CURSOR}
        _cursors[scene.name] = {name: v if isinstance(v, str) else tuple(v) for name, v in values.items()}
    # The choice counts only together with the interface for developers.
    preferences.view.show_developer_ui = True
    preferences.experimental.use_undo_legacy = True


def after() -> None:
    """For the handlers after undo and redo; also where one may have failed."""
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
    pushed()
