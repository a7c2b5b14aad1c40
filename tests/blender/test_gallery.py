# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery: every preset in it works on the object at hand, and can be found again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import addon_utils
import bpy
import geonode_assistant
import pytest
from geonode_assistant.cli import e2e
from geonode_assistant.run import session
from geonode_assistant.ui import gallery, properties
from geonode_assistant.ui.panels import gallery as panel
from layouts import draw_sidebar

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


@pytest.mark.parametrize("preset", gallery.loaded, ids=lambda preset: preset.id)
def test_every_preset_of_the_gallery_works(preset: gallery.Preset) -> None:
    if not preset.fits(bpy.context.object.type):
        bpy.ops.curve.primitive_bezier_curve_add()
    active = bpy.context.object
    active.name = "Something"
    assert preset.fits(active.type), preset
    assert bpy.ops.geonode.use_preset(preset=preset.id) == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE", (properties.edited().prompt, session.current.messages)
    assert [modifier.id_data for modifier in session.current.results] == [active]
    assert gallery.recent == [preset.id]


def test_presets_are_found_by_words_kind_favourites_and_use() -> None:
    meshes = gallery.offered("MESH", "", ())
    assert len(meshes) > 30 and gallery.offered("LIGHT", "", ()) == []
    assert all("scatter" in (p.title + p.description).casefold() for p in gallery.offered("MESH", "SCATTER", ()))
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
    assert "Select a mesh or a curve." in draw_sidebar(width=900) and not bpy.ops.geonode.use_preset.poll()


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
    bpy.ops.geonode.surprise()
    finish()
    assert gallery.recent[0] != first and session.current.summary == "DONE", session.current.messages


def test_a_name_that_cannot_be_typed_is_called_it() -> None:
    preset = gallery.Preset("x", "X", "", (), "twist {object} by 90 degrees")
    assert preset.prompt("Cube.001") == "twist Cube.001 by 90 degrees"
    for name in ("\u202eb", "x" * 60, "two  spaces"):
        assert preset.prompt(name) == "twist it by 90 degrees"
