# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that are saved in one place and taken up in another, on a host without Blender."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import geonode_core
import pytest
from scripted_host import MOVE, Host, plan, socket

KEY = "sk-this-must-never-be-stored-1234567890"
BAD = plan({"op": "create_node", "node_id": "x", "bl_idname": "GeometryNodeNothing"})
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


def approve(run: Any, effect: dict[str, Any]) -> None:
    run.approve(effect["id"])


def turns(run: Any, host: Host, count: int) -> bool:
    """Carries out ``count`` effects; whether the run is still under way."""
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


def test_lost_turns_are_told(start: Callable[..., Any], host: Host) -> None:
    run = start(**RUNS["two turns"])
    assert turns(run, host, 9)
    report = Host().drive(geonode_core.Run.resume(run.save()))
    assert report["status"] == "done"
    assert "turns_lost" in {message["code"] for message in report["messages"]}


def test_an_agreement_counts_only_for_the_scene_it_was_about(start: Callable[..., Any]) -> None:
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


def damaged(saved: dict[str, Any]) -> list[tuple[str, Any]]:
    text = json.dumps(saved)
    broken: list[tuple[str, Any]] = [
        ("empty", ""),
        ("no object", "[]"),
        ("cut", text[: len(text) // 2]),
        ("not json", "{]"),
        ("another thing", {"version": "1.1", "steps": []}),
        ("newer", saved | {"geonode_run": 2}),
        ("no version", {key: value for key, value in saved.items() if key != "geonode_run"}),
        ("more", saved | {"extra": 1}),
        ("deep", '{"geonode_run":1,"request":' + "[" * 5000),
    ]
    broken += [(f"no {key}", {k: v for k, v in saved.items() if k != key}) for key in saved]
    state = saved["state"]
    broken += [(f"no state.{key}", saved | {"state": {k: v for k, v in state.items() if k != key}}) for key in state]
    broken.append(("no reply", saved | {"work": saved["work"] | {"reply": None}}))
    broken.append(("counter", saved | {"state": state | {"attempts": 4294967295}}))
    return broken


def test_what_is_damaged_is_refused_and_says_so(start: Callable[..., Any], host: Host) -> None:
    run = start(**RUNS["one reply"])
    assert turns(run, host, 2)
    saved = run.save()
    # Without these it is what an earlier moment of the run would have saved.
    optional = {"agreed", "approval", "awaiting", "base", "baseline", "feedback", "gates", "outcome", "plan"}
    optional |= {"tool_asks", "refused_calls"}
    for name, broken in damaged(saved):
        if name.removeprefix("no state.") in optional:
            continue
        with pytest.raises(geonode_core.ProtocolError) as caught:
            geonode_core.Run.resume(broken)
        assert caught.value.code == "saved_run_invalid", name
    with pytest.raises(geonode_core.ProtocolError) as caught:
        geonode_core.Run.resume(saved, {"prompt": "something else"})
    assert caught.value.code == "body_invalid"
