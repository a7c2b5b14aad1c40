# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of Blender's context that always exist while an add-on runs. The type stubs declare them optional, because
they are absent while Blender starts and while add-ons are registered.
"""

from __future__ import annotations

from typing import cast

import bpy


def scene() -> bpy.types.Scene:
    """The scene of the window, or the only one in the background."""
    return cast("bpy.types.Scene", bpy.context.scene)


def view_layer() -> bpy.types.ViewLayer:
    """The view layer of that scene."""
    return cast("bpy.types.ViewLayer", bpy.context.view_layer)


def preferences() -> bpy.types.Preferences:
    """The artist's preferences."""
    return cast("bpy.types.Preferences", bpy.context.preferences)


def window_manager() -> bpy.types.WindowManager:
    """The window manager, which exists without any window too."""
    return cast("bpy.types.WindowManager", bpy.context.window_manager)


def file() -> bpy.types.BlendData:
    """The data of the open file, for fields that search it."""
    return bpy.data
