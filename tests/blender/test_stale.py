# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits by the artist during planning: both changes are kept, or the plan is refused with all three values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.host import evaluate, export
from geonode_assistant.run import driver
from geonode_assistant.run.bridge import BlenderHost

GRID = {
    "version": "1.1",
    "steps": [
        {
            "id": "make",
            "type": "NODE_TREE",
            "description": "A grid moved up",
            "payload": {
                "target": {"object_name": "Cube", "modifier_name": "Nodes", "node_group_name": "Made"},
                "operations": [
                    {"op": "create_node", "node_id": "move", "bl_idname": "GeometryNodeTransform"},
                    {"op": "set_input_default", "node_id": "move", "socket": "Translation", "value": [0, 0, 2]},
                    {
                        "op": "link",
                        "from": {"node_id": "group_input", "socket": "Geometry"},
                        "to": {"node_id": "move", "socket": "Geometry"},
                    },
                    {
                        "op": "link",
                        "from": {"node_id": "move", "socket": "Geometry"},
                        "to": {"node_id": "group_output", "socket": "Geometry"},
                    },
                ],
            },
        }
    ],
    "done": True,
    "final_message": "Moved.",
}


def edit(*operations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A plan that edits the tree of `GRID`."""
    target = {"object_name": "Cube", "modifier_name": "Nodes"}
    payload = {"v": 1, "target": target, "ops": list(operations)}
    step = {"id": "edit", "type": "GN_OPS", "description": "Edit", "payload": payload, **more}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "Edited."}


SCALE = edit({"op": "set_input", "node_id": "move", "socket_name": "Scale", "value": [2, 2, 2]})
LIFT = edit({"op": "set_input", "node_id": "move", "socket_name": "Translation", "value": [0, 0, 5]})


def by_hand(z: float = 3.0) -> None:
    node = next(n for n in bpy.data.node_groups["Made"].nodes if n.bl_idname == "GeometryNodeTransform")
    node.inputs["Translation"].default_value = (0, 0, z)


def translation() -> float:
    node = next(n for n in bpy.data.node_groups["Made"].nodes if n.bl_idname == "GeometryNodeTransform")
    return node.inputs["Translation"].default_value[2]


@pytest.fixture
def grid() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add()
    assert api.apply_plan(GRID).ok


def run_with_edit(replies: list[Any], meanwhile: Callable[[], None], approve: str | None = None) -> api.RunReport:
    """A run during which the artist edits: `meanwhile` is called between the inspection and the plan."""
    handle = api.start("edit it", "Cube", "replay", replies=replies, approve=approve)
    original, worked = handle.host.inspect, []

    def inspect(objects: list[str], trees: list[str]) -> dict[str, Any]:
        if not worked:
            worked.append(True)
            meanwhile()
        return original(objects, trees)

    handle.host.inspect = inspect
    return driver.drive(handle)


def codes(report: api.RunReport) -> list[str]:
    return [message["code"] for message in report.messages]


def test_edits_elsewhere_stay_and_are_reported(grid: None) -> None:
    report = run_with_edit([SCALE], by_hand)
    assert report.ok, report.messages
    assert translation() == 3.0
    remark = next(m for m in report.messages if m["code"] == "stale_base")
    assert remark["severity"] == "info"
    assert "Translation" in remark["text"]


def test_edits_of_the_same_value_are_refused_with_all_three_values(grid: None) -> None:
    before = api.export_tree(bpy.data.node_groups["Made"])
    report = run_with_edit([LIFT], by_hand)
    # There is no second reply, so the refusal is what the run ends with or asks again about.
    told = next(m for m in report.messages if m["code"] == "stale_base")
    for value in ("[0,0,2]", "[0,0,3]", "[0,0,5]"):
        assert value in told["text"].replace(" ", "").replace(".0", ""), told["text"]
    assert translation() == 3.0
    assert not report.ok
    by_hand(2.0)
    assert api.export_tree(bpy.data.node_groups["Made"]) == before


def test_a_model_that_repeats_its_value_knowingly_is_obeyed(grid: None) -> None:
    report = run_with_edit([LIFT, LIFT], by_hand)
    assert codes(report)[0] == "approval_required" and translation() == 3.0
    by_hand(2.0)
    report = run_with_edit([LIFT, LIFT], by_hand, approve="all")
    assert report.ok, report.messages
    assert translation() == 5.0
    assert report.to_dict()["attempts"] == 2


def test_a_plan_refused_for_something_else_does_not_hide_the_conflict(grid: None) -> None:
    nobody = edit({"op": "set_input", "node_id": "nobody_knows", "socket_name": "Scale", "value": [1, 1, 1]})
    report = run_with_edit([nobody, LIFT], by_hand)
    assert not report.ok
    assert {"unknown_node", "stale_base"} <= set(codes(report))
    assert translation() == 3.0


def test_a_given_plan_never_overwrites_an_edit_of_the_same_value(grid: None, monkeypatch: Any) -> None:
    original, worked = BlenderHost.begin, []

    def begin(self: BlenderHost, objects: list[str], trees: list[str], extend: bool, whole: bool) -> dict[str, Any]:
        if not worked:
            worked.append(True)
            by_hand()
        return original(self, objects, trees, extend)

    monkeypatch.setattr(BlenderHost, "begin", begin)
    report = api.apply_plan(LIFT)
    assert report.error["code"] == "stale_base"
    assert translation() == 3.0


def test_an_edit_between_inspection_and_first_write_is_not_overwritten(grid: None, monkeypatch: Any) -> None:
    original, worked = BlenderHost.begin, []

    def begin(self: BlenderHost, objects: list[str], trees: list[str], extend: bool, whole: bool) -> dict[str, Any]:
        if not worked:
            worked.append(True)
            by_hand()
        return original(self, objects, trees, extend)

    monkeypatch.setattr(BlenderHost, "begin", begin)
    report = api.apply_plan(SCALE)
    assert report.ok, report.messages
    assert translation() == 3.0
    assert not [g for g in bpy.data.node_groups if g.name.startswith(".geonode")]


def test_continuous_edits_end_the_run_without_a_write(grid: None, monkeypatch: Any) -> None:
    original, count = BlenderHost.begin, iter(range(10, 99))

    def begin(self: BlenderHost, objects: list[str], trees: list[str], extend: bool, whole: bool) -> dict[str, Any]:
        by_hand(float(next(count)))
        return original(self, objects, trees, extend)

    monkeypatch.setattr(BlenderHost, "begin", begin)
    report = api.apply_plan(SCALE)
    assert report.status == "error"
    assert "stale_base" in codes(report)
    assert not [g for g in bpy.data.node_groups if g.name.startswith(".geonode")]


def test_an_edit_between_two_turns_is_reported_with_all_three_values(grid: None) -> None:
    first = {**SCALE, "done": False}
    handle = api.start("edit it", "Cube", "replay", replies=[first, LIFT])
    seen = 0
    original = handle.host.inspect

    def inspect(objects: list[str], trees: list[str]) -> dict[str, Any]:
        nonlocal seen
        seen += 1
        if seen == 3:  # plan, baseline, recheck
            by_hand()
        return original(objects, trees)

    handle.host.inspect = inspect
    report = driver.drive(handle)
    assert report.status == "error"
    told = next(m for m in report.messages if m["code"] == "touched_by_artist")
    assert "By hand: " in told["text"]
    assert "By this run: " in told["text"]
    assert "Translation" in told["text"]
    assert "Scale" in told["text"]


LIFT_TREE = {
    **GRID,
    "steps": [
        {
            **GRID["steps"][0],
            "payload": {
                **GRID["steps"][0]["payload"],
                "operations": [
                    {"op": "set_input_default", "node_id": "move", "socket": "Translation", "value": [0, 0, 5]}
                ],
            },
        }
    ],
}


def delete_modifier() -> None:
    stack = bpy.data.objects["Cube"].modifiers
    stack.remove(stack["Nodes"])


def delete_tree() -> None:
    bpy.data.node_groups.remove(bpy.data.node_groups["Made"])


@pytest.mark.parametrize(
    ("delete", "plan"),
    [(delete_modifier, LIFT_TREE), (delete_modifier, GRID), (delete_tree, GRID)],
    ids=["modifier edited", "modifier made again", "tree made again"],
)
def test_what_is_deleted_by_hand_before_the_write_stays_deleted(
    grid: None, delete: Callable[[], None], plan: dict[str, Any]
) -> None:
    report = run_with_edit([plan] * 4, delete, approve="all")
    assert report.status == "error"
    assert report.error["code"] == "touched_by_artist", report.messages
    assert any("deleted by hand" in message["text"] for message in report.messages)
    stack = bpy.data.objects["Cube"].modifiers
    assert [modifier.name for modifier in stack] == ([] if delete is delete_modifier else ["Nodes"])
    assert [tree.name for tree in bpy.data.node_groups] == (["Made"] if delete is delete_modifier else [])


def test_a_modifier_deleted_by_hand_after_the_write_stays_deleted(grid: None) -> None:
    handle = api.start("edit it", "Cube", "replay", replies=[LIFT_TREE] * 4, approve="all")
    while not handle.finished:
        handle.poll(0)
        if bpy.data.objects["Cube"].modifiers and translation() == 5.0:
            delete_modifier()
        handle.wait(2)
    report = handle.report()
    assert report.error["code"] == "touched_by_artist", report.messages
    assert any("modifier “Nodes” of “Cube” was deleted by hand" in message["text"] for message in report.messages)
    assert not bpy.data.objects["Cube"].modifiers
    assert translation() == 2.0


def test_what_is_edited_between_write_and_look_stays_and_is_not_judged(grid: None) -> None:
    handle = api.start("edit it", "Cube", "replay", replies=[SCALE], approve="all")
    verify, looks = handle.host.verify, []

    def looking(objects: list[str], trees: list[str]) -> Any:
        if not looks:
            by_hand(7.0)
        looks.append(True)
        return verify(objects, trees)

    handle.host.verify = looking
    while not handle.finished:
        handle.poll()
        handle.wait(2)
    assert handle.report().ok, handle.report().messages
    assert translation() == 7.0, "the edit stays"
    (node,) = (n for n in handle.evidence["trees"]["Made"]["nodes"] if n["type"] == "GeometryNodeTransform")
    assert node["inputs"]["Translation"]["value"][2] == 2.0, "what is judged is what the run left"


def test_a_look_in_parts_sees_what_one_at_once_sees(grid: None, monkeypatch: Any) -> None:
    monkeypatch.setattr(export, "STEP_S", 0.0)
    handle = api.start("edit it", "Cube", "replay", replies=[SCALE], approve="all")
    verify, looks = handle.host.verify, []

    def looking(objects: list[str], trees: list[str]) -> Any:
        looks.append(verify(objects, trees))
        return looks[-1]

    handle.host.verify = looking
    while not handle.finished:
        handle.poll(0)
        handle.wait(2)
    assert handle.report().ok and len(looks) > 3 and looks[:-1] == [None] * (len(looks) - 1)
    at_once = evaluate.evidence(["Cube"], ["Made"], None)
    assert handle.evidence is not None
    for kind in ("trees", "invalid_links", "inactive", "after", "attributes"):
        assert handle.evidence[kind] == at_once[kind], kind


def go_back() -> None:
    bpy.ops.ed.undo_push(message="By hand")
    bpy.ops.ed.undo()


@pytest.mark.parametrize(
    ("moment", "turns"), [("begin", 1), ("apply_step", 1), ("verify", 1), ("apply_step", 2), ("verify", 2)]
)
def test_an_undo_during_a_run_ends_it_and_leaves_nothing_of_it(grid: None, moment: str, turns: int) -> None:
    bpy.ops.ed.undo_push(message="Start")
    bpy.ops.ed.undo_push(message="Start")
    before = api.export_tree(bpy.data.node_groups["Made"])
    plans = [{**SCALE, "done": False}, LIFT] if turns == 2 else [SCALE]
    handle = api.start("edit it", "Cube", "replay", replies=[*plans, LIFT, LIFT], approve="all")
    original, count = getattr(handle.host, moment), iter(range(9))

    def meddling(*args: Any, **more: Any) -> Any:
        result = original(*args, **more)
        if next(count) == turns - 1:
            go_back()
        return result

    setattr(handle.host, moment, meddling)
    report = driver.drive(handle)
    assert report.status == "error", report.messages
    assert "restore_failed" not in codes(report) and "internal_error" not in codes(report), report.messages
    after = api.export_tree(bpy.data.node_groups["Made"])
    assert after == before
    assert not [g for g in bpy.data.node_groups if g.name.startswith(".geonode")]
