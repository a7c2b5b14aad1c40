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


def attach() -> None:
    """Adds the properties to the window manager; the class must be registered."""
    manager: Any = bpy.types.WindowManager
    manager.geonode_assistant = bpy.props.PointerProperty(type=GeoNodeProperties)


def detach() -> None:
    """Removes the properties from the window manager."""
    manager: Any = bpy.types.WindowManager
    del manager.geonode_assistant
