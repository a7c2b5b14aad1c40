# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties that the sidebar edits and shows, on the window manager: not undone, not saved in the file."""

from __future__ import annotations

from typing import Any

import bpy

from ..host import current
from ..run import session


def _summary(_self: GeoNodeProperties) -> str:
    return session.current.summary


class GeoNodeProperties(bpy.types.PropertyGroup):
    """``bpy.context.window_manager.geonode_assistant``."""

    prompt: bpy.props.StringProperty(
        name="Prompt",
        description="What you want, for example: scatter 200 rocks on the plane",
        options={"SKIP_SAVE"},
    )
    words: bpy.props.StringProperty(
        name="What Should Be Different",
        description="Sent with a rejection, so that the next plan follows it. If empty, a rejection ends the run",
        options={"SKIP_SAVE"},
    )
    change: bpy.props.StringProperty(
        name="What Should Be Different",
        description="Words that change the last result, for example: make it 300",
        options={"SKIP_SAVE"},
    )
    tree_words: bpy.props.StringProperty(
        name="What Should Be Different in This Tree",
        description="Words that change the tree that is open in the Node Editor",
        options={"SKIP_SAVE"},
    )
    search: bpy.props.StringProperty(
        name="Search",
        description="Words in the name of a preset or in what it does",
        options={"SKIP_SAVE", "TEXTEDIT_UPDATE"},
    )
    history_search: bpy.props.StringProperty(
        name="Search",
        description="Words of a prompt, or of what came of it",
        options={"SKIP_SAVE", "TEXTEDIT_UPDATE"},
    )
    log_search: bpy.props.StringProperty(
        name="Search",
        description="Words, a code, or the part of the program that a message comes from, such as gates",
        options={"SKIP_SAVE", "TEXTEDIT_UPDATE"},
    )
    log_part: bpy.props.EnumProperty(
        name="Part",
        description="The part of the log that is shown",
        items=(
            ("all", "Everything", "All that happened in this run"),
            ("calls", "Tool Calls", "What the model looked up"),
            ("steps", "Steps", "The steps of the plan, and what their scripts printed"),
            ("messages", "Messages", "What was noticed, with the code of each"),
            ("changes", "Changes", "What was done to the file, one by one"),
        ),
        options={"SKIP_SAVE"},
    )
    log_severity: bpy.props.EnumProperty(
        name="Severity",
        description="How grave a line has to be to be shown",
        items=(
            ("info", "All Lines", "Whatever was noted"),
            ("warning", "Warnings and Errors", "Only what may need your attention"),
            ("error", "Errors", "Only what failed"),
        ),
        options={"SKIP_SAVE"},
    )
    state: bpy.props.StringProperty(
        name="State",
        description="IDLE, PLANNING, VALIDATING, EXECUTING, DONE, ERROR or CANCELLED",
        get=_summary,
    )


CLASSES = (GeoNodeProperties,)


def edited() -> GeoNodeProperties:
    """The properties of the current window manager."""
    manager: Any = current.window_manager()
    return manager.geonode_assistant


def is_log_filtered(data: Any) -> bool:
    """Whether these properties let only a part of the log through."""
    return bool(data.log_search.split()) or data.log_part != "all" or data.log_severity != "info"


def attach() -> None:
    """Adds the properties to the window manager; the class must be registered."""
    manager: Any = bpy.types.WindowManager
    manager.geonode_assistant = bpy.props.PointerProperty(type=GeoNodeProperties)


def detach() -> None:
    """Removes the properties from the window manager."""
    manager: Any = bpy.types.WindowManager
    del manager.geonode_assistant
