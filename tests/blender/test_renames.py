# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of nodes: every node gets the one that was asked for last, the same plan again changes nothing, and animation
stays with its node and with others that share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from chains import chain
from geonode_assistant import api
from geonode_assistant.host import curves
from whole_file import end, everything

NODES = ("One", "Two", "Three")
FAILING = {"expects": [{"object_name": "Plane", "component": "instances", "count": 9999}]}


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    tree = chain(*(("GeometryNodeTransform", name) for name in NODES))
    for number, name in enumerate(NODES):
        scale = tree.nodes[name].inputs["Scale"]
        scale.default_value[0] = number + 2
        scale.keyframe_insert("default_value", index=0, frame=1)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Scene")
    yield


def rename(node: str, name: str) -> dict[str, Any]:
    return {"op": "set_property", "node_id": node, "property": "name", "value": name}


def run(*operations: dict[str, Any], fails: bool = False) -> Any:
    target = {"object_name": "Plane", "modifier_name": "X", "node_group_name": "A"}
    payload = {"target": target, "operations": list(operations)}
    step = {"id": "s", "type": "NODE_TREE", "description": "d", "payload": payload}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    return api.apply_plan(plan | ({"meta": FAILING} if fails else {}), approve="all")


def state() -> dict[str, Any]:
    animation = {tree.name: (curves.state(tree), curves.keyframes(tree)) for tree in bpy.data.node_groups}
    names = {tree.name: [node.name for node in tree.nodes] for tree in bpy.data.node_groups}
    return everything() | {"animation": animation, "node names": names}


def tree_a() -> Any:
    return bpy.data.node_groups["A"]


def names() -> dict[str, str]:
    return {node.get("geonode_id", node.name): node.name for node in tree_a().nodes}


def sizes(name: str = "A") -> dict[str, float]:
    """The first keyframe of each animated node, by its name."""
    found = {}
    for group in curves.of(bpy.data.node_groups[name]):
        for curve in group.curves:
            found[curve.data_path.split('"')[1]] = curve.keyframe_points[0].co[1]
    return found


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([("One", "Two"), ("Two", "One")], {"One": "Two", "Two": "One", "Three": "Three"}),
        ([("One", "Two"), ("Two", "Three"), ("Three", "One")], {"One": "Two", "Two": "Three", "Three": "One"}),
        ([("One", "Two"), ("Two", "Other")], {"One": "Two", "Two": "Other", "Three": "Three"}),
        ([("One", "Two"), ("One", "Last")], {"One": "Last", "Two": "Two", "Three": "Three"}),
        ([("One", "Tmp"), ("Two", "One"), ("One", "Two")], {"One": "Two", "Two": "One", "Three": "Three"}),
    ],
)
def test_names_that_nodes_pass_on_to_each_other(asked: list[tuple[str, str]], expected: dict[str, str]) -> None:
    before = state()
    report = run(*(rename(*one) for one in asked), fails=True)
    assert not report.ok and state() == before, report.messages
    report = run(*(rename(*one) for one in asked))
    assert report.ok and "name_taken" not in [message["code"] for message in report.messages], report.messages
    assert {node: name for node, name in names().items() if node in expected} == expected
    assert sizes() == {expected["One"]: 2.0, expected["Two"]: 3.0, expected["Three"]: 4.0}
    after = state()
    report = run(*(rename(*one) for one in asked))
    assert report.ok and state() == after, report.messages
    bpy.ops.ed.undo()
    assert state() == before


def test_a_name_that_stays_with_another_node_is_not_given_twice() -> None:
    report = run(rename("One", "Three"), rename("Two", "Three"))
    said = [message["text"] for message in report.messages if message["code"] == "name_taken"]
    assert len(said) == 2 and all("“Three”, which stays as it is" in text for text in said), report.messages
    assert (names()["One"], names()["Two"]) == ("Three.001", "Three.002")
    after = state()
    assert run(rename("One", "Three"), rename("Two", "Three")).ok and state() == after


def test_a_new_node_gets_a_name_that_becomes_free() -> None:
    plan = [
        rename("One", "Old"),
        {"op": "create_node", "node_id": "new", "bl_idname": "GeometryNodeSetPosition"},
        rename("new", "One"),
        {"op": "link", "from": end("Three"), "to": end("new")},
        {"op": "link", "from": end("new"), "to": end("group_output")},
    ]
    report = run(*plan)
    assert report.ok, report.messages
    assert (names()["One"], names()["new"]) == ("Old", "One")
    assert sizes() == {"Old": 2.0, "Two": 3.0, "Three": 4.0}
    after = state()
    assert run(*plan).ok and state() == after


def test_a_name_is_kept_through_groups() -> None:
    group = {"op": "group_nodes", "id": "g", "node_group_name": "Inner", "node_ids": ["Two"]}
    report = run(rename("Two", "Middle"), group)
    assert report.ok, report.messages
    assert bpy.data.node_groups["Inner"].nodes["Middle"].get("geonode_id") == "Two"
    assert sizes("Inner") == {"Middle": 3.0}
    report = run({"op": "ungroup_nodes", "id": "g"})
    assert report.ok, report.messages
    assert names()["Two"] == "Middle" and sizes()["Middle"] == 3.0


def shared() -> Any:
    """Another tree that plays the same keyframes."""
    other = tree_a().copy()
    other.name = "B"
    mine, its = tree_a().animation_data, other.animation_data
    its.action = mine.action
    if hasattr(mine, "action_slot"):
        its.action_slot = mine.action_slot
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Shared")
    return other


REPLACE = {"op": "replace_node", "node_id": "Two", "bl_idname": "GeometryNodeScaleElements"}
DELETE = [{"op": "delete_node", "node_id": "Two"}, {"op": "link", "from": end("One"), "to": end("Three")}]


@pytest.mark.parametrize("operations", [[rename("Two", "Other")], [REPLACE], DELETE], ids=["name", "type", "gone"])
def test_others_that_play_the_same_keyframes_keep_them(operations: list[dict[str, Any]]) -> None:
    shared()
    before = state()
    action = bpy.data.node_groups["B"].animation_data.action
    report = run(*operations, fails=True)
    assert not report.ok and state() == before, report.messages
    assert tree_a().animation_data.action == action
    report = run(*operations)
    assert report.ok, report.messages
    assert bpy.data.node_groups["B"].animation_data.action == action
    assert sizes("B") == {"One": 2.0, "Two": 3.0, "Three": 4.0}
    expected = {"One": 2.0, "Three": 4.0}
    if operations != DELETE and operations != [REPLACE]:
        expected["Other"] = 3.0
    assert {name: size for name, size in sizes().items() if name != "Two"} == expected
    assert not any("parked" in path for group in curves.of(tree_a()) for path in [c.data_path for c in group.curves])


def test_what_was_animated_of_a_node_that_is_gone_does_not_come_alive() -> None:
    curve = next(c for group in curves.of(tree_a()) for c in group.curves if '"Two"' in c.data_path)
    curve.data_path = curve.data_path.replace('"Two"', '"Ghost"')
    tree_a().nodes["One"].inputs["Scale"].driver_add("default_value", 1)
    for driver in tree_a().animation_data.drivers:
        driver.data_path = driver.data_path.replace('"One"', '"Spirit"')
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    variable = lamp.driver_add("location", 0).driver.variables.new()
    variable.targets[0].id_type, variable.targets[0].id = "NODETREE", tree_a()
    variable.targets[0].data_path = 'nodes["Ghost"].inputs[3].default_value[0]'
    bpy.ops.ed.undo_push(message="Lost")
    before = state()
    plan = [
        rename("One", "Ghost"),
        {"op": "create_node", "node_id": "Spirit", "bl_idname": "GeometryNodeTransform"},
        {"op": "link", "from": end("Three"), "to": end("Spirit")},
        {"op": "link", "from": end("Spirit"), "to": end("group_output")},
    ]
    assert not run(*plan, fails=True).ok and state() == before
    report = run(*plan)
    assert report.ok, report.messages
    found = [c.data_path for group in curves.of(tree_a()) for c in group.curves]
    assert sum('"Ghost"' in path for path in found) == 1 and not any('"Spirit"' in path for path in found), found
    assert len(found) == 4
    assert '"Ghost"' not in lamp.animation_data.drivers[0].driver.variables[0].targets[0].data_path


def test_keyframes_of_a_zone_come_back_exactly() -> None:
    tree = tree_a()
    begin, finish = (tree.nodes.new(f"GeometryNodeRepeat{side}") for side in ("Input", "Output"))
    begin.pair_with_output(finish)
    begin.name, finish.name = "In", "Out"
    for name in ("a", "b"):
        finish.repeat_items.new("FLOAT", name)
    tree.links.new(tree.nodes["Three"].outputs[0], begin.inputs["Geometry"])
    tree.links.new(begin.outputs["Geometry"], finish.inputs["Geometry"])
    tree.links.new(finish.outputs["Geometry"], tree.nodes["Group Output"].inputs[0])
    for number, name in enumerate(("a", "b")):
        for node in (begin, finish):
            node.inputs[name].default_value = 10.0 + number
            node.inputs[name].keyframe_insert("default_value", frame=1)
    bpy.ops.ed.undo_push(message="Zone")
    edits = [
        {
            "op": "edit_zone",
            "id": "Out",
            "remove_items": ["a"],
            "add_items": [{"name": "c", "socket_type": "NodeSocketFloat"}],
        },
        rename("In", "Begin"),
        rename("Out", "Finish"),
    ]
    before = state()
    for operations in (edits, edits[:1], edits[1:], [rename("In", "Out"), rename("Out", "In")], [*edits[1:], edits[0]]):
        report = run(*operations, fails=True)
        assert not report.ok
        assert "restore_failed" not in [message["code"] for message in report.messages], report.messages
        assert state() == before
