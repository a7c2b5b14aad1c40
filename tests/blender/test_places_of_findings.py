# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of gates and questions that nobody answers say where in the plan they come from; and a zone that leads back
into itself is found before anything is written.
"""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from geonode_assistant import api
from whole_file import GEOMETRY, end, everything, fresh_scene, lift, plan


@pytest.fixture(autouse=True)
def scene() -> None:
    fresh_scene()


def places(report: Any) -> dict[str, str | None]:
    return {message["code"]: message.get("path") for message in report.messages}


def test_a_gate_points_to_the_operation_that_names_the_node_else_to_the_step() -> None:
    report = api.apply_plan(plan(*lift(node="GeometryNodeDeleteGeometry")[:3], *lift()[4:]))
    assert not report.ok, report.messages
    found = places(report)
    assert found["NOT_EMPTY"] in ("/steps/0", "/steps/0/payload/operations/2", "/steps/0/payload/operations/4"), found
    assert found["gate_failed"] == found["NOT_EMPTY"]


def test_a_question_that_nobody_answers_points_to_the_step() -> None:
    assert api.apply_plan(plan(*lift())).ok
    unlink = {"op": "unlink", "from": end("up"), "to": end("group_output")}
    report = api.apply_plan(plan({"op": "delete_node", "node_id": "up"}, unlink), approve="none")
    report = report if "approval_required" in places(report) else _ask()
    assert places(report)["approval_required"] == "/steps/0", report.messages


def _ask() -> Any:
    tree = bpy.data.node_groups["Artist"]
    tree.nodes.new("GeometryNodeTransform").name = "Theirs"
    begin, finish = tree.nodes["Group Input"], tree.nodes["Group Output"]
    tree.links.new(begin.outputs[0], tree.nodes["Theirs"].inputs[0])
    tree.links.new(tree.nodes["Theirs"].outputs[0], finish.inputs[0])
    target = {"object_name": "Cube", "modifier_name": "Artist", "node_group_name": "Artist"}
    cut = {"op": "unlink", "from": end("group_input"), "to": end("Theirs")}
    cube = {"op": "create_node", "node_id": "box", "bl_idname": "GeometryNodeMeshCube"}
    put = {"op": "link", "from": end("box", "Mesh"), "to": end("group_output")}
    payload = {"target": target, "operations": [cube, put, cut]}
    step = {"id": "s", "type": "NODE_TREE", "description": "d", "payload": payload}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    return api.apply_plan(plan, approve="none")


@pytest.mark.parametrize("kind", ["repeat", "simulation"])
@pytest.mark.parametrize("between", [False, True])
def test_a_zone_that_leads_into_its_own_beginning_is_refused_before_anything_is_written(
    kind: str, between: bool
) -> None:
    zone = {"op": "add_zone", "id": "z", "kind": kind, "items": [{"name": "Geometry", "socket_type": GEOMETRY}]}
    back = [{"op": "link", "from": end("z.out"), "to": end("z.in")}]
    if between:
        back = [
            {"op": "create_node", "node_id": "on", "bl_idname": "GeometryNodeTransform"},
            {"op": "link", "from": end("z.out"), "to": end("on")},
            {"op": "link", "from": end("on"), "to": end("z.in")},
        ]
    before = everything()
    out = {"op": "link", "from": end("z.out"), "to": end("group_output")}
    report = api.apply_plan({**plan(zone, *back, out), "version": "1.2"})
    assert not report.ok
    errors = [message for message in report.messages if message["severity"] == "error"]
    assert errors[0]["code"] == "cycle" and "“z.in”" in errors[0]["text"], report.messages
    assert errors[0]["path"] == f"/steps/0/payload/operations/{len(back)}"
    assert everything() == before
