# SPDX-License-Identifier: GPL-3.0-or-later
"""Telemetry of a run: times and counts, and no data of the artist."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import geonode_core
import pytest
from scripted_host import MOVE, Host, plan

PROMPT = "lift the secretive pyramid of Doctor Nobody"
BAD = plan({"op": "create_node", "node_id": "x", "bl_idname": "GeometryNodeNothing"})


def vanish(evidence: dict[str, Any]) -> None:
    """Makes the result empty."""
    for measured in evidence["objects"]:
        measured["evaluated"]["mesh"] = {"vertices": 0, "edges": 0, "faces": 0}


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    geonode_core.reset_telemetry()
    yield
    geonode_core.reset_telemetry()


def test_each_task_has_a_span_under_the_run(start: Callable[..., Any], host: Host) -> None:
    report = host.drive(start(PROMPT, provider="replay", replies=[BAD, plan(*MOVE)]))
    spans = report["telemetry"]["spans"]
    assert [span["span"] for span in spans if span["parent"] == "run"] == [
        *("capture_context", "generate", "check_plan", "inspect", "compile", "generate", "check_plan", "inspect"),
        *("compile", "begin", "apply_step", "verify", "judge", "commit"),
    ]
    run = spans[-1]
    assert (run["span"], run["parent"], run["attributes"]["status"]) == ("run", None, "done")
    tasks = [span for span in spans if span["parent"] == "run"]
    assert sum(span["ms"] for span in tasks) <= run["ms"] + 1
    assert all(span["ms"] >= 0 and span["started_at"] > 1.6e9 for span in spans)
    assert [span["attributes"]["attempt"] for span in tasks if span["span"] == "generate"] == [1, 2]


def test_calls_of_tools_are_counted(start: Callable[..., Any], host: Host) -> None:
    looks = [{"id": name, "name": name, "arguments": {}} for name in ("scene_summary", "modifier_stack")]
    report = host.drive(start(PROMPT, provider="replay", replies=[{"tool_calls": looks}, plan(*MOVE)]))
    assert report["status"] == "done", report["messages"]
    assert len(report["intermediate_steps"]) == 2
    assert geonode_core.telemetry()["tool_calls"] == 2


def test_the_time_of_the_host_is_a_child_of_its_task(start: Callable[..., Any], host: Host) -> None:
    run = start(plan=plan(*MOVE))
    finished = False
    while not finished:
        run.wait(1000)
        turn = run.poll()
        for effect in turn["effects"]:
            run.answer(effect["id"], getattr(host, effect["effect"])(effect), 12.5)
        finished = turn["finished"]
    own = [span for span in run.report()["telemetry"]["spans"] if span["span"] == "host"]
    assert [span["parent"] for span in own] == ["inspect", "begin", "apply_step", "verify", "commit"]
    assert {span["ms"] for span in own} == {12.5}


def test_telemetry_contains_no_data_of_the_artist(start: Callable[..., Any], host: Host) -> None:
    made = plan(*MOVE, step={"id": "pyramid_of_nobody"})
    key = "sk-never-to-be-seen-1234567890"
    report = host.drive(start(PROMPT, provider="replay", replies=["pyramid", made], api_key=key))
    assert report["status"] == "done"
    text = json.dumps([report["telemetry"], geonode_core.telemetry()])
    for word in (key, "pyramid", "Nobody", "Plane", "Made", "Nodes", "move", "lift"):
        assert word not in text, word


def test_counters_over_runs(start: Callable[..., Any]) -> None:
    Host().drive(start(PROMPT, provider="replay", replies=[BAD, plan(*MOVE)]))
    Host().drive(start(PROMPT, provider="replay", replies=[BAD] * 3))
    barren = Host()
    barren.change_evidence = vanish
    barren.drive(start(plan=plan(*MOVE)))
    counted = geonode_core.telemetry()
    assert counted["runs"] == {"done": 1, "error": 2}
    assert counted["retries"] == 3
    assert counted["gate_failures"] == {"NOT_EMPTY": 1}
    generate = counted["spans"]["generate"]
    assert generate["count"] == 5
    assert 0 <= generate["p50_ms"] <= generate["p95_ms"] <= generate["max_ms"]
    geonode_core.reset_telemetry()
    assert geonode_core.telemetry()["runs"] == {}


def test_nothing_is_collected_when_telemetry_is_off(start: Callable[..., Any], host: Host) -> None:
    report = host.drive(start(PROMPT, provider="replay", replies=[BAD, plan(*MOVE)], settings={"telemetry": False}))
    assert report["status"] == "done"
    assert report["telemetry"] is None
    counted = geonode_core.telemetry()
    assert (counted["runs"], counted["spans"], counted["gate_failures"], counted["retries"]) == ({}, {}, {}, 0)
