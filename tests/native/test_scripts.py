# SPDX-License-Identifier: GPL-3.0-or-later
"""PYTHON steps of a plan on a host without Blender: checked, approved, passed to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import geonode_core
import pytest
from scripted_host import MOVE, Host, plan

GOOD = "import bpy\n\nbpy.data.objects['Plane'].location.z = 2\nprint('moved')\n"
BAD = "import bpy\nimport socket\nsocket.remove('/tmp/x')\n"
TRUSTED = {"mode": "trusted", "code": "import os\nprint(os.getcwd())\n"}
REMOVES = "import bpy\n\nbpy.data.objects.remove(bpy.data.objects['Rock'])\n"


@pytest.fixture
def start(start: Callable[..., Any]) -> Callable[..., Any]:
    """Without the trial that comes before a script, which ``test_trials`` is about."""

    def make(*prompt: str, **request: Any) -> Any:
        settings = {"try_scripts": "never", **request.pop("settings", {})}
        return start(*prompt, **request, settings=settings)

    return make


def script(code: str = GOOD, done: bool = True, **payload: Any) -> dict[str, Any]:
    step = {"id": "p", "type": "PYTHON", "description": "Move it", "payload": {"code": code, **payload}}
    return {"version": "1.1", "steps": [step], "done": done, "final_message": "Moved."}


def codes(report: dict[str, Any]) -> list[str]:
    return [message["code"] for message in report["messages"]]


def agree(run: Any, effect: dict[str, Any]) -> None:
    run.approve(effect["id"])


def test_a_script_is_handed_to_the_host_as_it_was_checked(start, host: Host) -> None:
    report = host.drive(start(plan=script("print(f'{'a'}')\n", timeout_ms=1500), approve="all"))
    assert report["status"] == "done", report["messages"]
    assert host.done == ["inspect", "begin", "execute_step", "verify", "commit"]
    assert host.scripts == [{"mode": "safe", "code": "print(f'{\"a\"}')\n", "timeout_ms": 1500}]
    [step] = report["steps"]
    assert (step["action_type"], step["status"], step["message"]) == ("PYTHON", "done", "printed")
    assert report["gates"]["success"] is True
    assert report["diff"] == ["Run a script of 1 line"]


def test_a_script_and_a_tree_go_together_in_their_order(start, host: Host) -> None:
    both = plan(*MOVE)
    both["steps"].append(script()["steps"][0])
    report = host.drive(start(plan=both, approve="all"))
    assert report["status"] == "done", report["messages"]
    assert host.done == ["inspect", "begin", "apply_step", "execute_step", "verify", "commit"]
    begin = next(effect for effect in host.effects if effect["effect"] == "begin")
    assert begin["whole"] is True
    assert begin["objects"] == ["Plane"]


def test_a_tree_alone_does_not_need_the_whole_file(start, host: Host) -> None:
    assert host.drive(start(plan=plan(*MOVE)))["status"] == "done"
    assert [effect["whole"] for effect in host.effects if effect["effect"] == "begin"] == [False]


def test_the_question_shows_the_whole_script(start, host: Host) -> None:
    asked: list[dict[str, Any]] = []

    def decide(run: Any, effect: dict[str, Any]) -> None:
        asked.append(effect["request"])
        run.approve(effect["id"])

    report = host.drive(start(plan=script(REMOVES), approve="ask"), decide=decide)
    assert report["status"] == "done", report["messages"]
    [request] = asked
    [step] = request["steps"]
    assert step["script"] == {
        "mode": "safe",
        "code": REMOVES,
        "lines": 3,
        "timeout_ms": 4000,
        "removes": ["line 3: bpy.data.objects.remove(bpy.data.objects['Rock'])"],
        "marks": [3],
    }
    assert step["destructive"] is True
    assert "'Rock'" in request["reason"]
    assert request["dry_run"]["available"] is True


@pytest.mark.parametrize("words", [None, "Do not run scripts."])
def test_a_rejected_script_does_not_run(start, host: Host, words: str | None) -> None:
    run = start("move it", provider="replay", replies=[script(), plan(*MOVE)], approve="ask")
    report = host.drive(run, decide=lambda run, effect: run.reject(effect["id"], words))
    assert host.scripts == []
    assert report["status"] == ("cancelled" if words is None else "done")


def test_a_refused_script_goes_back_to_the_model_with_line_rule_and_advice(start, host: Host) -> None:
    report = host.drive(start("move it", provider="replay", replies=[script(BAD), script()], approve="all"))
    assert report["status"] == "done", report["messages"]
    assert report["attempts"] == 2
    told = [m for m in report["messages"] if m["code"] == "script_import"]
    assert told and told[0]["path"] == "/steps/0/payload/code"
    assert told[0]["severity"] == "info"
    assert "Line 2, column 8 (imports)" in told[0]["text"]
    assert told[0]["planner"]["hint"]
    assert [one["code"] for one in host.scripts] == [GOOD]


def test_a_refused_script_given_directly_ends_the_run(start, host: Host) -> None:
    report = host.drive(start(plan=script(BAD), approve="all"))
    assert report["status"] == "error"
    assert "script_import" in codes(report)
    assert host.done == []


@pytest.mark.parametrize(
    ("python", "approve", "mode", "code"),
    [
        ("off", "ask", "safe", "python_not_allowed"),
        ("off", "all", "trusted", "python_not_allowed"),
        ("safe", "ask", "trusted", "python_not_allowed"),
        ("safe", "all", "trusted", "python_not_allowed"),
        ("safe", "none", "safe", "approval_required"),
        ("trusted", "all", "trusted", "approval_required"),
        ("trusted", "none", "trusted", "approval_required"),
        ("trusted", "none", "safe", "approval_required"),
    ],
)
def test_a_script_without_setting_or_approval_does_not_run(
    start, host: Host, python: str, approve: str, mode: str, code: str
) -> None:
    settings = {"python": python, "preview": True, "strict_responses": False}
    report = host.drive(start(plan=script(mode=mode), approve=approve, settings=settings))
    assert (report["status"], codes(report)) == ("error", [code])
    assert host.done == []


def test_a_trusted_script_runs_after_approval(start, host: Host) -> None:
    asked: list[dict[str, Any]] = []

    def decide(run: Any, effect: dict[str, Any]) -> None:
        asked.append(effect["request"])
        run.approve(effect["id"])

    report = host.drive(start(plan=script(**TRUSTED), approve="ask", settings={"python": "trusted"}), decide=decide)
    assert report["status"] == "done", report["messages"]
    assert host.scripts == [{**TRUSTED, "timeout_ms": 4000}]
    [request] = asked
    assert "trusted" in request["reason"]
    assert request["steps"][0]["script"]["code"] == TRUSTED["code"]
    assert request["dry_run"]["available"] is False


def test_a_model_is_told_that_nobody_can_approve(start, host: Host) -> None:
    report = host.drive(start("move it", provider="replay", replies=[script(), plan(*MOVE)]))
    assert report["status"] == "done", report["messages"]
    assert "approval_required" in codes(report)
    assert host.scripts == []


@pytest.mark.parametrize("tree_too", [False, True])
@pytest.mark.parametrize(
    ("name", "count", "code"), [("Rock", 8, None), ("Rock", 200, "count_mismatch"), ("Nothing", 8, "unknown_object")]
)
def test_expectations_of_a_plan_with_a_script_are_measured(
    start, host: Host, tree_too: bool, name: str, count: int, code: str | None
) -> None:
    proposal = plan(*MOVE) if tree_too else script()
    proposal["steps"] = [*script()["steps"], *proposal["steps"]] if tree_too else proposal["steps"]
    proposal["meta"] = {"expects": [{"object_name": name, "component": "vertices", "count": count}]}
    report = host.drive(start(plan=proposal, approve="all"))
    [verify] = [effect for effect in host.effects if effect["effect"] == "verify"]
    assert verify["objects"] == (["Plane", name] if tree_too else [name])
    assert report["status"] == ("done" if code is None else "error"), report["messages"]
    assert host.done[-1] == ("commit" if code is None else "restore")
    assert report["gates"]["failed_gates"] == ([] if code is None else ["EXPECTED_EFFECTS"])
    assert [found["code"] for found in report["gates"]["findings"]] == ([] if code is None else [code])


def test_no_turn_precedes_or_follows_a_script(start, host: Host) -> None:
    """A plan with a script cannot request another turn, nor follow a turn that has written."""
    report = host.drive(start("move it", provider="replay", replies=[script(done=False), script()], approve="all"))
    assert report["status"] == "done", report["messages"]
    assert "python_out_of_turn" in codes(report)
    again = Host()
    replies = [plan(*MOVE, done=False), script(), script(), script()]
    report = again.drive(start("move it", provider="replay", replies=replies, approve="all"))
    assert report["status"] == "error"
    assert "python_out_of_turn" in codes(report)
    assert again.scripts == [] and again.done[-1] == "restore"


@pytest.mark.parametrize(("longest", "good"), [(5000, True), (4999, False)])
def test_the_setting_limits_the_time_of_a_script(start, host: Host, longest: int, good: bool) -> None:
    proposal = script(timeout_ms=5000)
    report = host.drive(start(plan=proposal, approve="all", settings={"max_python_ms": longest}))
    assert codes(report) == ([] if good else ["out_of_range"])


def test_a_script_that_fails_ends_the_run_with_its_step(start, host: Host) -> None:
    host.faults["execute_step"] = ("script_timeout", "Line 3: the script took longer than 4000 ms.")
    report = host.drive(start("x", provider="replay", replies=[script(), script()], approve="all"))
    assert report["status"] == "error"
    assert report["messages"][0]["code"] in ("script_timeout", "execution_failed")
    assert "“p”" in report["messages"][0]["text"] and "Line 3" in report["messages"][0]["text"]
    assert (report["attempts"], host.done[-1]) == (1, "restore")
    assert report["steps"][0]["status"] == "failed"


def test_a_script_that_the_artist_leaves_out_does_not_run(start, host: Host) -> None:
    both = plan(*MOVE)
    both["steps"].append(script()["steps"][0])
    report = host.drive(
        start(plan=both, approve="ask"), decide=lambda run, effect: run.approve(effect["id"], ["/steps/1"])
    )
    assert report["status"] == "done", report["messages"]
    assert host.scripts == []
    assert [effect["whole"] for effect in host.effects if effect["effect"] == "begin"] == [False]


def test_a_saved_run_asks_about_its_script_again(start, host: Host, catalogue: str) -> None:
    run = start("move it", provider="replay", replies=[script()], approve="ask")
    asked = 0

    def decide(run: Any, effect: dict[str, Any]) -> None:
        nonlocal asked
        asked += 1
        run.approve(effect["id"])

    saved = None

    def save(host: Host, effect: dict[str, Any]) -> None:
        nonlocal saved
        if effect["effect"] == "execute_step":
            saved = run.save()

    host.before_effect = save
    assert host.drive(run, decide=decide)["status"] == "done"
    again = Host()
    taken = geonode_core.Run.resume(saved, {"catalogue": catalogue, "approve": "ask"})
    assert again.drive(taken, decide=decide)["status"] == "done"
    assert asked == 2


@pytest.mark.parametrize(("override", "code"), [({}, "python_not_allowed"), ({"python": "trusted"}, None)])
def test_a_saved_run_cannot_allow_trusted_scripts(
    start, host: Host, catalogue: str, override: dict, code: str | None
) -> None:
    run = start(plan=script(**TRUSTED), approve="ask", settings={"python": "trusted"})
    run.wait(1000)
    saved = run.save()
    run.cancel()
    taken = geonode_core.Run.resume(saved, {"catalogue": catalogue, "approve": "ask", **override})
    report = host.drive(taken, decide=agree)
    assert (codes(report) or [None])[0] == code
    assert len(host.scripts) == (0 if code else 1)
