# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's first minute: examples, a menu instead of the sidebar, the questions that set up a planner."""

from __future__ import annotations

from window import Window


def test_an_example_is_clicked_and_sent(window: Window) -> None:
    window.photograph("first_look")
    window.press("geonode.use_example")
    window.wait("bpy.context.window_manager.geonode_assistant.prompt != ''")
    window.press("geonode.send")
    window.wait("current.summary == 'DONE' and not current.running")
    assert window.ask("len(C.object.modifiers)") == 1
    window.undo()
    window.wait("len(C.object.modifiers) == 0")


def test_a_surprise_is_one_click(window: Window) -> None:
    window.press("geonode.surprise")
    window.wait("not current.running and current.summary == 'DONE'")
    assert window.ask("len(C.object.modifiers)") == 1


def test_the_object_is_changed_in_the_panel(window: Window) -> None:
    x, y = window.find("geonode.show", across=0.6)
    window.click(x, y + 20)
    window.settle()
    window.write("Light")
    window.photograph("works_on")
    window.key("RET")
    window.wait("C.view_layer.objects.active.name == 'Light'")
    window.move(300, 200)
    window.photograph("works_on_light")


def test_a_prompt_comes_from_a_dialog(window: Window) -> None:
    window.move(300, 300)
    over = "bpy.context.temp_override(window=C.window_manager.windows[0], area=area('VIEW_3D'))"
    window.do(f"with {over}: bpy.ops.geonode.ask('INVOKE_DEFAULT')")
    window.settle()
    window.photograph("dialog")
    window.write("ring of 12 spheres")
    window.key("RET")
    window.settle()
    window.key("RET")
    window.wait("not current.running and current.summary == 'DONE'")
    assert window.ask("len(C.object.modifiers)") == 1
    window.photograph("after_dialog")


def test_the_planner_is_set_up_in_the_panel(window: Window) -> None:
    window.press("geonode.show", across=0.6)
    window.wait("'setup' in current.shown")
    window.move(300, 200)
    window.photograph("setup_offline")
    window.do("preferences.choices.stored().provider = 'anthropic'")
    window.settle()
    window.photograph("setup_key")
    window.find("geonode.test_connection")
