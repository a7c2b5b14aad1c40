# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene as a model sees it: within its budget, deterministic, and with a note of what was left out."""

from __future__ import annotations

import json
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.messages import AssistantError

BYTES_PER_TOKEN = 3


def size(shown: dict[str, Any]) -> int:
    return len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.fixture
def scene() -> None:
    """A cube with a tree of 200 nodes, and 300 other objects."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    tree = bpy.data.node_groups.new("Long", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    last = tree.nodes.new("GeometryNodeMeshCube")
    for _ in range(200):
        node = tree.nodes.new("GeometryNodeTransform")
        tree.links.new(last.outputs[0], node.inputs["Geometry"])
        last = node
    tree.links.new(last.outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
    cube.modifiers.new("GN", "NODES").node_group = tree
    for number in range(300):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(f"Empty {number:03}", None))
        bpy.data.materials.new(f"Material {number:03}")


@pytest.mark.parametrize("budget", [300, 1000, 4000, 20_000])
def test_a_context_fits_its_budget_and_reports_what_it_left_out(scene: None, budget: int) -> None:
    shown = api.context(budget_tokens=budget)
    assert size(shown) <= budget * BYTES_PER_TOKEN
    assert shown["target_object"] == "Cube"
    assert shown["tree"]
    kept = len(shown.get("objects", []))
    assert kept + shown.get("objects_left_out", 0) + shown.get("cut", 0) == 301
    assert len(shown["materials"]) + shown.get("materials_left_out", 0) == 300


def test_more_budget_shows_more(scene: None) -> None:
    sizes = [size(api.context(budget_tokens=budget)) for budget in (300, 1000, 4000, 20_000)]
    assert sizes == sorted(sizes)
    assert "Cube" in [o["name"] for o in api.context(budget_tokens=1000)["objects"]]


@pytest.mark.skipif(bpy.app.version < (4, 5), reason="4.2 shows only meshes to Python")
def test_the_result_is_shown_with_its_copies() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add(size=1)
    report = api.run("array the cube 5 times along x with a spacing of 2 m", provider="offline")
    assert report.ok, report.messages
    shown = next(o for o in api.context()["objects"] if o["name"] == "Cube")
    assert shown["counts"]["vertices"] == 8
    assert shown["result"]["instances"] == 5 or shown["result"]["vertices"] == 40, shown
    low, high = shown["result"]["bounds"]
    assert [round(b - a, 4) for a, b in zip(low, high, strict=True)] == [9, 1, 1]


def test_equal_scenes_have_equal_hashes(scene: None) -> None:
    first = api.context()
    assert api.context() == first
    bpy.data.objects["Cube"].location.x = 3
    bpy.context.view_layer.update()
    assert api.context()["hash"] != first["hash"]


def test_slices_are_answered_in_order(scene: None) -> None:
    requested = [
        "modifier_stack",
        {"slice": "node_docs", "query": "distribute points"},
        {"slice": "node_tree_ir", "node_group_name": "Long"},
        {"slice": "geometry_stats", "object_name": "Nobody"},
    ]
    shown = api.context(slices=requested)
    answers = shown["slices"]
    assert [a["slice"] for a in answers] == ["modifier_stack", "node_docs", "node_tree_ir", "geometry_stats"]
    assert answers[0]["data"][0]["name"] == "GN"
    assert "GeometryNodeDistributePoints" in json.dumps(answers[1]["data"])
    assert answers[2]["data"].startswith("def long(") and "transform_geometry(" in answers[2]["data"]
    assert answers[3]["data"] == "There is nothing with this name."
    assert size(shown) <= 4000 * BYTES_PER_TOKEN


@pytest.mark.parametrize("arguments", [{"budget_tokens": 0}, {"budget_tokens": 3.5}, {"budget_tokens": True}])
def test_an_impossible_budget_is_refused(scene: None, arguments: dict[str, Any]) -> None:
    with pytest.raises(AssistantError) as raised:
        api.context(**arguments)
    assert raised.value.code == "invalid_argument"


def test_reading_writes_nothing(scene: None) -> None:
    before = api.export_tree(bpy.data.node_groups["Long"])
    api.context(slices=["node_tree_ir", "scene_summary"])
    assert api.export_tree(bpy.data.node_groups["Long"]) == before
    assert not any(n.get("geonode_id") for n in bpy.data.node_groups["Long"].nodes)


def test_lengths_of_curves_and_values_of_inputs_are_shown() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.curve.primitive_bezier_circle_add(radius=2)
    circle = bpy.context.object
    tree = bpy.data.node_groups.new("Posts", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Count", in_out="INPUT", socket_type="NodeSocketInt").default_value = 12
    tree.interface.new_socket("Post", in_out="INPUT", socket_type="NodeSocketObject")
    tree.interface.new_socket("Count", in_out="INPUT", socket_type="NodeSocketFloat").default_value = 0.5
    circle.modifiers.new("GN", "NODES").node_group = tree
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.modifiers.new("GN", "NODES").node_group = tree
    bpy.ops.mesh.primitive_plane_add()

    objects = {one["name"]: one for one in api.context(object=circle.name, budget_tokens=20_000)["objects"]}
    shown = objects[circle.name]
    assert shown["length"] == pytest.approx(2 * 3.14159 * 2, rel=0.01)
    assert "length" not in objects[cube.name]
    [modifier] = shown["modifiers"]
    assert modifier["values"]["Count"] == 12 and modifier["values"]["Post"] is None
    assert [value for name, value in modifier["values"].items() if name.startswith("Count (")] == [0.5]
    assert "values" not in objects[cube.name]["modifiers"][0], "neither target nor selected"
