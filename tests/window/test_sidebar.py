# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar in both editors: drawn, usable by pointer and keyboard, and showing the result of a prompt."""

from __future__ import annotations

from window import ADDON, Window

SPHERES = "ring of 12 spheres, radius 3 m"


def test_the_sidebar_is_installed_and_drawn(window: Window) -> None:
    assert window.ask(f"{ADDON!r} in bpy.context.preferences.addons")
    assert "/extensions/" in window.ask("__import__('geonode_core').__file__")
    shown = window.photograph("sidebar_3d_view")
    assert shown.colours() > 200
    assert shown.cut(*window.box("VIEW_3D")).colours() > 20


def test_an_empty_prompt_cannot_be_sent(window: Window) -> None:
    window.press("geonode.send")
    assert window.ask("current.summary") == "IDLE"


def test_a_prompt_is_typed_sent_and_done(window: Window) -> None:
    window.send_prompt(SPHERES)
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    [name] = window.ask("[m.node_group.name for m in bpy.context.object.modifiers]")
    assert window.ask("list(bpy.data.node_groups.keys())") == [name]
    window.find('modifiers["')
    window.photograph("done")
    window.do("bpy.context.window_manager.windows[0].workspace = D.workspaces['Geometry Nodes']")
    window.wait("any(a.ui_type == 'GeometryNodeTree' for a in C.window_manager.windows[0].screen.areas)")
    window.wait("area('GeometryNodeTree').spaces.active.edit_tree is not None")
    assert window.ask("area('GeometryNodeTree').spaces.active.edit_tree.name") == name
    window.open_tab("GeometryNodeTree")
    left, bottom, width, height = window.box("GeometryNodeTree", "WINDOW")
    window.move(left + 200, bottom + 60)
    window.key("HOME")
    window.settle()
    window.find(".prompt", "GeometryNodeTree")
    window.find("geonode.send", "GeometryNodeTree")
    shown = window.photograph("node_editor")
    assert shown.cut(left, bottom, width, height).colours() > 100


def test_a_prompt_that_is_not_understood_is_refused(window: Window) -> None:
    before = window.ask("exported()")
    window.send_prompt("compose a symphony for me, please, and make it sound like the sea in autumn")
    window.photograph("not_understood")
    assert window.ask("current.summary") == "ERROR"
    assert window.ask("exported()") == before
