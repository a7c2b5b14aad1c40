# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of the user's own in the interface: kept from the card or the open tree, found in the gallery, applied with
values, renamed, deleted, exported, imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.host import folders, sliders
from geonode_assistant.run import presets, session, starting
from geonode_assistant.ui import gallery
from geonode_assistant.ui.operators import keep
from geonode_assistant.ui.operators import presets as operators
from geonode_assistant.ui.panels import tree as tree_panel
from layouts import draw_sidebar


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    place = tmp_path / "presets"
    monkeypatch.setattr(folders, "presets_folder", lambda: place)
    session.current.reset("")
    geonode_assistant.register()
    start = {"objects": [{"name": "Plane", "primitive": "plane", "size": 10}, {"name": "Box", "primitive": "cube"}]}
    e2e.build_start({**start, "active": "Plane"}, None)
    bpy.ops.ed.undo_push(message="Start")
    keep.kept.forget()
    gallery.load()
    yield place
    keep.kept.forget()
    geonode_assistant.unregister()
    session.current.reset("")
    monkeypatch.undo()
    gallery.load()


def finish() -> None:
    while session.current.running:
        session.current.poll()


def made(prompt: str = "scatter 20 cubes on the plane") -> Any:
    starting.start(prompt, approve="all")
    finish()
    [modifier] = session.current.results
    return modifier


def set_value(modifier: Any, name: str, value: float) -> None:
    slider = next(s for s in sliders.of(modifier) if s.name == name)
    if slider.path == "value":
        slider.owner.value = value
    else:
        slider.owner[slider.path[2:-2]] = value


def wanted(modifier: Any, *names: str) -> list[dict[str, Any]]:
    """What the dialog holds once only these inputs are ticked."""
    return [
        {"name": "", "identifier": one.identifier, "title": one.name, "wanted": one.name in names}
        for one in sliders.of(modifier)
    ]


def shown() -> list[str]:
    return draw_sidebar(width=2000)


def refused(call: Any) -> str:
    """What an operator reports as an error."""
    with pytest.raises(RuntimeError) as caught:
        call()
    return str(caught.value)


def test_a_result_is_kept_with_the_inputs_that_were_chosen_and_where_it_went_is_said() -> None:
    modifier = made()
    set_value(modifier, "Count", 33)
    assert "geonode.keep_preset" in shown()
    kept = {"of_result": True, "title": "Little Cubes", "inputs": wanted(modifier, "Seed")}
    assert bpy.ops.geonode.keep_preset(**kept) == {"FINISHED"}
    [preset] = [one for one in gallery.loaded if one.own]
    assert preset.title == "Little Cubes" and [one["title"] for one in preset.parameters] == ["Seed"]
    assert any("Kept as “Little Cubes”" in text and "Gallery" in text for text in shown())
    report = presets.apply(preset.id, "Box")
    assert report.status == "done", report.messages
    [applied] = bpy.data.objects["Box"].modifiers
    assert [one.name for one in sliders.of(applied)] == ["Seed"], "the others are not shown"
    graph = bpy.context.evaluated_depsgraph_get()
    copies = [one for one in graph.object_instances if one.is_instance and one.parent.original.name == "Box"]
    assert len(copies) == 33, "an input that is not a parameter keeps its value"


def test_without_a_choice_every_visible_input_is_a_parameter() -> None:
    modifier = made()
    assert bpy.ops.geonode.keep_preset(of_result=True, title="All of It") == {"FINISHED"}
    free = [keep.free_title(name) for name in ("Scatter", "All of It", "Hedge")]
    assert free == ["My Scatter", "My All of It", "Hedge"], "what the dialog suggests can be kept"
    [preset] = [one for one in gallery.loaded if one.own]
    assert {one["title"] for one in preset.parameters} >= {one.name for one in sliders.of(modifier)}
    with pytest.raises(Exception, match="no input “Nothing”"):
        presets.save("More", modifier, parameters=["Nothing"])


def test_names_that_are_taken_are_said_for_people(folder: Path) -> None:
    made()
    bpy.ops.geonode.keep_preset(of_result=True, title="Little Cubes")
    assert "choose another name" in refused(lambda: bpy.ops.geonode.keep_preset(of_result=True, title="scatter"))
    assert "already" in refused(lambda: bpy.ops.geonode.keep_preset(of_result=True, title="little cubes"))
    assert "Give it a name" in refused(lambda: bpy.ops.geonode.keep_preset(of_result=True, title="  "))
    for title in ("x" * 57, "a {b}", "“quoted”"):
        assert "Leave out" in refused(lambda title=title: bpy.ops.geonode.keep_preset(of_result=True, title=title))
        with pytest.raises(Exception, match="/title"):
            presets.save(title)
    assert bpy.ops.geonode.keep_preset(of_result=True, title="Little Cubes", replace=True) == {"FINISHED"}
    assert len([*folder.iterdir()]) == 1


def test_the_open_tree_is_kept_and_says_so_only_while_that_holds() -> None:
    modifier = made()
    space = SimpleNamespace(type="NODE_EDITOR", edit_tree=modifier.node_group, node_tree=modifier.node_group, id=None)

    def panel() -> str:
        return " ".join(draw_sidebar(tree_panel.GEONODE_PT_tree_nodes, 2000, space))

    assert "geonode.keep_preset" in panel() and "Kept as" not in panel()
    tree, carrier = keep.source(SimpleNamespace(space_data=space, object=bpy.context.object), False)
    assert (tree, carrier) == (modifier.node_group, modifier), "with the values of its modifier"
    bpy.context.object.modifiers.active = modifier
    assert bpy.ops.geonode.keep_preset(title="Open One") == {"FINISHED"}
    assert "Kept as “Open One”" in panel()
    bpy.ops.geonode.rename_preset(preset="open_one", title="Another One")
    assert "Kept as" not in panel(), "it goes by another name now"
    bpy.ops.geonode.keep_preset(title="Open One")
    presets.delete("open_one")
    gallery.load()
    assert "Kept as" not in panel()


def test_own_presets_are_offered_found_and_applied() -> None:
    made()
    bpy.ops.geonode.keep_preset(of_result=True, title="Little Cubes", about="Puts confetti everywhere.")
    bpy.ops.geonode.gallery()
    assert "Little Cubes" in shown() and "geonode.preset_menu" in shown() and "geonode.import_preset" in shown()
    assert [one.title for one in gallery.offered("MESH", "confetti", ())] == ["Little Cubes"]
    bpy.context.view_layer.objects.active = bpy.data.objects["Box"]
    assert bpy.ops.geonode.use_preset(preset="little_cubes") == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE", session.current.messages
    assert bpy.data.objects["Box"].modifiers and gallery.recent[0] == "little_cubes"


def dialog(preset: gallery.Preset, **values: Any) -> list[dict[str, Any]]:
    """What the dialog holds with these values ticked."""
    rows = []
    for parameter in preset.parameters:
        held = operators.HELD.get(parameter["kind"])
        if held is not None:
            row = {"name": "", "title": "", "unit": "", "choices": [], "choice": "", "is_given": False}
            row |= {"parameter": parameter["name"], "kind": parameter["kind"], "whole": 0, "number": 0.0, "on": False}
            row |= {"block": ""}
            if parameter["name"] in values:
                row |= {"is_given": True, held: values[parameter["name"]]}
            rows.append(row)
    return rows


def test_a_preset_is_applied_to_another_object_with_values() -> None:
    made()
    bpy.ops.geonode.keep_preset(of_result=True, title="Little Cubes")
    [preset] = [one for one in gallery.loaded if one.own]
    rows = dialog(preset, count=7, align=True)
    assert bpy.ops.geonode.apply_preset(preset=preset.id, object="Box", values=rows) == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE", session.current.messages
    [applied] = bpy.data.objects["Box"].modifiers
    values = {one.name: one.value for one in sliders.of(applied)}
    assert values["Count"] == 7 and values["Align"] is True and values["Seed"] == 0
    rows = dialog(preset, count=-1)
    assert "must be from" in refused(lambda: bpy.ops.geonode.apply_preset(preset=preset.id, object="Box", values=rows))
    assert len(bpy.data.objects["Box"].modifiers) == 1


def test_a_preset_is_renamed_and_found_by_its_new_name_only(folder: Path) -> None:
    made()
    bpy.ops.geonode.keep_preset(of_result=True, title="Winter Supper")
    assert bpy.ops.geonode.rename_preset(preset="winter_supper", title="Frozen Peas!") == {"FINISHED"}
    [preset] = [one for one in gallery.loaded if one.own]
    assert preset.title == "Frozen Peas!" and len([*folder.iterdir()]) == 1
    assert preset.parameters and "Frozen" in preset.description
    report = api.run("frozen peas on the box", provider="offline")
    assert report.status == "done", report.messages
    assert "Frozen" in report.final_message
    assert api.run("winter supper", provider="offline").status == "error"
    assert "comes with" in refused(lambda: bpy.ops.geonode.rename_preset(preset=preset.id, title="Scatter"))
    with pytest.raises(Exception, match="ships"):
        presets.rename("scatter", "Mine")


def test_presets_go_out_and_come_in_as_files(folder: Path, tmp_path: Path) -> None:
    made()
    bpy.ops.geonode.keep_preset(of_result=True, title="Little Cubes")
    out = tmp_path / "given"
    assert bpy.ops.geonode.export_preset(preset="little_cubes", filepath=str(out)) == {"FINISHED"}
    assert bpy.ops.geonode.delete_preset(preset="little_cubes") == {"FINISHED"}
    assert not [one for one in gallery.loaded if one.own] and not [*folder.iterdir()]
    file = str(out.with_suffix(".toml"))
    assert bpy.ops.geonode.import_preset(filepath=file) == {"FINISHED"}
    assert [one.title for one in gallery.loaded if one.own] == ["Little Cubes"]
    assert "already" in refused(lambda: bpy.ops.geonode.import_preset(filepath=file))
    assert bpy.ops.geonode.import_preset(filepath=file, overwrite=True) == {"FINISHED"}
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("preset = 1\nscript = 'import os'\n")
    assert "wrong.toml" in refused(lambda: bpy.ops.geonode.import_preset(filepath=str(wrong)))


def test_a_damaged_file_of_the_user_is_said_in_the_gallery(folder: Path) -> None:
    folder.mkdir()
    (folder / "broken.toml").write_text("title = ")
    bpy.ops.geonode.gallery()
    assert any("broken.toml is no preset" in text for text in shown())
    assert len([one for one in gallery.loaded if not one.own]) > 50
