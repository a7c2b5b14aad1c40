# SPDX-License-Identifier: GPL-3.0-or-later
"""First steps: what a newcomer sees and clicks is true and works."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import addon_utils
import bpy
import geonode_assistant
import pytest
from geonode_assistant.cli import e2e
from geonode_assistant.run import connection, offers, session
from geonode_assistant.ui import examples, keys, preferences, properties
from geonode_assistant.ui.operators import start as operators
from geonode_assistant.ui.panels import start
from layouts import Layout, draw_sidebar

ADDON = "geonode_assistant"


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    session.current.reset("")
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    yield
    geonode_assistant.unregister()
    session.current.reset("")


@pytest.fixture
def stored() -> Iterator[Any]:
    """The preferences of the add-on, switched on as an artist does."""
    geonode_assistant.unregister()
    addon_utils.enable(ADDON, default_set=True)
    yield bpy.context.preferences.addons[ADDON].preferences
    addon_utils.disable(ADDON, default_set=True)
    preferences.connection_state.forget()
    geonode_assistant.register()


def finish() -> None:
    while session.current.running:
        session.current.poll()


@pytest.mark.parametrize(
    "name", ["Plane", "Cube.001", "a name with words", "Ring", "Über-Fläche", "x" * 60, "\u202edlo"]
)
def test_every_example_for_a_mesh_works_whatever_the_mesh_is_called(name: str) -> None:
    plane = bpy.data.objects["Plane"]
    plane.name = name
    found = examples.prompts(bpy.context)
    assert len(found) == 5
    for prompt in found:
        properties.edited().prompt = prompt
        assert bpy.ops.geonode.send() == {"FINISHED"}
        finish()
        assert session.current.summary == "DONE", (prompt, session.current.messages)
        assert [m.type for m in plane.modifiers] == ["NODES"], prompt
        plane.modifiers.clear()


def test_every_example_for_a_curve_works() -> None:
    bpy.ops.curve.primitive_bezier_curve_add()
    curve = bpy.context.object
    for prompt in examples.prompts(bpy.context):
        properties.edited().prompt = prompt
        bpy.ops.geonode.send()
        finish()
        assert session.current.summary == "DONE", (prompt, session.current.messages)
        assert len(curve.modifiers) == 1
        curve.modifiers.clear()


def test_an_example_is_put_into_the_prompt() -> None:
    [*_, last] = examples.prompts(bpy.context)
    assert bpy.ops.geonode.use_example(prompt=last) == {"FINISHED"}
    assert properties.edited().prompt == last and session.current.summary == "IDLE"


def test_nothing_is_offered_where_nothing_can_be_made() -> None:
    bpy.ops.object.light_add()
    assert examples.prompts(bpy.context) == [] and not bpy.ops.geonode.surprise.poll()
    assert any("Select a mesh or a curve" in text for text in draw_sidebar())
    bpy.context.view_layer.objects.active = None
    draw_sidebar()


def test_edit_mode_is_said() -> None:
    assert not any("Object Mode" in text for text in draw_sidebar(width=900))
    bpy.ops.object.mode_set(mode="EDIT")
    assert any("Object Mode" in text for text in draw_sidebar(width=900))
    assert not bpy.ops.geonode.ask.poll()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_prompt_can_come_from_a_menu_or_the_search() -> None:
    assert bpy.ops.geonode.ask(prompt="scatter 5 cubes on the plane") == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE" and properties.edited().prompt == "scatter 5 cubes on the plane"
    assert bpy.ops.geonode.ask(prompt="  ") == {"CANCELLED"}
    for name in operators.MENUS:
        shown: list[str] = []
        operators.draw_menu(SimpleNamespace(layout=Layout(shown)), bpy.context)
        assert "geonode.ask" in shown
        drawn = vars(getattr(bpy.types, name).draw)["_draw_funcs"]
        assert operators.draw_menu in drawn
    geonode_assistant.unregister()
    assert operators.draw_menu not in vars(bpy.types.VIEW3D_MT_add.draw)["_draw_funcs"]
    geonode_assistant.register()


@pytest.mark.parametrize("provider", [one.name for one in offers.PROVIDERS])
def test_who_plans_is_shown_and_set_up_by_questions(stored: Any, provider: str) -> None:
    stored.provider, stored.model = provider, "some-model" if provider != "offline" else ""
    title = "Offline planner" if provider == "offline" else "some-model"
    assert title in draw_sidebar()
    assert "1. Who plans?" not in draw_sidebar()
    bpy.ops.geonode.show(part=start.SETUP)
    shown = draw_sidebar()
    keys.state.wait()
    assert "1. Who plans?" in shown
    assert ("3. Which model?" in shown) == (provider != "offline")
    assert ("2. What is your key?" in shown) == (provider in ("openai", "anthropic", "gemini"))
    assert ("2. Where is it?" in shown) == (provider == "openai-compatible")


def test_a_server_that_was_found_is_one_click(stored: Any) -> None:
    session.current.show(start.SETUP)
    found = connection.LocalServer("Ollama", "http://127.0.0.1:1/v1", ("small", "large"))
    preferences.connection_state.servers = [found]
    assert {"small (Ollama)", "large (Ollama)"} <= set(draw_sidebar())
    bpy.ops.geonode.use_server(base_url=found.base_url, model="large")
    assert (stored.provider, stored.model) == ("openai-compatible", "large")
    assert "large" in draw_sidebar()


def test_the_outcome_of_a_test_goes_with_what_was_tested(stored: Any) -> None:
    stored.provider = "openai-compatible"
    session.current.show(start.SETUP)
    for change in ({"base_url": "http://127.0.0.1:2/v1"}, {"model": "other"}, {"provider": "gemini"}):
        preferences.connection_state.outcome = connection.Outcome(False, "network", "Nothing answers.", None, (), 1.0)
        assert "Nothing answers." in draw_sidebar(width=900)
        for name, value in change.items():
            setattr(stored, name, value)
        assert "Nothing answers." not in draw_sidebar(width=900)
    keys.state.wait()
