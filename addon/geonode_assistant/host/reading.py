# SPDX-License-Identifier: GPL-3.0-or-later
"""A script that waits for an answer, shown in the Text Editor: in letters of one width, with the numbers of its lines,
and a remark behind each that removes data. The text is part of the file only while the question is open.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import bpy

from . import current

NAME = "Script to Approve"
REMARK = "  # <-- removes data"
# Names our text, whatever it is called, and however it came back.
_MARK = "geonode_script"
_KIND = "TEXT_EDITOR"

_opened: int | None = None
"""The window that was opened for it."""


def show(code: str, removing: Collection[int]) -> None:
    """Shows a script in an open Text Editor, else in a new window; ``removing``: its lines that remove data, from 1."""
    close()
    lines = code.splitlines()
    text = bpy.data.texts.new(NAME)
    text[_MARK] = True
    text.write("\n".join(line + REMARK if at in removing else line for at, line in enumerate(lines, 1)))
    text.current_line_index = 0
    space = _space()
    if space is None:
        return
    space.text = text
    space.show_line_numbers = space.show_syntax_highlight = True
    space.top = 0


def is_shown() -> bool:
    """Whether a script is shown."""
    return any(text.get(_MARK) for text in bpy.data.texts)


def remove() -> None:
    """Takes the script out of the file again."""
    for text in [text for text in bpy.data.texts if text.get(_MARK)]:
        bpy.data.texts.remove(text)


def close() -> None:
    """Takes the script out of the file again, and closes the window that was opened for it."""
    global _opened
    remove()
    if _opened is None:
        return
    pointer, _opened = _opened, None
    for window in current.window_manager().windows:
        areas = window.screen.areas
        if window.as_pointer() == pointer and len(areas) == 1 and areas[0].type == _KIND:
            override: Any = bpy.context.temp_override(window=window)
            with override:
                bpy.ops.wm.window_close()
            return


def _space() -> Any:
    """The Text Editor of a window, or one in a new window; None without windows."""
    global _opened
    manager = current.window_manager()
    for window in manager.windows:
        for area in window.screen.areas:
            if area.type == _KIND:
                return area.spaces.active
    open_window: Any = bpy.ops.wm.window_new
    if not open_window.poll():
        return None
    open_window()
    window = manager.windows[-1]
    _opened = window.as_pointer()
    window.screen.areas[0].ui_type = _KIND
    return window.screen.areas[0].spaces.active
