# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that are not an input's: menus without a valid item, and what a Value node holds at its output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.host import modifiers, snapshots
from whole_file import GEOMETRY, end, everything


class Fail:
    """Fails."""

    schema: dict[str, Any] = {"type": "object", "properties": {}, "description": "Fails."}

    def targets(self, payload: dict[str, Any]) -> dict[str, list[str]]:
        return {"objects": ["Plane"], "trees": ["A"]}

    def execute(self, payload: dict[str, Any]) -> str:
        raise RuntimeError("planned to fail")


@pytest.fixture(autouse=True)
def tree() -> Iterator[Any]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object.name = "Plane"
    made = bpy.data.node_groups.new("A", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        made.interface.new_socket("Geometry", in_out=direction, socket_type=GEOMETRY)
    begin, finish, move = (
        made.nodes.new(kind) for kind in ("NodeGroupInput", "NodeGroupOutput", "GeometryNodeTransform")
    )
    move.name = "Move"
    combine = made.nodes.new("ShaderNodeCombineXYZ")
    combine.name = "Combine"
    made.links.new(begin.outputs[0], move.inputs[0])
    made.links.new(move.outputs[0], finish.inputs[0])
    made.links.new(combine.outputs[0], move.inputs["Translation"])
    bpy.context.object.modifiers.new("X", "NODES").node_group = made
    api.register_executor("FAIL", Fail())
    yield made
    api.unregister("FAIL")


def add_menu(tree: Any) -> None:
    """A menu input whose modifier has no valid item."""
    switch = tree.nodes.new("GeometryNodeMenuSwitch")
    switch.data_type = "FLOAT"
    switch.enum_items.clear()
    for name in ("Low", "High"):
        switch.enum_items.new(name)
    switch.inputs["High"].default_value = 2.0
    tree.links.new(switch.outputs[0], tree.nodes["Combine"].inputs[2])
    tree.interface.new_socket("Quality", in_out="INPUT", socket_type="NodeSocketMenu")
    begin = next(node for node in tree.nodes if node.bl_idname == "NodeGroupInput")
    tree.links.new(begin.outputs["Quality"], switch.inputs[0])
    bpy.context.view_layer.update()


def step(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"id": kind, "type": kind, "description": "d", "payload": payload}


def plan(*steps: dict[str, Any], fails: bool = False) -> dict[str, Any]:
    more = [step("FAIL", {})] if fails else []
    return {"version": "1.2", "steps": [*steps, *more], "done": True, "final_message": "Done."}


def nodes(*operations: dict[str, Any]) -> dict[str, Any]:
    target = {"object_name": "Plane", "modifier_name": "X", "node_group_name": "A"}
    return step("NODE_TREE", {"target": target, "operations": list(operations)})


HIGH = step(
    "GN_OPS",
    {
        "v": 1,
        "target": {"object_name": "Plane", "modifier_name": "X"},
        "ops": [{"op": "set_modifier_input", "name": "Quality", "value": "High"}],
    },
)
MOVE = nodes({"op": "set_input_default", "node_id": "Move", "socket": "Scale", "value": [1, 1, 2]})
DEFAULT = nodes(
    {
        "op": "set_group_io",
        "direction": "input",
        "name": "Quality",
        "socket_type": "NodeSocketMenu",
        "default": "High",
    }
)


def state() -> Any:
    raw = [snapshots.modifier_snapshot(modifier) for modifier in bpy.data.objects["Plane"].modifiers]
    return everything(), raw


@pytest.mark.parametrize("change", [HIGH, MOVE, DEFAULT], ids=["set", "elsewhere", "default"])
def test_a_menu_without_a_valid_item_is_restored(tree: Any, change: dict[str, Any]) -> None:
    add_menu(tree)
    before = state()
    report = api.apply_plan(plan(change, fails=True), approve="all")
    assert "planned to fail" in report.messages[0]["text"], report.messages
    assert "restore_failed" not in [message["code"] for message in report.messages]
    assert state() == before


def test_a_menu_without_a_valid_item_is_set_and_nothing_else(tree: Any) -> None:
    add_menu(tree)
    item = next(item for item in tree.interface.items_tree if item.name == "Quality")
    default = item.default_value
    assert api.apply_plan(plan(HIGH), approve="all").ok
    assert modifiers.read_inputs(bpy.data.objects["Plane"].modifiers["X"])[item.identifier] == "High"
    assert item.default_value == default


def add_value(tree: Any) -> Any:
    value = tree.nodes.new("ShaderNodeValue")
    value.name = "Height"
    value.outputs[0].default_value = 3.25
    tree.links.new(value.outputs[0], tree.nodes["Combine"].inputs[2])
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Scene")
    return value


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "set_input_default", "node_id": "Height", "socket": "Value", "value": 2.0},
        {"op": "set_property", "node_id": "Height", "property": "value", "value": 2.0},
        {"op": "set_property", "node_id": "Height", "property": "default_value", "value": 2.0},
    ],
    ids=["input", "property", "default"],
)
def test_the_value_of_a_value_node_is_set_once(tree: Any, operation: dict[str, Any]) -> None:
    value = add_value(tree)
    before = state()
    assert api.apply_plan(plan(nodes(operation), fails=True), approve="all").status == "error"
    assert state() == before
    tree = bpy.data.node_groups["A"]
    report = api.apply_plan(plan(nodes(operation)), approve="all")
    assert report.ok, report.messages
    value = tree.nodes["Height"]
    assert value.outputs[0].default_value == 2.0
    after = state()
    bpy.ops.ed.undo()
    assert state() == before
    bpy.ops.ed.redo()
    assert api.apply_plan(plan(nodes(operation)), approve="all").ok
    assert state() == after


def test_new_value_nodes_get_their_value(tree: Any) -> None:
    operations = [
        {"op": "create_node", "node_id": "first", "bl_idname": "ShaderNodeValue", "properties": {"value": 1.5}},
        {"op": "create_node", "node_id": "second", "bl_idname": "ShaderNodeValue"},
        {"op": "set_input_default", "node_id": "second", "socket": "Value", "value": 0.5},
        {"op": "link", "from": end("first", "Value"), "to": end("Combine", "X")},
        {"op": "link", "from": end("second", "Value"), "to": end("Combine", "Y")},
    ]
    report = api.apply_plan(plan(nodes(*operations)), approve="all")
    assert report.ok, report.messages
    assert [tree.nodes[name].outputs[0].default_value for name in ("first", "second")] == [1.5, 0.5]
