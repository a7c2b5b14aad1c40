# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes and drivers of nodes: a failed run leaves them exactly as they were, a run that is kept moves them with
their sockets, and what would be lost is asked about.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import bpy
import pytest
from chains import chain
from geonode_assistant import api
from geonode_assistant.host import curves
from whole_file import end, everything

GROUP = {"op": "group_nodes", "id": "g", "node_group_name": "Inner", "node_ids": ["Move"]}
DELETE = [
    {"op": "delete_node", "node_id": "Move"},
    {"op": "link", "from": end("group_input"), "to": end("Pos")},
]
REPLACE = {"op": "replace_node", "node_id": "Move", "bl_idname": "GeometryNodeSetPosition"}
OTHER = {"op": "replace_node", "node_id": "Move", "bl_idname": "GeometryNodeScaleElements"}


class Fail:
    """Fails after the steps before it, or after work of its own."""

    schema: dict[str, Any] = {
        "type": "object",
        "description": "Fails.",
        "properties": {"spoil": {"type": "boolean"}},
        "required": [],
        "additionalProperties": False,
    }

    def targets(self, payload: dict[str, Any]) -> dict[str, list[str]]:
        return {"objects": ["Plane"], "trees": ["A"]}

    def execute(self, payload: dict[str, Any]) -> str:
        if payload.get("spoil"):
            tree = bpy.data.node_groups["A"]
            tree.nodes.remove(tree.nodes["Move"])
        raise RuntimeError("planned to fail")


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    api.register_executor("FAIL", Fail())
    build()
    yield
    api.unregister("FAIL")


def build() -> None:
    tree = chain(("GeometryNodeTransform", "Move"), ("GeometryNodeSetPosition", "Pos"))
    for frame, size in ((1, 1.0), (9, 3.0)):
        tree.nodes["Move"].inputs["Scale"].default_value = (size, 1, 1)
        tree.nodes["Move"].inputs["Scale"].keyframe_insert("default_value", frame=frame, group="Sizes")
    tree.nodes["Pos"].inputs["Offset"].keyframe_insert("default_value", frame=4)
    tree.nodes["Move"].inputs["Translation"].driver_add("default_value", 2).driver.expression = "frame * 0.1"
    curve = next(iter(curves.of(tree))).curves[0]
    curve.extrapolation = "LINEAR"
    curve.modifiers.new("NOISE").strength = 2.5
    curve.keyframe_points[0].interpolation = "SINE"
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Scene")


def plan(*operations: dict[str, Any], fails: bool = False, spoils: bool = False) -> dict[str, Any]:
    target = {"object_name": "Plane", "modifier_name": "X", "node_group_name": "A"}
    payload = {"target": target, "operations": list(operations)}
    steps = [{"id": "s", "type": "NODE_TREE", "description": "d", "payload": payload}] if operations else []
    if fails or spoils:
        steps.append({"id": "f", "type": "FAIL", "description": "d", "payload": {"spoil": spoils}})
    return {"version": "1.2", "steps": steps, "done": True, "final_message": "Done."}


def state() -> dict[str, Any]:
    """The whole file with all animation."""
    return everything() | {
        "animation": {tree.name: (curves.state(tree), curves.keyframes(tree)) for tree in bpy.data.node_groups},
        "users": {action.name: action.users for action in bpy.data.actions},
    }


def paths(name: str) -> list[tuple[str, str]]:
    """Kind and path of each F-curve of a tree, each once."""
    found = [(g.kind, curve.data_path) for g in curves.of(bpy.data.node_groups[name]) for curve in g.curves]
    return sorted(set(found))


def path(tree: str, node: str, socket: str) -> str:
    names = [one.identifier for one in bpy.data.node_groups[tree].nodes[node].inputs]
    return f'nodes["{node}"].inputs[{names.index(socket)}].default_value'


def failing(edit: Callable[[], None]) -> Any:
    """A run that deletes a node and then fails, with an edit by hand after the deletion."""
    handle = api.start("x", "Plane", "replay", replies=[json.dumps(plan(*DELETE, fails=True))] * 4, approve="all")
    edited = False
    deadline = time.monotonic() + 30
    while not handle.finished:
        assert time.monotonic() < deadline, handle.state
        handle.poll(0)
        if not edited and "Move" not in bpy.data.node_groups["A"].nodes:
            edited = True
            edit()
        for request in list(handle.pending):
            handle.approve(request)
        handle.wait(2)
    assert edited
    return handle.report()


def questions(operations: list[dict[str, Any]], decision: str = "approved") -> tuple[Any, list[str]]:
    asked: list[str] = []

    def approve(request: dict[str, Any]) -> str:
        asked.append(request["reason"])
        return decision

    return api.apply_plan(plan(*operations), approve=approve), asked


@pytest.mark.parametrize(
    "operations", [[GROUP], DELETE, [REPLACE], [OTHER]], ids=["group", "delete", "replace", "other"]
)
def test_a_failed_run_leaves_animation_as_it_was(operations: list[dict[str, Any]]) -> None:
    before = state()
    report = api.apply_plan(plan(*operations, fails=True), approve="all")
    assert any("planned to fail" in message["text"] for message in report.messages), report.messages
    assert state() == before
    assert "restore_failed" not in [message["code"] for message in report.messages]


def test_an_executor_that_destroys_animation_and_fails_leaves_nothing_behind() -> None:
    before = state()
    report = api.apply_plan(plan(spoils=True), approve="all")
    assert report.status == "error"
    assert state() == before


def test_keyframes_set_by_hand_during_a_failing_run_stay() -> None:
    where = ("Pos", "Offset")

    def by_hand() -> None:
        tree = bpy.data.node_groups["A"]
        tree.nodes[where[0]].inputs[where[1]].keyframe_insert("default_value", frame=33)

    assert failing(by_hand).status == "error"
    assert not any(path.startswith("geonode") for tree in bpy.data.node_groups for _, path in paths(tree.name))
    group = next(iter(curves.of(bpy.data.node_groups["A"])))
    curve = next(one for one in group.curves if one.data_path == path("A", *where))
    assert 33.0 in [point.co[0] for point in curve.keyframe_points]
    assert ("keyframes", path("A", "Move", "Scale")) in paths("A")


def test_the_first_keyframes_set_by_hand_during_a_failing_run_are_kept_aside() -> None:
    bpy.data.node_groups["A"].animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    before = curves.state(bpy.data.node_groups["A"])

    def by_hand() -> None:
        bpy.data.node_groups["A"].nodes["Pos"].inputs["Offset"].keyframe_insert("default_value", frame=33)

    assert failing(by_hand).status == "error"
    assert curves.state(bpy.data.node_groups["A"]) == before
    assert paths("A (edited)") == [("keyframes", path("A (edited)", "Pos", "Offset"))]
    assert len(bpy.data.actions) == 1


def test_animation_goes_on_in_the_group() -> None:
    before = state()
    old = dict(enumerate(paths("A")))
    report, asked = questions([GROUP])
    assert report.ok, report.messages
    assert asked == []
    moved = [entry for entry in old.values() if "Move" in entry[1]]
    assert paths("Inner") == moved
    assert not [entry for entry in paths("A") if "Move" in entry[1]]
    scale = [
        one
        for g in curves.of(bpy.data.node_groups["Inner"])
        for one in g.curves
        if one.data_path == path("Inner", "Move", "Scale") and one.array_index == 0
    ]
    assert [point.co[:] for point in scale[0].keyframe_points] == [(1.0, 1.0), (9.0, 3.0)]
    assert scale[0].keyframe_points[0].interpolation == "SINE"
    assert scale[0].group.name == "Sizes"
    assert scale[0].extrapolation == "LINEAR"
    assert [(one.type, one.strength) for one in scale[0].modifiers] == [("NOISE", 2.5)]
    bpy.context.scene.frame_set(9)
    assert bpy.data.node_groups["Inner"].nodes["Move"].inputs["Scale"].default_value[0] > 1.5
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo()
    assert state() == before


def test_nodes_that_leave_a_group_keep_their_animation() -> None:
    assert questions([GROUP])[0].ok
    inside = paths("Inner")
    report, asked = questions([{"op": "ungroup_nodes", "id": "g"}])
    assert report.ok, report.messages
    assert asked == []
    assert [entry for entry in paths("A") if "Move" in entry[1]] == inside


@pytest.mark.parametrize("there", ["own keyframes", "none", "a lost curve", "no slot"])
def test_a_failed_ungrouping_leaves_animation_as_it_was(there: str) -> None:
    assert questions([GROUP])[0].ok
    tree = bpy.data.node_groups["A"]
    if there == "none":
        tree.animation_data_clear()
    elif there == "no slot" and hasattr(tree.animation_data, "action_slot"):
        tree.animation_data.action_slot = None
    elif there == "a lost curve":
        # What was animated of a node that is long gone.
        node = tree.nodes.new("GeometryNodeTransform")
        node.name = "Move"
        node.inputs["Scale"].keyframe_insert("default_value", frame=77)
        action = tree.animation_data.action
        lost = path("A", "Move", "Scale")
        found = [one for group in curves.of(tree) for one in group.curves if one.data_path == lost]
        for one in found:
            one.data_path = "elsewhere"
        tree.nodes.remove(node)
        for one in found:
            one.data_path = lost
        assert action == tree.animation_data.action
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Grouped")
    before = state()
    ungroup = {"op": "ungroup_nodes", "id": "g"}
    report = api.apply_plan(plan(ungroup, fails=True), approve="all")
    assert any("planned to fail" in message["text"] for message in report.messages), report.messages
    assert state() == before
    assert "restore_failed" not in [message["code"] for message in report.messages]
    assert questions([ungroup])[0].ok
    inside = [path for _, path in paths("A") if "Move" in path]
    assert inside and not any(path.startswith("geonode") for _, path in paths("A"))


RENAME = {"op": "set_property", "node_id": "Move", "property": "name", "value": "Grow"}


def test_animation_goes_on_under_the_new_name_of_its_node() -> None:
    before = state()
    old = paths("A")
    assert api.apply_plan(plan(RENAME, fails=True), approve="all").status == "error"
    assert state() == before
    report, asked = questions([RENAME])
    assert report.ok and asked == [], (report.messages, asked)
    assert paths("A") == sorted((kind, path.replace("Move", "Grow")) for kind, path in old)
    bpy.context.scene.frame_set(9)
    assert bpy.data.node_groups["A"].nodes["Grow"].inputs["Scale"].default_value[0] > 1.5
    bpy.context.scene.frame_set(1)
    report, _ = questions([RENAME])
    assert report.ok and "Grow" in bpy.data.node_groups["A"].nodes
    bpy.ops.ed.undo()
    assert state() == before


@pytest.mark.parametrize("how", ["group", "remove"])
def test_a_driver_behind_one_that_goes_still_drives(how: str) -> None:
    tree = bpy.data.node_groups["A"]
    clock = bpy.data.objects.new("Clock", None)
    bpy.context.collection.objects.link(clock)
    for frame in (1, 20):
        clock.location.x = frame
        clock.keyframe_insert("location", frame=frame, index=0)
    for curve in list(tree.animation_data.drivers):
        tree.animation_data.drivers.remove(curve)
    comb = tree.nodes.new("ShaderNodeCombineXYZ")
    comb.name = "Comb"
    tree.links.new(comb.outputs[0], tree.nodes["Pos"].inputs["Offset"])
    for curve in (
        comb.inputs[1].driver_add("default_value"),
        tree.nodes["Move"].inputs["Translation"].driver_add("default_value", 1),
    ):
        driver = curve.driver
        driver.type = "AVERAGE"
        target = driver.variables.new().targets[0]
        target.id, target.data_path = clock, "location.x"
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.update()
    operation = {
        "group": {"op": "group_nodes", "id": "G", "node_group_name": "New", "node_ids": ["Comb"]},
        "remove": {"op": "delete_node", "node_id": "Comb"},
    }[how]
    report = api.apply_plan(plan(operation), approve="all")
    assert report.status == "done", report.messages
    for frame in (1, 20):
        bpy.context.scene.frame_set(frame)
        shown = tree.evaluated_get(bpy.context.evaluated_depsgraph_get())
        assert shown.nodes["Move"].inputs["Translation"].default_value[1] == pytest.approx(frame)
    assert all(curve.driver.is_valid for curve in tree.animation_data.drivers)


def test_animation_goes_on_at_the_new_node_where_the_socket_survives() -> None:
    report, asked = questions([REPLACE])
    assert report.ok, report.messages
    assert len(asked) == 1
    assert "the keyframes of “Scale” of “Move”" in asked[0]
    assert "the driver of “Translation” of “Move”" in asked[0]
    assert paths("A") == [("keyframes", path("A", "Pos", "Offset"))]


def test_a_survivor_keeps_its_keyframes_under_another_number() -> None:
    math = bpy.data.node_groups["A"].nodes.new("ShaderNodeMath")
    math.name = "Number"
    math.inputs[1].keyframe_insert("default_value", frame=5)
    report, asked = questions([{"op": "replace_node", "node_id": "Number", "bl_idname": "ShaderNodeClamp"}])
    assert report.ok, report.messages
    assert asked == []
    assert [entry for entry in paths("A") if "Number" in entry[1]] == [("keyframes", path("A", "Number", "Value"))]


def test_removed_animation_is_asked_about_and_refusal_keeps_it() -> None:
    before = state()
    report, asked = questions(DELETE, "rejected")
    assert not report.ok
    assert len(asked) == 1 and "the keyframes of “Scale” of “Move”" in asked[0], asked
    assert "the driver of “Translation” of “Move”" in asked[0]
    assert state() == before
    report, _ = questions(DELETE)
    assert report.ok, report.messages
    assert paths("A") == [("keyframes", path("A", "Pos", "Offset"))]
    bpy.ops.ed.undo()
    assert state() == before


def other_user(tree: Any) -> Any:
    """A tree with a node of the group, whose last input is animated."""
    outer = bpy.data.node_groups.new("Outer", "GeometryNodeTree")
    outer.use_fake_user = True
    for name in ("First", "Second"):
        tree.interface.new_socket(name, in_out="INPUT", socket_type="NodeSocketFloat")
    node = outer.nodes.new("GeometryNodeGroup")
    node.name = "Used"
    node.node_tree = tree
    node.inputs["Second"].keyframe_insert("default_value", frame=3)
    return outer


def test_keyframes_follow_their_socket_when_numbers_change() -> None:
    outer = other_user(bpy.data.node_groups["A"])
    second = outer.nodes["Used"].inputs["Second"].identifier
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Used")
    before = state()
    remove = {"op": "set_group_io", "direction": "input", "name": "First", "remove": True}
    report = api.apply_plan(plan(remove, fails=True), approve="all")
    assert report.status == "error"
    assert state() == before
    assert api.apply_plan(plan(remove), approve="all").ok
    assert paths("Outer") == [("keyframes", path("Outer", "Used", second))]
    bpy.ops.ed.undo()
    assert state() == before


def test_a_copy_of_a_shared_tree_has_animation_of_its_own() -> None:
    tree = bpy.data.node_groups["A"]
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.modifiers.new("Y", "NODES").node_group = tree
    animation = (curves.state(tree), curves.keyframes(tree))
    body = plan(*DELETE)
    body["steps"][0]["payload"]["single_user"] = True
    body["steps"][0]["payload"]["target"]["node_group_name"] = "Own"
    assert api.apply_plan(body, approve="all").ok
    tree = bpy.data.node_groups["A"]
    assert (curves.state(tree), curves.keyframes(tree)) == animation
    assert paths("Own") == [("keyframes", path("Own", "Pos", "Offset"))]


def test_strips_are_restored_too() -> None:
    data = bpy.data.node_groups["A"].animation_data
    action, data.action = data.action, None
    data.nla_tracks.new().strips.new("Strip", 1, action)
    before = state()
    assert api.apply_plan(plan(*DELETE, fails=True), approve="all").status == "error"
    assert state() == before
    report, asked = questions([GROUP])
    assert report.ok and "the keyframes of “Scale” of “Move”" in asked[0], (report.messages, asked)


Edit = Callable[[], None]


def set_on_the_tree() -> None:
    bpy.data.node_groups["A"]["mine"] = 3


def delete_from_the_tree() -> None:
    del bpy.data.node_groups["A"]["old"]


def set_on_a_node() -> None:
    bpy.data.node_groups["A"].nodes["Pos"]["mine"] = [1.0, 2.0]


@pytest.mark.parametrize("edit", [set_on_the_tree, delete_from_the_tree, set_on_a_node])
def test_custom_properties_set_by_hand_during_a_failing_run_stay(edit: Edit) -> None:
    bpy.data.node_groups["A"]["old"] = "here"
    report = failing(edit)
    assert report.status == "error", report.messages
    assert "restore_failed" not in [message["code"] for message in report.messages], report.messages
    tree = bpy.data.node_groups["A"]
    tree_keys, node_keys = set(tree.keys()), set(tree.nodes["Pos"].keys())
    assert ("mine" in tree_keys, "old" in tree_keys, "mine" in node_keys) == {
        set_on_the_tree: (True, True, False),
        delete_from_the_tree: (False, False, False),
        set_on_a_node: (False, True, True),
    }[edit]
