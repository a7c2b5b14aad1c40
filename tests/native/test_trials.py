# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts are tried before they can be approved; on a host without Blender, which says what came of the trial."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scripted_host import MOVE, Host, plan

GOOD = "import bpy\n\nbpy.data.objects['Plane'].location.z = 2\n"
REMOVES = "import bpy\n\nbpy.data.objects.remove(bpy.data.objects['Rock'])\n"
LONG = "x = 1\n" * 40
NAMES = {"made": {"objects": ["Cube"]}, "changed": {}, "removed": {}}


def script(code: str = GOOD) -> dict[str, Any]:
    step = {"id": "p", "type": "PYTHON", "description": "Move it", "payload": {"code": code}}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "Moved."}


def agree(run: Any, effect: dict[str, Any]) -> None:
    run.approve(effect["id"])


def only(host: Host, name: str) -> dict[str, Any]:
    [effect] = [effect for effect in host.effects if effect["effect"] == name]
    return effect


def test_an_approval_waits_for_the_trial_which_binds_the_run(start, host: Host) -> None:
    host.trial["names"] = NAMES
    report = host.drive(start(plan=script(), approve="ask"), decide=agree)
    assert report["status"] == "done", report["messages"]
    assert host.done == [
        "inspect",
        "ask_approval",
        "dry_run",
        "ask_approval",
        "inspect",
        "begin",
        "execute_step",
        "verify",
        "commit",
    ]
    assert only(host, "dry_run")["sealed"] is True
    first, second = (effect["request"]["dry_run"] for effect in host.effects if effect["effect"] == "ask_approval")
    assert first == {"available": True, "required": True}
    assert second["result"]["ok"] is True
    assert "names" not in second["result"], "names are for the host, words for the artist"
    assert only(host, "begin")["names"] == NAMES


@pytest.mark.parametrize(
    "code", ["dry_run_crashed", "dry_run_timeout", "dry_run_memory", "sandbox_breach", "cancelled"]
)
def test_what_failed_there_cannot_be_approved(start, host: Host, code: str) -> None:
    host.trial = {"ok": False, "code": code, "text": "It did not work."}
    asked: list[dict[str, Any]] = []

    def insist(run: Any, effect: dict[str, Any]) -> None:
        asked.append(effect["request"])
        run.approve(effect["id"])

    report = host.drive(start(plan=script(), approve="ask"), decide=insist)
    assert report["status"] == "error"
    assert [m["code"] for m in report["messages"]] == ["trial_failed"]
    assert len(asked) <= 2, "before the trial and after it"
    assert host.scripts == [] and "begin" not in host.done
    assert host.done.count("dry_run") == 1
    [finding] = asked[-1]["findings"]
    assert finding["code"] == "trial_failed" and "It did not work." in finding["message"]


def test_without_a_sandbox_the_artist_is_told_and_decides(start, host: Host) -> None:
    host.faults["dry_run"] = ("sandbox_unavailable", "This system has no sandbox.")
    asked: list[dict[str, Any]] = []

    def decide(run: Any, effect: dict[str, Any]) -> None:
        asked.append(effect["request"])
        run.approve(effect["id"])

    report = host.drive(start(plan=script(), approve="ask"), decide=decide)
    assert report["status"] == "done", report["messages"]
    result = asked[-1]["dry_run"]["result"]
    assert (result["ok"], result["tried"], result["code"]) == (False, False, "sandbox_unavailable")
    assert "names" not in only(host, "begin")


@pytest.mark.parametrize("sandbox", [True, False])
def test_unattended_runs_need_a_trial_that_passed(start, host: Host, sandbox: bool) -> None:
    if sandbox:
        host.trial = {"ok": False, "code": "dry_run_crashed", "text": "It crashed."}
    else:
        host.faults["dry_run"] = ("sandbox_unavailable", "This system has no sandbox.")
    report = host.drive(start(plan=script(), approve="all"))
    assert report["status"] == "error" and host.scripts == []
    assert [m["code"] for m in report["messages"]] == ["trial_failed"]
    assert ("crashed" if sandbox else "no sandbox") in report["messages"][0]["text"]


def test_unattended_runs_pass_with_a_trial_and_are_held_to_it(start, host: Host) -> None:
    host.trial["names"] = NAMES
    report = host.drive(start(plan=script(), approve="all"))
    assert report["status"] == "done", report["messages"]
    assert host.done == ["inspect", "dry_run", "begin", "execute_step", "verify", "commit"]
    assert only(host, "begin")["names"] == NAMES
    assert report["approvals"] == []


@pytest.mark.parametrize(
    ("setting", "approve", "code", "tried"),
    [
        ("always", "ask", GOOD, True),
        ("in_doubt", "ask", GOOD, False),
        ("in_doubt", "ask", REMOVES, True),
        ("in_doubt", "ask", LONG, True),
        ("in_doubt", "all", GOOD, True),
        ("never", "ask", REMOVES, False),
        ("never", "all", REMOVES, False),
    ],
)
def test_the_setting_says_which_scripts_are_tried(
    start, host: Host, setting: str, approve: str, code: str, tried: bool
) -> None:
    run = start(plan=script(code), approve=approve, settings={"try_scripts": setting})
    assert host.drive(run, decide=agree)["status"] == "done"
    assert ("dry_run" in host.done) is tried


def test_a_plan_without_a_script_needs_no_trial(start, host: Host) -> None:
    made = plan(*MOVE, step={"requires_approval": True})
    assert host.drive(start(plan=made, approve="ask"), decide=agree)["status"] == "done"
    assert "dry_run" not in host.done


SITUATION = {"scene": "Scene", "view_layer": "ViewLayer", "active": "Plane", "mode": "OBJECT", "selected": []}
PLANE = {"root": {"block": {"kind": "objects", "name": "Plane", "library": None}}, "path": []}


def record(name: str) -> str:
    entry = {"do": "set", "of": PLANE, "name": name, "value": 2}
    return json.dumps({"version": 1, "situation": SITUATION, "entries": [entry], "output": ""})


def told_and_done(start: Any, host: Host) -> tuple[dict[str, Any], dict[str, Any]]:
    """The result that the artist is told, and the payload that is carried out."""
    report = host.drive(start(plan=script(), approve="ask"), decide=agree)
    assert report["status"] == "done", report["messages"]
    *_, asked = (effect["request"]["dry_run"] for effect in host.effects if effect["effect"] == "ask_approval")
    return asked["result"], only(host, "execute_step")["payload"]


def test_a_record_is_carried_out_instead_of_its_script(start, host: Host) -> None:
    text = record("location")
    host.trial |= {"names": NAMES, "records": {"p": text}, "unrecorded": {}}
    result, payload = told_and_done(start, host)
    assert result["by_record"] is True and "does not run again" in result["form"]
    assert not {"records", "unrecorded", "names"} & result.keys()
    assert payload["record"] == text and "code" not in payload and payload["timeout_ms"] > 0


@pytest.mark.parametrize(
    ("records", "unrecorded", "says", "code"),
    [
        ({}, {"p": "it reads bpy.context.area"}, "bpy.context.area", None),
        ({}, {}, "no record", None),
        ({"q": record("location")}, {}, "no record", None),
        ({"p": record("__class__")}, {}, "refused", "record_invalid"),
        ({"p": record("filepath")}, {}, "refused", "record_invalid"),
        ({"p": "{"}, {}, "refused", "record_invalid"),
        ({"p": 3}, {}, "no record", None),
    ],
)
def test_without_a_sound_record_the_script_runs_and_the_question_says_so(
    start, host: Host, records: dict[str, Any], unrecorded: dict[str, str], says: str, code: str | None
) -> None:
    host.trial |= {"names": NAMES, "records": records, "unrecorded": unrecorded}
    result, payload = told_and_done(start, host)
    assert result["by_record"] is False and says in result["form"] and result.get("record_code") == code
    assert payload["code"] == GOOD and "record" not in payload


def test_a_record_counts_only_where_the_trial_does(start, host: Host) -> None:
    host.trial |= {"names": NAMES, "records": {"p": record("location")}}
    made = script()
    report = host.drive(start(plan=made, approve="ask", settings={"try_scripts": "never"}), decide=agree)
    assert report["status"] == "done" and only(host, "execute_step")["payload"]["code"] == GOOD
