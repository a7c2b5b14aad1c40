# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs from a prompt or a plan to a report, on a host without Blender."""

from __future__ import annotations

import copy
import json
import threading
import time
from typing import Any

import pytest
from geonode_assistant.run.report import RunReport
from scripted_host import MOVE, MOVE_PAGE, Host, plan, socket

WRITES = ["inspect", "begin", "apply_step", "verify"]


def test_a_plan_is_applied_in_one_transaction(start, host: Host) -> None:
    report = host.drive(start(plan=plan(*MOVE)))
    assert report["status"] == "done", report["messages"]
    assert host.done == [*WRITES, "commit"]
    assert host.objects["Plane"]["modifiers"][0]["node_group"] == "Made"
    assert {node["type"] for node in host.trees["Made"]["nodes"]} == {
        "NodeGroupInput",
        "NodeGroupOutput",
        "GeometryNodeTransform",
    }
    step = report["steps"][0]
    assert (step["step_id"], step["action_type"], step["status"]) == ("s1", "NODE_TREE", "done")
    assert step["started_at"] <= step["ended_at"]
    assert report["gates"]["success"] is True
    assert report["final_message"] == "It is made."
    assert report["diff"]
    assert report["plan"]["steps"][0]["id"] == "s1"
    assert report["blender"] == "5.2.3"


def test_a_report_without_the_core_has_every_field_of_a_whole_one(start, host: Host) -> None:
    whole = host.drive(start(plan=plan(*MOVE)))
    empty = RunReport({"status": "error"})
    assert empty.to_dict().keys() == whole.keys()
    assert all(hasattr(empty, field) for field in whole)


def test_the_same_plan_twice_changes_nothing(start, host: Host) -> None:
    host.drive(start(plan=plan(*MOVE)))
    before = copy.deepcopy(host.trees)
    report = host.drive(start(plan=plan(*MOVE)))
    assert report["status"] == "done", report["messages"]
    assert host.trees == before


def test_states_follow_each_other(start, host: Host) -> None:
    host.drive(start("anything", provider="replay", replies=[plan(*MOVE)]))
    states = [event["state"] for event in host.events if event["event"] == "state"]
    assert states == ["generating", "requesting_context", "applying", "verifying", "done"]
    summaries = [event["summary"] for event in host.events if event["event"] == "state"]
    assert summaries == ["PLANNING", "VALIDATING", "EXECUTING", "EXECUTING", "DONE"]
    assert host.done == ["capture_context", *WRITES, "commit"]
    assert host.commits == ["GeoNode: anything"]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"prompt": ""}, "prompt_empty"),
        ({"prompt": " \n\t"}, "prompt_empty"),
        ({"prompt": "x" * 20_001}, "prompt_too_long"),
        ({"prompt": "x", "provider": "opnai"}, "unknown_provider"),
        ({"prompt": "x", "settings": {"retrys": 1}}, "setting_invalid"),
        ({"prompt": "x", "settings": {"retries": 11}}, "setting_invalid"),
        ({"prompt": "x", "provider": "openai-compatible", "base_url": "nonsense"}, "setting_invalid"),
        ({"prompt": "x", "provider": "openai-compatible", "base_url": "http://example.com/v1"}, "insecure_url"),
    ],
)
def test_invalid_requests_end_with_a_report(start, host: Host, request_: dict, code: str) -> None:
    report = host.drive(start(**request_))
    assert report["status"] == "error"
    assert [message["code"] for message in report["messages"] if message["severity"] == "error"] == [code]
    assert report["final_message"] == report["messages"][0]["text"]
    assert "begin" not in host.done


def test_the_longest_prompt_is_accepted(start, host: Host) -> None:
    report = host.drive(start("ä" * 20_000, provider="replay", replies=[plan(*MOVE)]))
    assert report["status"] == "done"


def test_wrong_use_by_a_program_raises(catalogue: str) -> None:
    import geonode_core

    for request in ({}, {"catalogue": catalogue, "promt": "x"}, {"catalogue": catalogue, "approve": "perhaps"}):
        with pytest.raises(geonode_core.ProtocolError) as caught:
            geonode_core.Run(request)
        assert caught.value.code == "body_invalid"


def test_an_unreadable_catalogue_ends_the_run(host: Host) -> None:
    import geonode_core

    for catalogue in ("/nowhere/5.2.json", "{}", '{"catalogue": 2, "blender": "9", "nodes": {}}'):
        report = host.drive(geonode_core.Run({"catalogue": catalogue, "plan": plan(*MOVE)}))
        assert report["status"] == "error"
        assert report["messages"][0]["code"] == "invalid_document"


BAD = {"version": "1.1", "steps": [{"id": "s"}], "done": True, "final_message": "", "extra": 1}
WRONG_NODE = plan({"op": "create_node", "node_id": "a", "bl_idname": "GeometryNodeNothing"})


@pytest.mark.parametrize(
    ("first", "code"), [(BAD, "unknown_field"), ("no plan at all", "invalid_json"), (WRONG_NODE, "unknown_node_type")]
)
def test_a_refused_plan_goes_back_to_the_model(start, host: Host, first, code: str) -> None:
    report = host.drive(start("x", provider="replay", replies=[first, plan(*MOVE)]))
    assert report["status"] == "done", report["messages"]
    assert report["attempts"] == 2
    assert code in {message["code"] for message in report["messages"] if message["severity"] == "info"}
    assert host.done.count("begin") == 1


def test_retries_are_bounded(start, host: Host) -> None:
    report = host.drive(start("x", provider="replay", replies=[WRONG_NODE] * 9, settings={"retries": 3}))
    assert (report["status"], report["attempts"]) == ("error", 4)
    assert report["messages"][0]["code"] == "unknown_node_type"
    assert report["messages"][0]["path"] == "/steps/0/payload/operations/0/bl_idname"
    assert "begin" not in host.done


def test_a_plan_given_directly_is_not_retried(start, host: Host) -> None:
    report = host.drive(start(plan=json.dumps(WRONG_NODE)))
    assert (report["status"], report["attempts"]) == ("error", 1)


def empty(evidence: dict) -> None:
    for thing in evidence["objects"]:
        thing["evaluated"]["mesh"] = {"vertices": 0, "edges": 0, "faces": 0}


def test_failed_gates_restore_and_go_back(start, host: Host) -> None:
    def once(evidence: dict) -> None:
        empty(evidence)
        host.change_evidence = None

    host.change_evidence = once
    report = host.drive(start("x", provider="replay", replies=[plan(*MOVE), plan(*MOVE)]))
    assert report["status"] == "done", report["messages"]
    assert host.done == ["capture_context", *WRITES, "restore", *WRITES, "commit"]
    assert {"NOT_EMPTY"} == {message["code"] for message in report["messages"] if message["origin"] == "gates"}


def test_missing_warnings_of_blender_are_not_an_error(start, host: Host) -> None:
    def silent(evidence: dict) -> None:
        evidence["objects"][0]["modifiers"][0]["warnings"] = None

    host.change_evidence = silent
    report = host.drive(start(plan=plan(*MOVE)))
    assert report["status"] == "done"
    assert [(message["severity"], message["code"]) for message in report["messages"]] == [("info", "not_available")]
    host.change_evidence = lambda evidence: (silent(evidence), empty(evidence))
    report = host.drive(start(plan=plan(*MOVE)))
    assert report["gates"]["failed_gates"] == ["NOT_EMPTY"]
    assert ("info", "not_available") in {(message["severity"], message["code"]) for message in report["messages"]}


def test_gates_that_keep_failing_leave_the_file_as_it_was(start, host: Host) -> None:
    before = copy.deepcopy((host.objects, host.trees))
    host.change_evidence = empty
    report = host.drive(start("x", provider="replay", replies=[plan(*MOVE)] * 9))
    assert (report["status"], report["attempts"]) == ("error", 3)
    assert report["gates"]["failed_gates"] == ["NOT_EMPTY"]
    assert {"gate_failed", "NOT_EMPTY"} <= {m["code"] for m in report["messages"] if m["severity"] == "error"}
    assert (host.objects, host.trees) == before
    assert host.done.count("begin") == host.done.count("restore") == 3
    assert report["diff"] == []
    assert {step["status"] for step in report["steps"]} == {"restored"}


@pytest.mark.parametrize("effect", ["capture_context", "inspect", "begin", "apply_step", "verify", "commit"])
def test_a_failing_host_ends_the_run_restored(start, host: Host, effect: str) -> None:
    before = copy.deepcopy((host.objects, host.trees))
    host.faults[effect] = ("execution_failed", "Blender said no.")
    report = host.drive(start("x", provider="replay", replies=[plan(*MOVE)]))
    assert report["status"] == "error"
    assert report["messages"][0]["code"] == "execution_failed"
    assert "Blender said no." in report["messages"][0]["text"]
    assert (host.objects, host.trees) == before
    opened = "begin" in host.done and effect != "begin"
    assert host.done.count("restore") == int(opened)
    if effect == "apply_step":
        assert report["steps"][0]["error"]["message"] == "Blender said no."
        assert "“s1”" in report["final_message"]


def test_a_failed_restore_is_reported(start, host: Host) -> None:
    host.change_evidence = empty
    host.faults["restore"] = ("execution_failed", "Blender said no.")
    report = host.drive(start(plan=plan(*MOVE)))
    assert report["status"] == "error"
    assert "restore_failed" in {message["code"] for message in report["messages"]}


def test_invalid_answers_of_the_host_end_the_run(start, host: Host) -> None:
    for name in ("capture_context", "inspect", "verify"):
        one = Host()
        setattr(one, name, lambda effect: {"objects": 3})
        report = one.drive(start("x", provider="replay", replies=[plan(*MOVE)]))
        assert report["status"] == "error", name
        assert report["messages"][0]["code"] == "invalid_document"
        assert one.snapshot is None
    host.verify = lambda effect: {"objects": [], "size": float("nan"), "thing": object()}
    assert host.drive(start(plan=plan(*MOVE)))["messages"][0]["code"] == "invalid_document"


@pytest.mark.parametrize("at", ["capture_context", "inspect", "begin", "apply_step", "verify"])
def test_cancel_restores_from_anywhere(start, host: Host, at: str) -> None:
    before = copy.deepcopy((host.objects, host.trees))
    run = start("x", provider="replay", replies=[plan(*MOVE)])
    host.before_effect = lambda _, effect: run.cancel() if effect["effect"] == at else None
    report = host.drive(run)
    assert report["status"] == "cancelled"
    assert "cancelled" in {message["code"] for message in report["messages"]}
    assert (host.objects, host.trees) == before
    assert host.snapshot is None
    assert host.done.count("restore") == ("begin" in host.done)


def test_cancel_after_the_end_changes_nothing(start, host: Host) -> None:
    run = start(plan=plan(*MOVE))
    report = host.drive(run)
    run.cancel()
    run.answer("1", {})
    assert run.poll()["finished"]
    assert run.report() == report


def test_python_steps_are_refused_where_scripts_are_switched_off(start, host: Host) -> None:
    step = {"id": "p", "type": "PYTHON", "description": "", "payload": {"code": "import socket"}}
    proposal = {"version": "1.0", "steps": [step], "done": True, "final_message": ""}
    report = host.drive(start(plan=proposal, approve="all", settings={"python": "off"}))
    assert report["messages"][0]["code"] == "python_not_allowed"
    assert report["messages"][0]["path"] == "/steps/0/type"
    assert "NODE_TREE" in report["messages"][0]["planner"]["hint"]
    assert "NODE_TREE" not in report["messages"][0]["hint"]
    assert host.done == []


RISKY = plan(*MOVE, step={"requires_approval": True})


def test_without_an_artist_a_request_is_refused(start, host: Host) -> None:
    report = host.drive(start(plan=RISKY))
    assert report["messages"][0]["code"] == "approval_required"
    assert "begin" not in host.done


def test_a_plan_approved_beforehand_is_applied(start, host: Host) -> None:
    assert host.drive(start(plan=RISKY, approve="all"))["status"] == "done"
    assert "ask_approval" not in host.done


def test_approved_when_asked(start, host: Host) -> None:
    def decide(run, effect) -> None:
        request = effect["request"]
        assert request["steps"][0]["step_id"] == "s1"
        assert request["reason"]
        assert request["diff"]
        run.approve(effect["id"])

    assert host.drive(start(plan=RISKY, approve="ask"), decide=decide)["status"] == "done"
    assert host.done == ["inspect", "ask_approval", "inspect", "begin", "apply_step", "verify", "commit"]


def test_rejected_when_asked(start, host: Host) -> None:
    report = host.drive(start(plan=RISKY, approve="ask"), decide=lambda run, effect: run.reject(effect["id"]))
    assert report["status"] == "cancelled"
    assert "user_rejected" in {message["code"] for message in report["messages"]}
    assert "begin" not in host.done


def test_an_edit_during_the_question_is_asked_about_again(start, host: Host) -> None:
    asked = []

    def decide(run, effect) -> None:
        asked.append(effect)
        if len(asked) == 1:
            own = {"name": "Own", "type": "SUBSURF", "inputs": {}, "node_group": None}
            host.objects["Plane"]["modifiers"].append(own)
        run.approve(effect["id"])

    report = host.drive(start(plan=RISKY, approve="ask"), decide=decide)
    assert report["status"] == "done"
    assert len(asked) == 2


def test_destructive_steps_need_approval(start, host: Host) -> None:
    nodes = [{"op": "create_node", "node_id": f"n{i}", "bl_idname": "ShaderNodeMath"} for i in range(5)]
    host.drive(start(plan=plan(*MOVE, *nodes)))
    gone = plan(*({"op": "delete_node", "node_id": f"n{i}"} for i in range(5)))
    report = host.drive(start(plan=gone))
    assert report["messages"][0]["code"] == "approval_required"
    assert "removes 5 of 8 nodes" in report["messages"][0]["text"]
    assert host.drive(start(plan=gone, approve="all"))["status"] == "done"


SECOND = plan(
    {"op": "create_node", "node_id": "turn", "bl_idname": "GeometryNodeTransform"},
    {"op": "unlink", "from": socket("move", "Geometry"), "to": socket("group_output", "Geometry")},
    {"op": "link", "from": socket("move", "Geometry"), "to": socket("turn", "Geometry")},
    {"op": "link", "from": socket("turn", "Geometry"), "to": socket("group_output", "Geometry")},
)


def test_not_done_means_ask_again_in_one_transaction(start, host: Host) -> None:
    first = {**plan(*MOVE), "done": False}
    report = host.drive(start("x", provider="replay", replies=[first, SECOND]))
    assert report["status"] == "done", report["messages"]
    assert host.done.count("begin") == host.done.count("commit") == 1
    assert len(report["steps"]) == 2
    assert "turn" in {node["id"] for node in host.trees["Made"]["nodes"]}


def test_an_edit_between_turns_stops_the_run(start, host: Host) -> None:
    def meddle(host: Host, effect: dict) -> None:
        if host.done.count("inspect") == 3 and effect["effect"] == "inspect":
            host.trees["Made"]["nodes"][0]["location"] = [99, 99]

    before = copy.deepcopy((host.objects, host.trees))
    host.before_effect = meddle
    report = host.drive(start("x", provider="replay", replies=[{**plan(*MOVE), "done": False}, SECOND]))
    assert report["messages"][0]["code"] == "touched_by_artist", report["messages"]
    assert (host.objects, host.trees) == before


def test_turns_are_bounded(start, host: Host) -> None:
    first = {**plan(*MOVE), "done": False}
    report = host.drive(start("x", provider="replay", replies=[first] * 9, settings={"max_iterations": 2}))
    assert "iterations_exhausted" in {message["code"] for message in report["messages"]}
    assert report["attempts"] == 3
    assert host.trees == {}


def test_context_is_given_on_request(start, host: Host) -> None:
    ask = {
        "version": "1.1",
        "steps": [],
        "done": False,
        "final_message": "",
        "context_requests": [{"slice": "node_docs", "query": "transform"}, {"slice": "modifier_stack"}],
    }
    report = host.drive(start("x", provider="replay", replies=[ask, plan(*MOVE)]))
    assert report["status"] == "done"
    assert report["attempts"] == 2


@pytest.mark.parametrize("in_json", [False, True])
def test_after_findings_only_changed_lines_need_to_be_written(start, host: Host, in_json: bool) -> None:
    wrong = MOVE_PAGE.replace("translation=", "translate=")
    lines = "# line 2\n    move = transform_geometry(geometry, translation=(0, 0, 2))\n"
    replies: list[Any] = [f"```python\n{text}```" for text in (wrong, lines)]
    if in_json:
        step = {"id": "s1", "type": "NODE_TREE", "description": "Move it"}
        whole = {"version": "1.2", "done": True, "final_message": "It is made."}
        replies = [whole | {"steps": [step | {"payload": {"text": text}}]} for text in (wrong, lines)]
    report = host.drive(start("x", provider="replay", replies=replies))
    assert (report["status"], report["attempts"]) == ("done", 2), report["messages"]
    assert "line 2, column" in json.dumps(report["messages"])
    assert "GeometryNodeTransform" in {node["type"] for node in host.trees["Made"]["nodes"]}


def test_a_reply_without_steps_is_an_answer(start, host: Host) -> None:
    answer = {"version": "1.1", "steps": [], "done": True, "final_message": "Nothing to do."}
    report = host.drive(start("x", provider="replay", replies=[answer]))
    assert (report["status"], report["final_message"]) == ("done", "Nothing to do.")
    assert host.done == ["capture_context"]


def test_offline_plans_and_refuses_at_once(start, host: Host) -> None:
    report = host.drive(start("make me a sandwich and file my taxes"))
    assert (report["status"], report["attempts"]) == ("error", 1)
    assert host.done == ["capture_context"]
    assert report["usage"] is None


def test_waiting_releases_the_gil(start) -> None:
    run = start("x", provider="replay", replies=[plan(*MOVE)])
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    ticker = threading.Thread(target=tick)
    ticker.start()
    inside = 0
    try:
        # Once the host's first effect is handed out nothing is new, and a wait lasts its whole time.
        for _ in range(50):
            begin = time.monotonic()
            run.wait(300)
            end = time.monotonic()
            run.poll()
            inside = sum(begin + 0.02 < at < end - 0.02 for at in ticks)
            if inside:
                break
    finally:
        stop.set()
        ticker.join()
    assert inside
    run.cancel()
