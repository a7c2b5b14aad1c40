# SPDX-License-Identifier: GPL-3.0-or-later
"""What others in the file know about a node goes with it: drivers elsewhere that read its values, and how a modifier
bakes it. A failed run leaves them as they were, and what would be lost is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from whole_file import GEOMETRY

GROUP = {"op": "group_nodes", "id": "g", "node_group_name": "Inner", "node_ids": ["V"]}
FAILING = {"expects": [{"object_name": "Plane", "component": "instances", "count": 9999}]}


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    plane.name = "Plane"
    tree = bpy.data.node_groups.new("A", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type=GEOMETRY)
    begin, finish = (tree.nodes.new(f"NodeGroup{side}") for side in ("Input", "Output"))
    move, split, value = (
        tree.nodes.new(kind) for kind in ("GeometryNodeTransform", "ShaderNodeCombineXYZ", "ShaderNodeMath")
    )
    move.name, split.name, value.name = "Move", "Split", "V"
    value.inputs[0].default_value = 2.0
    for one, other in (
        (begin.outputs[0], move.inputs[0]),
        (move.outputs[0], finish.inputs[0]),
        (value.outputs[0], split.inputs[0]),
        (split.outputs[0], move.inputs["Translation"]),
    ):
        tree.links.new(one, other)
    plane.modifiers.new("X", "NODES").node_group = tree
    light = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(light)
    driver = light.driver_add("location", 0).driver
    driver.expression = "x * frame"
    variable = driver.variables.new()
    variable.name, variable.type = "x", "SINGLE_PROP"
    variable.targets[0].id_type = "NODETREE"
    variable.targets[0].id = tree
    variable.targets[0].data_path = 'nodes["V"].inputs[0].default_value'
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Scene")
    yield


def run(*operations: dict[str, Any], fails: bool = False, decision: str = "approved") -> tuple[Any, list[str]]:
    target = {"object_name": "Plane", "modifier_name": "X", "node_group_name": "A"}
    payload = {"target": target, "operations": list(operations)}
    step = {"id": "s", "type": "NODE_TREE", "description": "d", "payload": payload}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    asked: list[str] = []

    def approve(request: dict[str, Any]) -> str:
        asked.append(request["reason"])
        return decision

    return api.apply_plan(plan | ({"meta": FAILING} if fails else {}), approve=approve), asked


def reads() -> tuple[str, str]:
    target = bpy.data.objects["Lamp"].animation_data.drivers[0].driver.variables[0].targets[0]
    return target.id.name, target.data_path


def driven(frame: int = 5) -> float:
    """Where the driver puts the lamp: five times what it reads."""
    bpy.context.scene.frame_set(frame)
    return bpy.data.objects["Lamp"].location.x


HERE = ("A", 'nodes["V"].inputs[0].default_value')


def test_a_driver_elsewhere_follows_a_node_into_a_group_and_out_again() -> None:
    assert driven() == 10.0
    report, asked = run(GROUP)
    assert report.ok, report.messages
    assert asked == []
    assert reads() == ("Inner", HERE[1])
    bpy.data.node_groups["Inner"].nodes["V"].inputs[0].default_value = 3.0
    assert driven() == 15.0
    report, asked = run({"op": "ungroup_nodes", "id": "g"})
    assert report.ok, report.messages
    if "Inner" not in bpy.data.node_groups:
        assert reads()[0] == "A"
    assert driven(6) == 18.0
    for _ in range(2):
        bpy.ops.ed.undo()
    assert reads() == HERE
    assert driven(7) == 14.0


@pytest.mark.parametrize(
    "operation",
    [
        GROUP,
        {"op": "delete_node", "node_id": "V"},
        {"op": "replace_node", "node_id": "V", "bl_idname": "ShaderNodeClamp"},
    ],
    ids=["group", "delete", "replace"],
)
def test_a_failed_run_leaves_it_reading_what_it_read(operation: dict[str, Any]) -> None:
    report, _ = run(operation, fails=True)
    assert not report.ok
    assert reads() == HERE
    assert driven() == 10.0


def test_a_value_that_is_read_elsewhere_is_asked_about_before_it_goes() -> None:
    report, asked = run({"op": "delete_node", "node_id": "V"}, decision="rejected")
    assert not report.ok
    assert len(asked) == 1 and "“Value” of “V”, which a driver of “Lamp” reads" in asked[0], asked
    assert driven() == 10.0


def test_a_driver_follows_its_input_to_another_number() -> None:
    tree = bpy.data.node_groups["A"]
    inner = bpy.data.node_groups.new("G", "GeometryNodeTree")
    for name in ("One", "Two"):
        inner.interface.new_socket(name, in_out="INPUT", socket_type="NodeSocketFloat")
    node = tree.nodes.new("GeometryNodeGroup")
    node.name, node.node_tree = "Used", inner
    node.inputs[1].default_value = 4.0
    target = bpy.data.objects["Lamp"].animation_data.drivers[0].driver.variables[0].targets[0]
    target.data_path = 'nodes["Used"].inputs[1].default_value'
    assert driven() == 20.0
    target = {"object_name": "Plane", "modifier_name": "X", "node_group_name": "G"}
    removal = {"op": "set_group_io", "direction": "input", "name": "One", "remove": True}
    step = {"id": "s", "type": "NODE_TREE", "description": "d", "payload": {"target": target, "operations": [removal]}}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    report = api.apply_plan(plan, approve="all")
    assert report.ok, report.messages
    assert reads() == ("A", 'nodes["Used"].inputs[0].default_value')
    assert driven(6) == 24.0


@pytest.mark.parametrize("fails", [False, True])
def test_how_a_zone_is_baked_goes_with_it_into_a_group(fails: bool) -> None:
    tree = bpy.data.node_groups["A"]
    begin, finish = (tree.nodes.new(f"GeometryNodeSimulation{side}") for side in ("Input", "Output"))
    begin.pair_with_output(finish)
    begin.name, finish.name = "In", "Out"
    move, end_of_tree = tree.nodes["Move"], tree.nodes["Group Output"]
    tree.links.new(move.outputs[0], begin.inputs["Geometry"])
    tree.links.new(begin.outputs["Geometry"], finish.inputs["Geometry"])
    tree.links.new(finish.outputs["Geometry"], end_of_tree.inputs[0])
    modifier = bpy.data.objects["Plane"].modifiers["X"]
    bpy.context.view_layer.update()
    bake = modifier.bakes[0]
    bake.use_custom_path, bake.directory = True, "//cache"
    bake.use_custom_simulation_frame_range, bake.frame_start, bake.frame_end = True, 7, 33
    bpy.ops.ed.undo_push(message="Baked")
    report, _ = run(GROUP | {"node_ids": ["In", "Out"]}, fails=fails)
    assert report.ok is not fails, report.messages
    bpy.context.view_layer.update()
    (bake,) = bpy.data.objects["Plane"].modifiers["X"].bakes
    assert (bake.use_custom_path, bake.directory) == (True, "//cache")
    assert (bake.use_custom_simulation_frame_range, bake.frame_start, bake.frame_end) == (True, 7, 33)
    assert bake.node.id_data.name == ("A" if fails else "Inner")


def rename(node: str, name: str) -> dict[str, Any]:
    return {"op": "set_property", "node_id": node, "property": "name", "value": name}


def test_a_driver_elsewhere_follows_the_name_of_a_node() -> None:
    report, asked = run(rename("V", "Speed"))
    assert report.ok and asked == [], (report.messages, asked)
    node = bpy.data.node_groups["A"].nodes["Speed"]
    assert node["geonode_id"] == "V"
    assert reads() == ("A", 'nodes["Speed"].inputs[0].default_value')
    assert driven() == 10.0
    report, _ = run(rename("V", "Speed"))
    assert report.ok and "Speed" in bpy.data.node_groups["A"].nodes
    bpy.ops.ed.undo()
    assert reads() == HERE
    assert driven(6) == 12.0


def test_a_failed_run_gives_nodes_their_names_back() -> None:
    report, _ = run(rename("V", "Speed"), fails=True)
    assert not report.ok
    assert reads() == HERE and "V" in bpy.data.node_groups["A"].nodes
    assert driven() == 10.0


def test_a_name_that_a_new_node_takes_is_not_given_twice() -> None:
    added = {"op": "create_node", "node_id": "Shift", "bl_idname": "ShaderNodeMath"}
    for _ in range(2):
        report, _ = run(rename("V", "Shift"), added)
        assert report.ok and "name_taken" in [message["code"] for message in report.messages], report.messages
        names = {node.get("geonode_id", node.name): node.name for node in bpy.data.node_groups["A"].nodes}
        assert (names["V"], names["Shift"]) == ("Shift.001", "Shift")
        assert reads() == ("A", 'nodes["Shift.001"].inputs[0].default_value')
        assert driven() == 10.0


def test_names_are_exchanged_over_a_third_and_never_taken_away() -> None:
    report, _ = run(rename("V", "Move"))
    assert report.ok and "name_taken" in [message["code"] for message in report.messages]
    names = {node.get("geonode_id", node.name): node.name for node in bpy.data.node_groups["A"].nodes}
    assert (names["V"], names["Move"]) == ("Move.001", "Move")
    report, _ = run(rename("V", "Move"))
    assert bpy.data.node_groups["A"].nodes["Move.001"]["geonode_id"] == "V"
    report, _ = run(rename("Move", "Shift"), rename("V", "Move"), rename("Split", "V"))
    names = {node.get("geonode_id", node.name): node.name for node in bpy.data.node_groups["A"].nodes}
    assert (names["Move"], names["V"], names["Split"]) == ("Shift", "Move", "V")
    assert reads() == ("A", 'nodes["Move"].inputs[0].default_value')
    assert driven() == 10.0


@pytest.mark.parametrize("name", ["", "x" * 64, 7])
def test_a_name_that_blender_does_not_keep_is_refused(name: Any) -> None:
    report, _ = run(rename("V", name))
    assert not report.ok and "V" in bpy.data.node_groups["A"].nodes


def test_a_linked_driver_that_reads_what_goes_is_said(tmp_path: Path) -> None:
    """A linked data-block cannot be pointed elsewhere, so it is asked about."""
    other = bpy.data.objects.new("Far", None)
    bpy.data.libraries.write(str(tmp_path / "far.blend"), {other}, fake_user=True)
    bpy.data.objects.remove(other)
    with bpy.data.libraries.load(str(tmp_path / "far.blend"), link=True) as (_, wanted):
        wanted.objects = ["Far"]
    far = bpy.data.objects["Far"]
    driver = far.driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.name, variable.type = "x", "SINGLE_PROP"
    variable.targets[0].id_type = "NODETREE"
    variable.targets[0].id = bpy.data.node_groups["A"]
    variable.targets[0].data_path = HERE[1]
    if variable.targets[0].id is None:
        assert bpy.app.version >= (5, 0), "this Blender lets linked data refer to data of this file"
        return
    report, asked = run(GROUP, decision="rejected")
    assert not report.ok
    assert len(asked) == 1 and "which a driver of the linked “Far” reads" in asked[0], asked
    report, asked = run(rename("V", "Speed"), fails=True)
    assert asked == [] and variable.targets[0].data_path == HERE[1]
