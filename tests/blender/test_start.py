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
from geonode_assistant import native
from geonode_assistant.cli import e2e
from geonode_assistant.host import folders
from geonode_assistant.host import operators as blender_operators
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import choices, connection, offers, sent, session
from geonode_assistant.ui import examples, gallery, keys, next_steps, preferences, properties, translation
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
        [made] = [modifier.id_data for modifier in session.current.results]
        # The spheres in a circle are what they are made of: an object of their own.
        assert (made == plane) is ("sphere" not in prompt) and len(plane.modifiers) == (made == plane), prompt
        plane.modifiers.clear()
        bpy.context.view_layer.objects.active = plane


def test_every_example_works_in_german(monkeypatch: pytest.MonkeyPatch) -> None:
    known = translation.entries_of("de")["interface"]
    monkeypatch.setattr(examples, "say", lambda text, **places: known[text].format(**places))
    plane = bpy.data.objects["Plane"]
    bpy.ops.curve.primitive_bezier_curve_add()
    done = 0
    for obj in (plane, bpy.context.object, None):
        bpy.context.view_layer.objects.active = obj
        for prompt in examples.prompts(bpy.context):
            properties.edited().prompt = prompt
            assert bpy.ops.geonode.send() == {"FINISHED"}
            finish()
            assert session.current.summary == "DONE", (prompt, session.current.messages)
            [made] = [modifier.id_data for modifier in session.current.results]
            assert obj is None or made == obj or "Kugeln" in prompt, prompt
            made.modifiers.clear()
            bpy.context.view_layer.objects.active = obj
            done += 1
    assert done == 11


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
    assert not any("No prompt can work on" in text for text in draw_sidebar(width=900))
    bpy.ops.object.light_add()
    assert any("No prompt can work on" in text for text in draw_sidebar(width=900))
    assert examples.prompts(bpy.context) == [] and not bpy.ops.geonode.surprise.poll()
    assert any("Select a mesh or a curve" in text for text in draw_sidebar())


def test_without_an_object_what_stands_for_itself_is_offered() -> None:
    before = len(bpy.data.objects)
    for number in range(len(examples.prompts(bpy.context)) - 1):
        session.current.reset("")
        bpy.context.view_layer.objects.active = None
        prompt = examples.prompts(bpy.context)[number]
        assert prompt in draw_sidebar()
        properties.edited().prompt = prompt
        assert bpy.ops.geonode.send() == {"FINISHED"}
        finish()
        assert session.current.summary == "DONE", (prompt, session.current.messages)
        assert len(bpy.data.objects) == before + 1 + number, prompt


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
    assert "1. Planned by" not in draw_sidebar()
    bpy.ops.geonode.show(part=start.SETUP)
    shown = draw_sidebar()
    keys.state.wait()
    assert "1. Planned by" in shown
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


def failed(code: str, prompt: str = "x") -> list[str]:
    """The panel after a run that ended with this code."""
    session.current.refuse(AssistantError(code, "It went wrong."), prompt)
    return draw_sidebar(width=900)


@pytest.mark.parametrize(
    ("code", "button"),
    [
        ("auth_missing", "Enter a Key"),
        ("unknown_model", "Choose a Model"),
        ("network", "Test Connection"),
        ("quota_exhausted", "Choose Another Planner"),
        ("token_limit", "Open the Preferences"),
        ("online_access_disabled", "Open Blender's Preferences"),
        ("audit_broken", "Start a New Audit Log"),
    ],
)
def test_an_error_offers_the_next_right_step(code: str, button: str) -> None:
    assert button in failed(code)
    step = next_steps.of(session.current, "MESH")[0]
    values = {name: value for name, value in step.values.items() if name != "test"}
    if not step.operator.endswith("audit_log"):
        assert blender_operators.named(step.operator)(**values) == {"FINISHED"}


def test_every_next_step_is_for_a_code_that_there_is() -> None:
    codes = {*native.core().error_codes()}
    assert len(next_steps.STEPS) > 20 and {*next_steps.STEPS, *next_steps.NEAR} <= codes
    for step in next_steps.STEPS.values():
        section = step.values.get("settings")
        assert section is None or section in {"plans", *preferences.SECTIONS}


def test_a_prompt_that_is_not_understood_offers_the_nearest_presets() -> None:
    gallery.load()
    gallery.finish()
    properties.edited().prompt = "glorp the flibber on the pebbles"
    bpy.ops.geonode.send()
    finish()
    assert session.current.summary == "ERROR"
    steps = next_steps.of(session.current, "MESH")
    assert 2 <= len(steps) <= 3 and steps[-1].text == "Use a Language Model"
    assert {step.text for step in steps} <= {*draw_sidebar(width=900)}
    assert bpy.ops.geonode.use_preset(**steps[0].values) == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE", session.current.messages


def test_what_is_understood_of_a_prompt_is_one_button_away() -> None:
    properties.edited().prompt = "make the plane wavy with rings of saturn"
    bpy.ops.geonode.send()
    finish()
    assert session.current.summary == "ERROR" and not bpy.context.object.modifiers
    step = next_steps.of(session.current, "MESH")[0]
    assert step.text == "Make What Is Understood" and step.text in draw_sidebar(width=900)
    assert step.values["prompt"] == "make the plane wavy"
    assert bpy.ops.geonode.send_prompt(**step.values) == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE", session.current.messages
    assert properties.edited().prompt == "make the plane wavy"


def test_a_model_is_picked_from_the_list_of_its_server(stored: Any) -> None:
    stored.provider, stored.base_url, stored.model = "openai-compatible", "http://127.0.0.1:1/v1", "old"
    outcome = connection.Outcome(False, "unknown_model", "There is no model “old”.", None, ("small", "large"), 1.0)
    preferences.connection_state.outcome = outcome
    shown = failed("unknown_model")
    assert {"small", "large"} <= set(shown) and "Choose a Model" not in shown
    assert bpy.ops.geonode.use_model(model="large") == {"FINISHED"}
    assert stored.model == "large" and stored.provider == "openai-compatible"


def test_every_setting_is_a_preference_and_reaches_the_run(stored: Any) -> None:
    described = {setting["name"]: setting for setting in native.core().settings()}
    assert {preference.name for preference in offers.PREFERENCES} == described.keys()
    sections = {preference.section for preference in offers.PREFERENCES}
    assert sections == {"plans", *preferences.SECTIONS}
    untouched = choices.settings()
    assert {"python", "preview"} <= untouched.keys() and "timeout_s" not in untouched
    for preference in offers.PREFERENCES:
        if preference.optional:
            assert preference.name not in untouched
            setattr(stored, choices.SWITCH + preference.name, True)
            assert choices.settings()[preference.name] == pytest.approx(preference.default)
        elif preference.range is not None:
            setattr(stored, preference.name, preference.range[1])
            assert choices.settings()[preference.name] == preference.range[1]
    shown: list[str] = []
    preferences.opened.update(preferences.SECTIONS)
    drawn = SimpleNamespace(layout=Layout(shown), provider="offline")
    for section in sections:
        preferences.draw_settings(drawn.layout, stored, section)
    preferences.opened.clear()
    assert bpy.ops.geonode.open_settings(section="budget") == {"FINISHED"} and preferences.opened == {"budget"}
    preferences.opened.clear()


def test_my_data_is_removed_on_request_and_presets_only_with_a_tick(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(folders, "own_folder", lambda: tmp_path)
    monkeypatch.setattr(folders, "presets_folder", lambda: tmp_path / "presets")
    kept_files = ["conversations/a.json", "cache/b.json", "presets/mine.toml", "catalogue-1.json"]
    for name in kept_files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert bpy.ops.geonode.remove_data() == {"FINISHED"}
    assert sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*")) == sorted(kept_files[2:])
    assert bpy.ops.geonode.remove_data(presets=True) == {"FINISHED"}
    assert [p.name for p in tmp_path.rglob("*.*")] == ["catalogue-1.json"]


def test_what_is_sent_can_be_read_before(stored: Any) -> None:
    stored.provider = "openai-compatible"
    session.current.show(start.SETUP)
    assert "What Is Sent" not in draw_sidebar() and "geonode.show_sent" in draw_sidebar()
    bpy.data.objects["Plane"].name = "Secret Garden"
    assert bpy.ops.geonode.show_sent() == {"FINISHED"}
    shown = draw_sidebar(width=4000)
    assert any("Secret Garden" in text for text in shown) and sent.BESIDE[0] in shown
    assert bpy.ops.geonode.show_sent() == {"FINISHED"}
    assert sent.BESIDE[0] not in draw_sidebar(width=4000)
