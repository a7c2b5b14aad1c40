# SPDX-License-Identifier: GPL-3.0-or-later
"""The Node Editor: the open tree is explained, its nodes are found, words change it."""

from __future__ import annotations

from window import Window

EDITOR = "GeometryNodeTree"


def test_an_open_tree_is_explained_and_changed(window: Window) -> None:
    window.send_prompt("scatter 40 cubes on the cube")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    window.press("geonode.open_tree", across=0.8)
    window.wait("any(a.ui_type == 'GeometryNodeTree' for a in C.window_manager.windows[0].screen.areas)")
    window.wait("area('GeometryNodeTree').spaces.active.edit_tree is not None")
    # The start-up file's editor is too low for its panels.
    window.do(
        "o = {'window': C.window_manager.windows[0], 'area': area('GeometryNodeTree')}\n"
        "with C.temp_override(**o): bpy.ops.screen.screen_full_area()"
    )
    window.wait("len(C.window_manager.windows[0].screen.areas) == 1")
    window.open_tab(EDITOR)
    # What the former tab shows is folded away.
    window.do("current.reset('')")
    window.settle()
    window.photograph("tree")
    window.press("geonode.explain_tree", EDITOR)
    window.settle()
    window.move(400, 400)
    window.photograph("tree_explained")
    window.press("geonode.show_node", EDITOR, across=0.1)
    window.wait("sum(n.select for n in area('GeometryNodeTree').spaces.active.edit_tree.nodes) == 1")
    window.click(*window.find(".tree_words", EDITOR))
    window.write("make it 50")
    window.key("RET")
    window.wait("bpy.context.window_manager.geonode_assistant.tree_words == 'make it 50'")
    window.press("geonode.change_tree", EDITOR)
    window.wait("not current.running and current.summary == 'DONE'")
    value = "next(s for s in sliders(D.objects['Cube'].modifiers[0]) if s.name == 'Count')"
    assert window.ask(f"{value}.owner[{value}.path[2:-2]] if {value}.path != 'value' else {value}.owner.value") == 50
    window.move(400, 400)
    window.photograph("tree_changed")
    window.do(
        "o = {'window': C.window_manager.windows[0], 'area': area('GeometryNodeTree')}\n"
        "with C.temp_override(**o): bpy.ops.screen.back_to_previous()"
    )
