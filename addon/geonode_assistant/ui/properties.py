# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sidebar edits and shows, kept on the window manager: no undo, not saved in the file."""

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
        name="What Shall Be Different",
        description="Goes back with a rejection: whoever plans tries again with it. Empty: a rejection ends the run",
        options={"SKIP_SAVE"},
    )
    state: bpy.props.StringProperty(
        name="State",
        description="IDLE, PLANNING, VALIDATING, EXECUTING, DONE, ERROR or CANCELLED",
        get=_summary,
    )


CLASSES = (GeoNodeProperties,)


def edited() -> GeoNodeProperties:
    """What the sidebar edits at present."""
    manager: Any = current.window_manager()
    return manager.geonode_assistant


def attach() -> None:
    """Hangs the properties on the window manager; needs the class to be registered."""
    manager: Any = bpy.types.WindowManager
    manager.geonode_assistant = bpy.props.PointerProperty(type=GeoNodeProperties)


def detach() -> None:
    """Takes them off again."""
    manager: Any = bpy.types.WindowManager
    del manager.geonode_assistant
