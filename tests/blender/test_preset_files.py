# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's presets: saved from a tree, listed, applied elsewhere, found by words, exchanged as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant import api, native
from geonode_assistant.host import folders, modifiers
from geonode_assistant.run import session


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of presets of its own, and a scene with a plane and a cube."""
    session.current.close()
    place = tmp_path / "presets"
    monkeypatch.setattr(folders, "presets_folder", lambda: place)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=4)
    bpy.ops.mesh.primitive_cube_add(size=2, location=(9, 0, 0))
    activate("Plane")
    return place


def activate(name: str) -> None:
    bpy.context.view_layer.objects.active = bpy.data.objects[name]
    bpy.context.view_layer.update()


def raised(code: str, call: Callable[[], Any]) -> Any:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # of the add-on or of the core
        call()
    assert getattr(caught.value, "code", None) == code, caught.value
    return caught.value


def artists_tree() -> Any:
    """A tree that an artist made: a frame with a label, a nested group, inputs with ranges, a material."""
    inner = bpy.data.node_groups.new("Lift", "GeometryNodeTree")
    inner.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    inner.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    height = inner.interface.new_socket("Height", in_out="INPUT", socket_type="NodeSocketVector")
    height.default_value = (0, 0, 1)
    start, end = inner.nodes.new("NodeGroupInput"), inner.nodes.new("NodeGroupOutput")
    move = inner.nodes.new("GeometryNodeTransform")
    inner.links.new(start.outputs[0], move.inputs["Geometry"])
    inner.links.new(start.outputs[1], move.inputs["Translation"])
    inner.links.new(move.outputs[0], end.inputs[0])

    tree = bpy.data.node_groups.new("My Painted Steps", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    rise = tree.interface.new_socket("Rise", in_out="INPUT", socket_type="NodeSocketFloat")
    rise.subtype, rise.default_value, rise.min_value, rise.max_value = "DISTANCE", 0.5, 0.0, 3.0
    rise.description = "How high it goes"
    paint = tree.interface.new_socket("Paint", in_out="INPUT", socket_type="NodeSocketMaterial")
    paint.default_value = bpy.data.materials.new("Moss")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    lift, axis = tree.nodes.new("GeometryNodeGroup"), tree.nodes.new("ShaderNodeCombineXYZ")
    lift.node_tree = inner
    colour = tree.nodes.new("GeometryNodeSetMaterial")
    colour.label = "Paint it"
    tree.links.new(start.outputs["Geometry"], lift.inputs["Geometry"])
    tree.links.new(start.outputs["Rise"], axis.inputs["Z"])
    tree.links.new(axis.outputs[0], lift.inputs["Height"])
    tree.links.new(lift.outputs[0], colour.inputs["Geometry"])
    tree.links.new(start.outputs["Paint"], colour.inputs["Material"])
    tree.links.new(colour.outputs[0], end.inputs[0])
    for place, node in enumerate((start, axis, lift, colour, end)):
        node.location = (220 * place, 30 * place)
    return tree


def put(tree: Any, name: str, **values: Any) -> Any:
    modifier = bpy.data.objects[name].modifiers.new("Steps", "NODES")
    modifier.node_group = tree
    for item in modifiers.inputs_of(tree):
        if item.name.lower() in values:
            modifiers.write_input(modifier, item.identifier, values[item.name.lower()])
    return modifier


def top(name: str) -> float:
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    return max(vertex.co.z for vertex in bpy.data.objects[name].evaluated_get(graph).data.vertices)


def test_what_ships_is_listed_with_what_an_interface_shows() -> None:
    known = {one["id"]: one for one in api.presets.list()}
    assert len(known) > 50 and not any(one["own"] for one in known.values())
    scatter = known["scatter"]
    assert scatter["title"] == "Scatter" and scatter["example"].startswith("scatter") and scatter["description"]
    count = next(one for one in scatter["parameters"] if one["name"] == "count")
    assert (count["kind"], count["title"], count["hard"][0]) == ("count", "Count", 1)
    assert all(one["picture"] is None or Path(one["picture"]).is_file() for one in known.values())
    known["scatter"]["title"] = "changed"
    assert api.presets.list()[0]["title"] != "changed", "a caller's changes stay the caller's"


def test_an_artists_tree_is_saved_and_applied_to_another_object_as_one_undo_step(folder: Path) -> None:
    kept = api.presets.save("Mossy Steps", put(artists_tree(), "Plane", rise=1.25), words=["painted lift"])
    assert kept["own"] and kept["id"] == "mossy_steps" and not kept["losses"], kept
    rise, paint = kept["parameters"]
    assert (rise["name"], rise["kind"], rise["unit"], rise["default"]) == ("rise", "length", "m", 1.25)
    assert (rise["hard"], rise["description"]) == ([0.0, 3.0], "How high it goes")
    assert (paint["kind"], paint["default"]) == ("value", {"material": "Moss"})
    assert [path.name for path in folder.iterdir()] == ["mossy_steps.toml"]
    before = (len(bpy.data.node_groups), top("Plane"))
    report = api.presets.apply("mossy_steps", "Cube")
    assert report.status == "done", report.messages
    assert top("Cube") == pytest.approx(2.25) and top("Plane") == before[1]
    made = bpy.data.objects["Cube"].modifiers[0].node_group
    assert made.name == "Mossy Steps" and len(bpy.data.node_groups) == before[0] + 2, "with an inner group of its own"
    assert [node.label for node in made.nodes if node.label] == ["Paint it"]
    second = api.presets.apply("mossy_steps", "Cube", {"rise": 2.0})
    assert second.status == "done" and top("Cube") == pytest.approx(4.25), "each makes a result of its own"
    assert [modifier.node_group.name for modifier in bpy.data.objects["Cube"].modifiers][1] == "Mossy Steps.001"


def test_values_outside_their_range_and_unknown_ones_change_nothing() -> None:
    api.presets.save("Mossy Steps", put(artists_tree(), "Plane"))
    for code, preset, values in (
        ("unknown_preset", "nothing", {}),
        ("invalid_argument", "mossy_steps", {"height": 1}),
        ("invalid_argument", "mossy_steps", {"rise": "high"}),
        ("out_of_range", "mossy_steps", {"rise": 4}),
    ):
        raised(code, lambda preset=preset, values=values: api.presets.apply(preset, "Cube", values))
    assert not bpy.data.objects["Cube"].modifiers


def test_what_was_saved_is_found_by_its_title_and_words_without_a_model() -> None:
    api.presets.save("Mossy Steps", put(artists_tree(), "Plane"), words=["painted lift"])
    for number, prompt in enumerate(("mossy steps on the cube, rise 2 m", "a painted lift on the cube, rise 2 m")):
        report = api.run(prompt, provider="offline")
        assert report.status == "done", (prompt, report.messages)
        assert len(bpy.data.objects["Cube"].modifiers) == number + 1
        assert top("Cube") == pytest.approx(1 + 2 * (number + 1))
    report = api.run("scatter 20 rocks on the plane", provider="offline")
    assert report.status == "done", "the presets that ship are there as before"


def test_a_file_goes_to_another_scene_without_what_is_missing_there(folder: Path, tmp_path: Path) -> None:
    api.presets.save("Mossy Steps", put(artists_tree(), "Plane"), description="Steps with moss.")
    out = api.presets.export_file("mossy_steps", tmp_path / "given.toml")
    raised("file_exists", lambda: api.presets.export_file("mossy_steps", out))
    assert api.presets.export_file("mossy_steps", out, overwrite=True) == out
    raised("file_exists", lambda: api.presets.import_file(out))
    api.presets.delete("mossy_steps")
    raised("unknown_preset", lambda: api.presets.load("mossy_steps"))
    assert not any(folder.iterdir()) and not any(one["own"] for one in api.presets.list())
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add(size=2)
    shown = api.presets.import_file(out)
    assert (shown["id"], shown["description"]) == ("mossy_steps", "Steps with moss.")
    report = api.presets.apply("mossy_steps")
    assert report.status == "done", report.messages
    assert "material “Moss”" in report.final_message and top("Cube") == pytest.approx(1.5)
    assert {group.name for group in bpy.data.node_groups} == {"Mossy Steps", "Lift"}


def test_the_result_of_a_run_is_saved_with_its_values() -> None:
    report = api.run("make a grid of 3 by 4 cubes on the plane", provider="offline")
    assert report.status == "done", report.messages
    kept = api.presets.save("Egg Box")
    by_name = {one["name"]: one["default"] for one in kept["parameters"]}
    assert {by_name["columns"], by_name["rows"]} == {3, 4}, by_name
    bpy.ops.mesh.primitive_plane_add(size=1, location=(0, 9, 0))
    again = api.presets.apply("egg_box", "Plane.001", {"columns": 5, "rows": 5})
    assert again.status == "done", again.messages
    raised("file_exists", lambda: api.presets.save("Egg Box", "Plane"))
    assert api.presets.save("Egg Box", "Plane", overwrite=True)["id"] == "egg_box"


def test_a_preset_that_ships_is_applied_by_its_id_and_stays() -> None:
    report = api.presets.apply("grid", "Plane", {"columns": 3, "rows": 2, "object": "Cube"})
    assert report.status == "done", report.messages
    graph = bpy.context.evaluated_depsgraph_get()
    owner = bpy.data.objects["Plane"]
    assert sum(one.is_instance and one.parent.original == owner for one in graph.object_instances) == 6
    for call in (api.presets.delete, lambda one: api.presets.export_file(one, "x.toml")):
        raised("invalid_argument", lambda call=call: call("grid"))
    raised("preset_invalid", lambda: api.presets.save("Scatter", "Plane"))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("preset = 1", "preset = 9", "/preset"),
        ('kind = "length"', 'kind = "wide"', "wide"),
        ("[concepts]", 'script = "import os"\n[concepts]', "script"),
        ("transform_geometry(", "os.remove(", "/plan/page"),
        ("transform_geometry(", "no_such_node(", "/plan/page"),
        ("default = 0.5", "default = 0.5\nwords = [", "line"),
        ('title = "Mossy Steps"', 'title = "Fence"', "/title"),
    ],
)
def test_a_damaged_file_is_refused_with_the_field(folder: Path, tmp_path: Path, old: str, new: str, place: str) -> None:
    api.presets.save("Mossy Steps", put(artists_tree(), "Plane"))
    given = tmp_path / "given.toml"
    text = api.presets.load("mossy_steps")["text"]
    assert old in text
    given.write_text(text.replace(old, new, 1), "utf-8")
    api.presets.delete("mossy_steps")
    error = raised("preset_invalid", lambda: api.presets.import_file(given))
    assert "given.toml" in str(error) and place in str(error), error
    assert not any(folder.iterdir())
    # One that was put into the folder by hand is told of, and never in the way.
    (folder / "given.toml").write_bytes(given.read_bytes())
    if place != "/plan/page":
        assert [one["file"] for one in api.presets.unreadable()] == ["given.toml"]
    assert api.run("scatter 20 rocks on the plane", provider="offline").status == "done"


def test_names_and_files_that_cannot_be_are_refused(tmp_path: Path) -> None:
    tree = artists_tree()
    for title in ("", "  ", "a{b}", "x" * 70, "tab\x07"):
        raised("preset_invalid", lambda title=title: api.presets.save(title, tree))
    assert api.presets.save("../con: 石", tree)["id"].isascii()
    raised("invalid_argument", lambda: api.presets.save("Empty", "Cube"))
    raised("file_not_found", lambda: api.presets.import_file(tmp_path / "none.toml"))
    (tmp_path / "picture.toml").write_bytes(b"\x89PNG\xff")
    raised("invalid_json", lambda: api.presets.import_file(tmp_path / "picture.toml"))


def test_the_folder_is_the_private_one_of_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    place = folders.presets_folder()
    assert place.name == "presets" and place.is_absolute()
    assert native.fix("file_exists") and native.fix("unknown_preset")
