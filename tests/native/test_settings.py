# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a run: each with a run that obeys it, and one without it that goes another way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chat_server import Endpoint, ask
from scripted_host import MOVE, Host, plan

PLAN = plan(*MOVE)
MATH = ({"op": "create_node", "node_id": f"n{number}", "bl_idname": "ShaderNodeMath"} for number in range(4))
NODES = plan(*MOVE, *MATH)
SCRIPT = {"id": "s2", "type": "PYTHON", "description": "Run it", "payload": {"code": "import bpy\n"}}


def first_code(report: dict[str, Any]) -> str | None:
    """The code of the first error."""
    return next((message["code"] for message in report["messages"] if message["severity"] == "error"), None)


TWO_STEPS = {**PLAN, "steps": [*PLAN["steps"], {**PLAN["steps"][0], "id": "s2"}]}
LONG = {**NODES, "final_message": "x" * 1024}
SCRIPTED = {**PLAN, "steps": [*PLAN["steps"], SCRIPT]}


@pytest.mark.parametrize(
    ("settings", "made", "code"),
    [
        ({"max_steps": 1}, TWO_STEPS, "too_many_steps"),
        ({"max_operations": 5}, PLAN, "too_many_operations"),
        ({"max_plan_bytes": 1024}, LONG, "plan_too_large"),
        ({"max_python_chars": 5}, SCRIPTED, "python_too_long"),
    ],
)
def test_a_plan_has_its_bounds(start, settings: dict[str, int], made: dict[str, Any], code: str) -> None:
    text = json.dumps(made)
    assert first_code(Host().drive(start(plan=text, approve="all", settings=settings))) == code
    report = Host().drive(start(plan=text, approve="all"))
    assert report["status"] == "done", report["messages"]


def test_what_counts_as_destructive(start, host: Host) -> None:
    assert host.drive(start(plan=NODES))["status"] == "done"
    gone = plan({"op": "delete_node", "node_id": "n0"}, {"op": "delete_node", "node_id": "n1"})
    assert first_code(host.drive(start(plan=gone, settings={"destructive_nodes": 2}))) == "approval_required"
    report = host.drive(start(plan=gone))
    assert report["status"] == "done", report["messages"]


def test_an_empty_result_passes_where_it_may(start) -> None:
    def empty(evidence: dict[str, Any]) -> None:
        for one in evidence["objects"]:
            one["evaluated"] = {"finite": True, "ms": 0.1}

    ends = {}
    for allowed in (False, True):
        host = Host()
        host.change_evidence = empty
        report = host.drive(start(plan=PLAN, settings={"allow_empty_result": allowed}))
        ends[allowed] = (report["status"], {message["code"] for message in report["messages"]})
    assert ends[False][0] != "done" and "NOT_EMPTY" in ends[False][1], ends
    assert ends[True][0] == "done", ends


@pytest.mark.parametrize("structured", [False, True])
def test_a_schema_constrains_replies_where_it_may(start, host: Host, endpoint: Endpoint, structured: bool) -> None:
    endpoint.replies = [json.dumps(PLAN)]
    report = host.drive(ask(start, endpoint, settings={"structured_output": structured}))
    assert report["status"] == "done", report["messages"]
    assert ("response_format" in endpoint.asked[0]) == structured
