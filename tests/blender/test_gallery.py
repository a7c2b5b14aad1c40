# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery: every preset in it works on the object at hand, and can be found again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import addon_utils
import bpy
import geonode_assistant
import pytest
from geonode_assistant.cli import e2e
from geonode_assistant.host import catalogue, folders, node_types
from geonode_assistant.host.file_summary import inventory
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import presets, session
from geonode_assistant.ui import gallery, pictures, polling, properties, warming
from geonode_assistant.ui.panels import gallery as panel
from layouts import Layout, draw_sidebar
from preset_cases import DOUBTS

ADDON = "geonode_assistant"
gallery.load()


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    session.current.reset("")
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Ball", "primitive": "ico_sphere"}], "active": "Ball"}, None)
    gallery.recent.clear()
    yield
    gallery.recent.clear()
    geonode_assistant.unregister()
    session.current.reset("")


@pytest.fixture
def stored() -> Iterator[Any]:
    geonode_assistant.unregister()
    addon_utils.enable(ADDON, default_set=True)
    yield bpy.context.preferences.addons[ADDON].preferences
    addon_utils.disable(ADDON, default_set=True)
    geonode_assistant.register()


def finish() -> None:
    while session.current.running:
        session.current.poll()
        for request_id, _ in session.current.pending:
            session.current.decide(request_id, True)


@pytest.mark.parametrize("preset", [p for p in gallery.loaded if not p.asks], ids=lambda preset: preset.id)
def test_every_preset_of_the_gallery_works(preset: gallery.Preset) -> None:
    if not preset.fits(bpy.context.object.type):
        bpy.ops.curve.primitive_bezier_curve_add()
    active = bpy.context.object
    active.name = "Something"
    assert preset.fits(active.type), preset
    assert bpy.ops.geonode.use_preset(preset=preset.id) == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE", (properties.edited().prompt, session.current.messages)
    assert not {message["code"] for message in session.current.messages} & DOUBTS, session.current.messages
    [made] = [modifier.id_data for modifier in session.current.results]
    # What stands for itself gets an object of its own.
    assert made == active or preset.makes and not active.modifiers and made == bpy.context.object
    assert gallery.recent == [preset.id]


def test_presets_are_found_by_words_kind_favourites_and_use() -> None:
    meshes = gallery.offered("MESH", "", ())
    assert len(meshes) > 30 and gallery.offered("LIGHT", "", ()) == []
    assert all("scatter" in p.words for p in gallery.offered("MESH", "SCATTER", ()))
    assert gallery.offered("MESH", "no such words", ()) == []
    last, before = meshes[-1].id, meshes[-2].id
    assert gallery.offered("MESH", "", [last])[0].id == last
    gallery.use(before)
    assert [p.id for p in gallery.offered("MESH", "", [last])][:2] == [last, before]
    for number in range(9):
        gallery.use(str(number))
    assert gallery.recent == ["8", "7", "6", "5"]


def test_the_gallery_opens_and_shows_more() -> None:
    assert "geonode.use_preset" not in draw_sidebar()
    assert bpy.ops.geonode.gallery() == {"FINISHED"}
    few = [text for text in draw_sidebar() if any(text == preset.title for preset in gallery.loaded)]
    assert len(few) == panel.SHOWN
    bpy.ops.geonode.show(part=panel.ALL)
    assert len([text for text in draw_sidebar() if any(text == p.title for p in gallery.loaded)]) > 30
    properties.edited().search = "nothing has these words"
    assert "No preset with these words." in draw_sidebar(width=900)
    properties.edited().search = ""
    bpy.context.view_layer.objects.active = None
    shown = draw_sidebar(width=900)
    assert "Stairs" in shown and "Scatter" not in shown
    assert bpy.ops.geonode.use_preset(preset="scatter") == {"CANCELLED"}
    assert bpy.ops.geonode.use_preset(preset="stairs") == {"FINISHED"}
    finish()
    assert bpy.context.object.name == "Stairs"


def test_one_list_is_open_at_most_and_none_above_a_result() -> None:
    bpy.ops.geonode.gallery()
    bpy.ops.geonode.history()
    assert session.current.shown & polling.LISTS == {"history"}
    bpy.ops.geonode.gallery()
    assert session.current.shown & polling.LISTS == {polling.GALLERY}
    bpy.ops.geonode.show(part="log")
    assert bpy.ops.geonode.use_preset(preset="stairs") == {"FINISHED"}
    assert session.current.shown == {"log"}
    finish()
    assert session.current.summary == "DONE", session.current.messages


def test_favourites_are_kept_with_the_preferences(stored: Any) -> None:
    assert gallery.favourites(stored) == []
    one, two = gallery.loaded[0].id, gallery.loaded[1].id
    bpy.ops.geonode.favourite(preset=one)
    bpy.ops.geonode.favourite(preset=two)
    assert gallery.favourites(stored) == [one, two]
    bpy.ops.geonode.favourite(preset=one)
    assert gallery.favourites(stored) == [two]
    stored.favourites = ""


def test_surprises_differ() -> None:
    assert bpy.ops.geonode.surprise() == {"FINISHED"}
    finish()
    first = gallery.recent[0]
    # Not every preset works on what another one made: Blocks, for one, not on copies.
    e2e.build_start({"objects": [{"name": "Ball", "primitive": "ico_sphere"}], "active": "Ball"}, None)
    bpy.ops.geonode.surprise()
    finish()
    assert gallery.recent[0] != first and session.current.summary == "DONE", session.current.messages


def test_a_name_that_cannot_be_typed_is_called_it() -> None:
    preset = next(one for one in gallery.loaded if "{object}" in (presets.prompt(one.id) or ""))
    pattern = presets.prompt(preset.id)
    assert pattern and gallery.prompt(preset, "Cube.001") == pattern.replace("{object}", "Cube.001")
    for name in ("\u202eb", "x" * 60, "two  spaces"):
        assert gallery.prompt(preset, name) == pattern.replace("{object}", "it")


def test_the_list_is_read_beside_the_window(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "any.toml").write_text("title = ")
    monkeypatch.setattr(folders, "presets_folder", lambda: tmp_path)
    check = presets.begin_reading()
    assert check is not None
    check.result()
    assert presets.begin_reading() is None, "it is known now"
    monkeypatch.setattr(gallery, "loaded", [])
    monkeypatch.setattr(gallery, "is_reading", lambda: True)
    bpy.ops.geonode.show(part=polling.GALLERY)
    assert "Reading the presets…" in draw_sidebar(width=900)


def test_what_the_first_prompt_needs_is_loaded_in_pieces_and_leaves_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    before = inventory()
    host = [f"{ADDON}.host.{name}" for name in warming.LATE]
    for name in host:
        monkeypatch.delitem(sys.modules, name, raising=False)
    steps = 0
    for _ in warming.pieces():
        steps += 1
        assert sum(name in sys.modules for name in host) <= steps
    assert all(name in sys.modules for name in host) and steps > len(host)
    assert inventory() == before


def test_node_types_are_described_before_they_are_used_but_not_where_that_costs_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, known = inventory(), {}
    monkeypatch.setattr(node_types, "_nodes", known)
    monkeypatch.setattr(warming, "DESCRIBING_S", 0.0)
    pieces = warming.description_pieces()
    for number in (1, 2, 3):
        next(pieces)
        assert len(known) == number and inventory() == before
    monkeypatch.setattr(warming.session, "current", SimpleNamespace(running=True))
    next(pieces)
    assert len(known) == 3, "a run does without"
    monkeypatch.undo()
    monkeypatch.setattr(node_types, "FEW_OBJECTS", len(bpy.data.objects) - 1)
    assert list(pieces) == []
    path = catalogue.known(folders.own_folder())
    assert path is not None
    names = list(catalogue.names(path))
    assert len(names) == len(json.loads(path.read_text(encoding="utf-8"))["nodes"]) > 200
    monkeypatch.setattr(node_types, "_nodes", known)
    assert not node_types.learn_for(60, iter(names[:20])) and set(names[:20]) <= known.keys()


def test_a_list_that_cannot_be_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise AssistantError("core_missing", "The native module cannot be loaded.", "Install it.")

    monkeypatch.setattr(presets, "begin_reading", fails)
    bpy.ops.geonode.gallery()
    drawn = draw_sidebar(width=900)
    assert "The native module cannot be loaded." in drawn and "Install it." in drawn
    monkeypatch.undo()
    gallery.load()
    assert gallery.failure() is None


@pytest.mark.parametrize("preset", [p for p in gallery.loaded if p.asks], ids=lambda preset: preset.id)
def test_a_preset_that_needs_a_second_object_asks_for_it(preset: gallery.Preset) -> None:
    assert gallery.prompt(preset, "Ball") is None
    with pytest.raises(RuntimeError, match="needs a second object"):
        bpy.ops.geonode.use_preset(preset=preset.id)
    if "curve" in preset.description.casefold():
        bpy.ops.curve.primitive_bezier_curve_add()
    else:
        bpy.ops.mesh.primitive_plane_add(size=20, location=(0, 0, -5))
    bpy.context.object.name = "Second"
    given = {"title": "", "unit": "", "choices": [], "is_given": False, "whole": 0, "number": 0.0, "on": False}
    values = [{"name": "", "parameter": "object", "kind": "object", "block": "Second", "choice": "", **given}]
    assert bpy.ops.geonode.apply_preset(preset=preset.id, object="Ball", values=values) == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE", session.current.messages
    assert "Second" in session.current.final_message


def test_presets_have_pictures() -> None:
    shipped = [preset for preset in presets.list() if not preset["own"]]
    pictures = [Path(preset["picture"]) for preset in shipped if preset["picture"] is not None]
    # One that was added is drawn without a picture until it has one.
    assert len(pictures) > 0.8 * len(shipped)
    assert {path.name for path in presets.PICTURES.glob(f"*{presets.SHIPPED}")} == {path.name for path in pictures}
    for path in pictures:
        image = bpy.data.images.load(str(path))
        assert tuple(image.size) == (128, 128) and 1000 < path.stat().st_size < 12_000, path.name
        bpy.data.images.remove(image)


def test_a_picture_stands_beside_a_title_that_can_be_read_or_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    monkeypatch.setattr(pictures, "of_file", lambda path: 7 if path else 0)
    monkeypatch.setattr(Layout, "template_icon", lambda _, icon_value, scale: drawn.append(icon_value), raising=False)
    session.current.show("gallery")
    titles = {preset.title for preset in gallery.loaded}
    for width in (130, 220, 300, 520):
        drawn.clear()
        assert len(titles & set(draw_sidebar(width=width))) == len(drawn) == panel.SHOWN
