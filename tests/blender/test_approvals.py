# SPDX-License-Identifier: GPL-3.0-or-later
"""Approvals in a real Blender: operations left out, rejections with words, callables, edits during a question."""

from __future__ import annotations

import re
from typing import Any

import bpy
import pytest
from asking import HIGHER, OPS, lift, raised, wait
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.host import sliders
from geonode_assistant.run import driver
from geonode_assistant.run.report import RunReport


@pytest.fixture(autouse=True)
def scene() -> None:
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)


def height() -> float:
    move = next(n for n in bpy.data.node_groups["Lift"].nodes if n.bl_idname == "GeometryNodeTransform")
    return move.inputs["Translation"].default_value[2]


def codes(report: RunReport) -> set[str]:
    return {message["code"] for message in report.messages}


def test_a_callable_can_leave_out_operations() -> None:
    asked = []

    def approve(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {"decision": "approved", "without": [HIGHER]}

    report = api.apply_plan(lift(), approve=approve)
    assert report.ok, report.messages
    assert height() == 0
    assert [one["words"] for one in asked[0]["steps"][0]["operations"]][2:4] == [
        "Add Transform Geometry “move”",
        "Set Translation of “move” to [0,0,2.0]",
    ]
    [record] = report.approvals
    assert (record["decision"], record["without"]) == ("approved", [HIGHER])
    bpy.ops.ed.undo_push(message="after")


def test_an_invalid_choice_writes_nothing_and_can_be_corrected() -> None:
    before = e2e.document()
    asked = []

    def approve(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        assert e2e.document() == before
        return {"decision": "approved", "without": [f"{OPS}/2"] if len(asked) == 1 else [HIGHER]}

    report = api.apply_plan(lift(), approve=approve)
    assert report.ok, report.messages
    assert {found["code"] for found in asked[1]["findings"]} == {"unknown_node"}
    assert asked[1]["without"] == [f"{OPS}/2"]


def test_a_rejection_with_words_leads_to_another_plan() -> None:
    answers = [{"decision": "rejected", "words": "Only half as high."}, "approved"]
    handle = api.start(
        "lift it", provider="replay", replies=[lift(), lift(1.0)], approve=lambda request: answers.pop(0)
    )
    report = driver.drive(handle)
    assert report.ok, report.messages
    assert height() == 1
    assert [(one["decision"], one["words"]) for one in report.approvals] == [
        ("rejected", "Only half as high."),
        ("approved", None),
    ]


@pytest.mark.parametrize(
    "answer",
    [None, True, "yes", {}, {"decision": "maybe"}, {"decision": "approved", "without": HIGHER}, {"decision": []}]
    + [{"decision": "approved", "without": [3]}, {"decision": "rejected", "words": 3}]
    + [{"decision": "approved", "words": "Fine."}],
)
def test_an_invalid_answer_ends_the_run(answer: Any) -> None:
    before = e2e.document()
    report = api.apply_plan(lift(), approve=lambda request: answer)
    assert report.status == "error"
    assert e2e.document() == before


@pytest.mark.parametrize(("answer", "decision"), [("rejected", "rejected"), ("cancelled", "cancelled")])
def test_a_rejection_is_recorded(answer: str, decision: str) -> None:
    before = e2e.document()
    report = api.apply_plan(lift(), approve=lambda request: answer)
    assert report.status == "cancelled"
    assert [one["decision"] for one in report.approvals] == [decision]
    assert e2e.document() == before


def test_an_edit_while_a_question_is_open_leads_to_another_question() -> None:
    plan = lift()
    assert api.apply_plan(plan, approve="all").ok
    bpy.ops.ed.undo_push(message="Lifted")
    handle = api.start("x", provider="replay", replies=[raised(5.0)], approve="ask")
    first = wait(handle)
    bpy.data.node_groups["Lift"].nodes.new("ShaderNodeMath").name = "Mine"
    handle.approve(first, [f"{OPS}/1"])
    second = wait(handle)
    assert second != first
    handle.approve(first)
    assert not handle.finished
    handle.approve(second)
    assert driver.drive(handle).ok
    assert height() == 5
    assert "Mine" in bpy.data.node_groups["Lift"].nodes


def test_a_preview_shows_a_harmless_plan() -> None:
    asked = []
    plan = lift(requires_approval=False)
    assert api.apply_plan(plan, approve=lambda request: asked.append(request) or "approved").ok
    assert not asked
    report = api.apply_plan(
        raised(3.0, requires_approval=False),
        approve=lambda request: asked.append(request) or "approved",
        settings={"preview": True},
    )
    assert report.ok, report.messages
    assert len(asked) == 1
    assert height() == 3


@pytest.mark.parametrize("approve", [None, "all", lambda request: "approved"], ids=["none", "all", "callable"])
def test_no_general_approval_allows_trusted_scripts(approve: Any) -> None:
    before = e2e.document()
    payload = {"code": "import bpy\nbpy.context.object.name = 'Taken'", "mode": "trusted"}
    step = {"id": "s", "type": "PYTHON", "description": "", "requires_approval": True, "payload": payload}
    plan = {"version": "1.1", "steps": [step], "done": True, "final_message": ""}
    report = api.apply_plan(plan, approve=approve, settings={"preview": True})
    assert report.status == "error"
    assert "python_not_allowed" in codes(report)
    assert e2e.document() == before


def summaries(*plans: dict[str, Any]) -> list[list[str]]:
    """How the question of each plan begins; each is approved."""
    asked: list[Any] = []
    for plan in plans:
        report = api.apply_plan(
            plan, approve=lambda request: asked.append(request) or "approved", settings={"preview": True}
        )
        assert report.ok, report.messages
        bpy.ops.ed.undo_push(message="Next")
    return [request["summary"] for request in asked]


def test_a_question_begins_with_what_the_plan_does() -> None:
    scale = raised(3.0)
    add = {"op": "create_node", "node_id": "turn", "bl_idname": "GeometryNodeSetPosition"}
    ends = [("move", "turn"), ("turn", "group_output")]
    links = [
        {"op": "link", "from": {"node_id": a, "socket": "Geometry"}, "to": {"node_id": b, "socket": "Geometry"}}
        for a, b in ends
    ]
    scale["steps"][0]["payload"]["operations"] += [add, *links]
    first, second = summaries(lift(), scale)
    assert first == ["Adds the modifier “Lift” to “Plane”: 1 node.", "Nothing of yours changes."]
    [line] = second
    assert line.startswith("Changes the tree “Lift”: 1 node added, 1 node changed"), line


def test_a_change_of_a_value_is_told_with_its_value() -> None:
    api.run("displace the plane with noise", approve="all")
    [modifier] = bpy.data.objects["Plane"].modifiers
    strength = next(slider for slider in sliders.of(modifier) if slider.name == "Strength")
    if strength.path == "value":
        strength.owner.value = 0.5
    else:
        strength.owner[strength.path[2:-2]] = 0.5
    bpy.ops.ed.undo_push(message="Stronger")
    preview = {"preview": True}
    handle = api.start("Change it: strength 0.25", object="Plane", approve="ask", settings=preview)
    request = handle.pending[wait(handle)]
    assert request["summary"] == ["“Strength” of the modifier “Noise Displacement” of “Plane”: 0.5 m → 0.25 m."]
    handle.cancel()
    driver.drive(handle)


def test_a_preset_is_asked_about_in_one_sentence() -> None:
    handle = api.start("scatter 5 cubes on the plane", approve="ask", settings={"preview": True})
    request = handle.pending[wait(handle)]
    assert re.fullmatch(r"Adds the modifier “Scatter” to “Plane”: \d+ nodes, \d+ inputs\.", request["summary"][0])
    assert request["summary"][1:] == ["Nothing of yours changes."]
    handle.cancel()
    driver.drive(handle)
