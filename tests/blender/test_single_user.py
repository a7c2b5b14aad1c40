# SPDX-License-Identifier: GPL-3.0-or-later
"""A node group that several modifiers share is edited for all of them, or copied if the plan says so."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from geonode_assistant import api

LEVEL = [{"op": "set_input", "node_id": "move", "socket_name": "Translation", "value": [0, 0, 9]}]


def make_plan(single_user: bool, name: str = "", operations: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A plan for the tree of "Cube": a NODE_TREE step if a name is given, else GN_OPS."""
    target = {"object_name": "Cube", "modifier_name": "Nodes"}
    if name:
        ops = operations or [
            {"op": "set_input_default", "node_id": "move", "socket": "Translation", "value": [0, 0, 9]}
        ]
        payload = {"target": {**target, "node_group_name": name}, "operations": ops}
    else:
        payload = {"v": 1, "target": target, "ops": operations or LEVEL}
    payload["single_user"] = single_user
    kind = "NODE_TREE" if name else "GN_OPS"
    step = {"id": "s", "type": kind, "description": "Lift", "payload": payload}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "Lifted."}


def value(obj: Any, name: str) -> Any:
    modifier = obj.modifiers["Nodes"]
    item = next(i for i in modifier.node_group.interface.items_tree if i.name == name and i.in_out == "INPUT")
    if bpy.app.version >= (5, 2):
        return getattr(modifier.properties.inputs, item.identifier).value
    return modifier[item.identifier]


@pytest.fixture
def shared() -> Any:
    """Two cubes that use one tree with different input values; returns the tree."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    for name in ("Cube", "Twin"):
        bpy.ops.mesh.primitive_cube_add()
        bpy.context.object.name = name
    link = {"from": {"node_id": "group_input", "socket": "Geometry"}, "to": {"node_id": "move", "socket": "Geometry"}}
    operations = [
        {"op": "set_group_io", "direction": "input", "name": "Size", "socket_type": "NodeSocketFloat", "default": 1.0},
        {"op": "create_node", "node_id": "move", "bl_idname": "GeometryNodeTransform"},
        {"op": "link", **link},
        {
            "op": "link",
            "from": {"node_id": "move", "socket": "Geometry"},
            "to": {"node_id": "group_output", "socket": "Geometry"},
        },
    ]
    assert api.apply_plan(make_plan(False, "Lift", operations)).ok
    tree = bpy.data.node_groups["Lift"]
    bpy.data.objects["Twin"].modifiers.new("Nodes", "NODES").node_group = tree
    size = {"op": "set_modifier_input", "name": "Size", "value": 7.0}
    assert api.apply_plan(make_plan(False, operations=[size])).ok
    return tree


def lift(tree: Any) -> float:
    node = next(n for n in tree.nodes if n.bl_idname == "GeometryNodeTransform")
    return node.inputs["Translation"].default_value[2]


def test_a_shared_group_is_edited_for_all_users_with_a_message(shared: Any) -> None:
    report = api.apply_plan(make_plan(False))
    assert report.ok, report.messages
    assert "shared_node_group" in [m["code"] for m in report.messages]
    assert {o.modifiers["Nodes"].node_group.name for o in bpy.data.objects} == {"Lift"}
    assert lift(shared) == 9


@pytest.mark.parametrize("name", ["", "Lift of the cube"])
def test_a_single_user_copy_leaves_the_others_as_they_are(shared: Any, name: str) -> None:
    before = api.export_tree(shared)
    cube, twin = (bpy.data.objects[n] for n in ("Cube", "Twin"))
    sizes = (value(cube, "Size"), value(twin, "Size"))
    assert sizes[0] == 7.0 != sizes[1]
    report = api.apply_plan(make_plan(True, name))
    assert report.ok, report.messages
    copy = cube.modifiers["Nodes"].node_group
    assert copy.name == (name or "Lift.001")
    assert (copy.users, lift(copy)) == (1, 9)
    assert twin.modifiers["Nodes"].node_group == shared
    assert api.export_tree(shared) == before
    assert (value(cube, "Size"), value(twin, "Size")) == sizes

    again = api.apply_plan(make_plan(True, name))
    assert again.ok, again.messages
    assert again.diff == []
    assert len(bpy.data.node_groups) == 2


def test_a_copy_with_the_same_name_is_refused_with_a_name_that_works(shared: Any) -> None:
    report = api.apply_plan(make_plan(True, "Lift"))
    assert report.status == "error"
    error = report.error
    assert error is not None
    assert error["code"] == "shared_node_group"
    assert "“Lift.001”" in error["planner"]["hint"]
    assert api.apply_plan(make_plan(True, "Lift.001")).ok


def test_a_failed_run_removes_the_copy(shared: Any) -> None:
    before = api.export_tree(shared)
    cut = [{"op": "remove_node", "id": "move"}]
    report = api.apply_plan(make_plan(True, operations=cut))
    assert report.status == "error"
    assert [g.name for g in bpy.data.node_groups] == ["Lift"]
    assert {o.modifiers["Nodes"].node_group.name for o in bpy.data.objects} == {"Lift"}
    assert value(bpy.data.objects["Cube"], "Size") == 7.0
    assert api.export_tree(shared) == before
