# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that are saved in one process and resumed in another, on a host without Blender."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import geonode_core
import pytest
from chat_server import Endpoint
from scripted_host import MOVE, Host, plan, socket

KEY = "sk-this-must-never-be-stored-1234567890"
BAD = plan({"op": "create_node", "node_id": "x", "bl_idname": "GeometryNodeNothing"})
BAD_TEXT, PLAN_TEXT = json.dumps(BAD), json.dumps(plan(*MOVE))
HIGHER = ({"op": "set_input_default", "node_id": "move", "socket": "Translation", "value": [0, 0, 5]},)
EMPTY = plan({"op": "remove_link", "from": socket("move", "Geometry"), "to": socket("group_output", "Geometry")})

RUNS: dict[str, dict[str, Any]] = {
    "direct": {"plan": plan(*MOVE)},
    "one reply": {"prompt": "lift it", "provider": "replay", "replies": [plan(*MOVE)]},
    "refused first": {"prompt": "lift it", "provider": "replay", "replies": [BAD, "no plan at all", plan(*MOVE)]},
    "two turns": {"prompt": "lift it", "provider": "replay", "replies": [plan(*MOVE, done=False), plan(*HIGHER)]},
    "asks": {"plan": plan(*MOVE, step={"requires_approval": True}), "approve": "ask"},
    "never right": {"prompt": "lift it", "provider": "replay", "replies": [BAD, BAD, BAD]},
    "cancelled": {"prompt": "lift it", "provider": "replay", "replies": [BAD, plan(*MOVE), plan(*MOVE)]},
}


NEW = ("budget", "cached", "taken", "called", "tool_steps")
"""What the second version of saved runs brought."""


def approve(run: Any, effect: dict[str, Any]) -> None:
    run.approve(effect["id"])


def turns(run: Any, host: Host, count: int) -> bool:
    """Carries out ``count`` effects; returns whether the run is still under way."""
    done = 0
    while done < count:
        run.wait(2000)
        turn = run.poll()
        for effect in turn["effects"]:
            host.carry_out(run, effect, approve)
            done += 1
        if turn["finished"]:
            return False
    return True


@pytest.mark.parametrize("name", RUNS)
def test_a_run_saved_after_any_effect_ends_as_if_undisturbed(start: Callable[..., Any], name: str) -> None:
    plain = Host()
    expected = plain.drive(start(**RUNS[name]), decide=approve)
    for count in range(40):
        first = Host()
        disk = copy.deepcopy((first.objects, first.trees))
        run = start(**RUNS[name], api_key=KEY)
        going = turns(run, first, count)
        saved = json.dumps(run.save())
        assert KEY not in saved
        del run
        # The file on the disk is as it was before the transaction.
        second = Host()
        second.objects, second.trees = disk if first.snapshot is not None else (first.objects, first.trees)
        second.made = first.made
        report = second.drive(geonode_core.Run.resume(saved), decide=approve)
        assert report["status"] == expected["status"], (count, report["messages"])
        assert (second.objects, second.trees) == (plain.objects, plain.trees), count
        assert second.snapshot is None
        assert report["final_message"] == expected["final_message"]
        if not going:
            break
    else:
        pytest.fail("the run never ended")


def test_an_ended_run_stays_ended_with_its_report(start: Callable[..., Any], host: Host) -> None:
    run = start(plan=plan(*MOVE))
    expected = host.drive(run)
    again = geonode_core.Run.resume(run.save())
    fresh = Host()
    report = fresh.drive(again)
    assert fresh.done == []
    for field in ("status", "steps", "diff", "plan", "messages", "gates", "final_message", "attempts"):
        assert report[field] == expected[field], field


def test_lost_turns_are_reported(start: Callable[..., Any], host: Host) -> None:
    run = start(**RUNS["two turns"])
    assert turns(run, host, 9)
    report = Host().drive(geonode_core.Run.resume(run.save()))
    assert report["status"] == "done"
    assert "turns_lost" in {message["code"] for message in report["messages"]}


def saved_halfway(start: Callable[..., Any], server: Endpoint, replies: list[str], **request: Any) -> dict[str, Any]:
    """The saved state of a run after the first of its replies, which was not usable."""
    server.replies = [replies[0], "hang"]
    settings = {"input_price": 2.0, "output_price": 10.0} | request.pop("settings", {})
    base = {"provider": "openai-compatible", "model": "small", "base_url": server.url, "api_key": KEY}
    run, host = start("lift it", settings=settings, **base, **request), Host()
    while len(server.asked) < 2:
        run.wait(50)
        for effect in run.poll()["effects"]:
            host.carry_out(run, effect, approve)
    saved = run.save()
    run.cancel()
    host.drive(run)
    server.asked.clear()
    server.replies = replies[1:]
    return saved


def test_usage_before_the_save_is_counted(start, endpoint: Endpoint) -> None:
    saved = saved_halfway(start, endpoint, [BAD_TEXT, PLAN_TEXT])
    # The endpoint counts 100 in and 20 out for each.
    each = 100 * 2e-6 + 20 * 1e-5
    report = Host().drive(geonode_core.Run.resume(copy.deepcopy(saved), {"api_key": KEY}))
    assert report["status"] == "done", report["messages"]
    assert report["usage"]["input_tokens"] == 200 and report["usage"]["output_tokens"] == 40
    assert report["usage"]["cost_usd"] == pytest.approx(2 * each)
    assert len(report["requests"]) >= 2
    # Limits of the run hold over all of it.
    for limit in ({"max_run_tokens": 120}, {"max_run_cost": each}):
        bounded = copy.deepcopy(saved)
        bounded["request"]["settings"] |= limit
        endpoint.replies = [PLAN_TEXT]
        report = Host().drive(geonode_core.Run.resume(bounded, {"api_key": KEY}))
        assert {message["code"] for message in report["messages"]} & {"token_limit", "cost_limit"}, report["messages"]


def test_quotas_continue_in_another_process(start, endpoint: Endpoint) -> None:
    saved = saved_halfway(start, endpoint, [BAD_TEXT, PLAN_TEXT])
    taken = saved["work"]["taken"]
    assert [request["tokens"] for request in taken["requests"]] == [120]
    saved["request"]["settings"]["max_tokens_per_day"] = 1_000_000_000
    here, elsewhere = copy.deepcopy(saved), copy.deepcopy(saved)
    elsewhere["work"]["taken"] = taken | {
        "process": "another",
        "requests": [taken["requests"][0] | {"tokens": 999_999_999}],
    }
    for document, code in ((here, None), (elsewhere, "request_quota")):
        endpoint.replies = [PLAN_TEXT]
        report = Host().drive(geonode_core.Run.resume(document, {"api_key": KEY}))
        assert (report["status"] == "done") == (code is None), report["messages"]
        assert code is None or code in {message["code"] for message in report["messages"]}


def test_a_run_of_the_first_version_is_resumed(start, endpoint: Endpoint) -> None:
    saved = saved_halfway(start, endpoint, [BAD_TEXT, PLAN_TEXT])
    saved["geonode_run"] = 1
    del saved["requests"]
    for key in NEW:
        del saved["work"][key]
    report = Host().drive(geonode_core.Run.resume(saved, {"api_key": KEY}))
    assert report["status"] == "done", report["messages"]
    assert report["usage"]["cost_usd"] == pytest.approx(100 * 2e-6 + 20 * 1e-5)


def test_an_approval_counts_only_for_the_scene_that_was_shown(start: Callable[..., Any]) -> None:
    host = Host()
    run = start(**RUNS["asks"])
    asked = []
    while not asked:
        run.wait(2000)
        for effect in run.poll()["effects"]:
            if effect["effect"] == "ask_approval":
                asked.append(effect)
                run.approve(effect["id"])
            else:
                host.carry_out(run, effect)
    saved = run.save()
    while saved["state"]["phase"] != {"inspecting": "approved"}:
        run.wait(10)
        saved = run.save()
    same, changed = Host(), Host()
    changed.objects["Plane"]["modifiers"].append({"name": "Other", "type": "SUBSURF", "node_group": None, "inputs": {}})
    for scene, again in ((same, 0), (changed, 1)):
        report = scene.drive(geonode_core.Run.resume(copy.deepcopy(saved)), decide=approve)
        assert report["status"] == "done", report["messages"]
        assert scene.done.count("ask_approval") == again


def test_an_address_with_a_key_in_it_is_not_stored(start: Callable[..., Any]) -> None:
    address = f"http://127.0.0.1:1/v1?key={KEY}"
    run = start("x", provider="openai-compatible", model="m", base_url=address, api_key=KEY)
    assert KEY not in json.dumps(run.save())
    run.cancel()


def damaged_copies(saved: dict[str, Any]) -> list[tuple[str, Any]]:
    text = json.dumps(saved)
    broken: list[tuple[str, Any]] = [
        ("empty", ""),
        ("no object", "[]"),
        ("cut", text[: len(text) // 2]),
        ("not json", "{]"),
        ("another thing", {"version": "1.1", "steps": []}),
        ("newer", saved | {"geonode_run": 3}),
        ("no version", {key: value for key, value in saved.items() if key != "geonode_run"}),
        ("more", saved | {"extra": 1}),
        ("deep", '{"geonode_run":1,"request":' + "[" * 5000),
    ]
    broken += [(f"no {key}", {k: v for k, v in saved.items() if k != key}) for key in saved]
    state = saved["state"]
    broken += [(f"no state.{key}", saved | {"state": {k: v for k, v in state.items() if k != key}}) for key in state]
    work = saved["work"]
    broken += [(f"no work.{key}", saved | {"work": {k: v for k, v in work.items() if k != key}}) for key in NEW]
    broken.append(("no reply", saved | {"work": saved["work"] | {"reply": None}}))
    broken.append(("counter", saved | {"state": state | {"attempts": 4294967295}}))
    return broken


def test_damaged_saved_runs_are_refused_with_a_code(start: Callable[..., Any], host: Host) -> None:
    run = start(**RUNS["one reply"])
    assert turns(run, host, 2)
    saved = run.save()
    # Without these it is what an earlier moment of the run would have saved.
    optional = {"agreed", "approval", "awaiting", "base", "baseline", "doubted", "feedback", "gates", "outcome", "plan"}
    optional |= {"tool_asks", "told_of", "refused_calls"}
    for name, broken in damaged_copies(saved):
        if name.removeprefix("no state.") in optional:
            continue
        with pytest.raises(geonode_core.ProtocolError) as caught:
            geonode_core.Run.resume(broken)
        assert caught.value.code == "saved_run_invalid", name
    with pytest.raises(geonode_core.ProtocolError) as caught:
        geonode_core.Run.resume(saved, {"prompt": "something else"})
    assert caught.value.code == "body_invalid"
