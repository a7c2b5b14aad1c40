# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar as narrow and as wide as artists have it, in the light theme, and on screens of twice the resolution."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from window import Window

LIGHT = """
import os
[theme] = [
    os.path.join(folder, "Blender_Light.xml")
    for folder in bpy.utils.preset_paths("interface_theme")
    if os.path.exists(os.path.join(folder, "Blender_Light.xml"))
]
bpy.ops.script.execute_preset(filepath=theme, menu_idname="USERPREF_MT_interface_theme_presets")
"""
VIEW = "bpy.context.preferences.view"


@pytest.fixture
def shown(window: Window) -> Iterator[Window]:
    """A result, and a sidebar that gets its looks back."""
    window.send_prompt("scatter 20 cubes on cube")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    width = window.box("VIEW_3D")[2]
    yield window
    window.do(f"{VIEW}.ui_scale = 1.0; bpy.ops.preferences.reset_default_theme()")
    window.widen(width)


def brightness(window: Window, name: str) -> float:
    """The mean of the sidebar in a picture, 0 to 1."""
    return window.photograph(name).cut(*window.box("VIEW_3D")).brightness()


@pytest.mark.parametrize(("scale", "width"), [(1, 220), (1, 520), (2, 440)])
def test_the_card_can_be_used_at_every_size(shown: Window, scale: int, width: int) -> None:
    shown.do(f"{VIEW}.ui_scale = {scale}")
    shown.settle()
    shown.widen(width)
    dark = brightness(shown, f"card_{scale}x_{width}_dark")
    shown.do(LIGHT)
    shown.settle()
    assert brightness(shown, f"card_{scale}x_{width}_light") > 1.5 * dark
    for what in ("geonode.send", "ed.undo", "geonode.keep_preset"):
        shown.find(what)
    shown.find("geonode.gallery", across=0.2)
    assert shown.ask("current.summary") == "DONE"
