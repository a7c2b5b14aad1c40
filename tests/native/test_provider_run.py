# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs against a server on this machine that answers Chat Completions correctly or incorrectly."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest
from chat_server import Endpoint, ask
from scripted_host import MOVE, Host, plan


def test_a_model_plans(start, host: Host, endpoint: Endpoint) -> None:
    endpoint.replies = [json.dumps(plan(*MOVE))]
    report = host.drive(ask(start, endpoint))
    assert report["status"] == "done", report["messages"]
    assert report["model"] == "small"
    assert report["usage"]["input_tokens"] == 100
    text = "".join(event["text"] for event in host.events if event["event"] == "text")
    assert json.loads(text) == plan(*MOVE)
    asked = json.dumps(endpoint.asked[0])
    assert "move it up" in asked
    assert "Plane" in asked
    assert "sk-test" not in json.dumps([report, host.events, host.effects])


def planned_steps(events: list[dict[str, Any]]) -> list[Any]:
    """The IDs of steps reported while they arrived, and the turn number of each request."""
    told = [event for event in events if event["event"] == "request" or event.get("status") == "planned"]
    return [event.get("step_id", event.get("turn")) for event in told]


def test_steps_are_reported_while_they_arrive(start, host: Host, endpoint: Endpoint) -> None:
    wrong = plan({"op": "create_node", "node_id": "a", "bl_idname": "GeometryNodeTransfrom"})
    right = plan(*MOVE)
    right["steps"][0] |= {"id": "lift", "description": "Lift ✨ the plane"}
    endpoint.replies = [f"Here you are:\n{json.dumps(wrong)}", json.dumps(right)]
    report = host.drive(ask(start, endpoint))
    assert report["status"] == "done", report["messages"]
    assert planned_steps(host.events) == [1, "s1", 2, "lift"]
    told = [event for event in host.events if event.get("step_id") == "lift"]
    assert [event["status"] for event in told] == ["planned", "running", "done"]
    assert (told[0]["action_type"], told[0]["message"]) == ("NODE_TREE", "Lift ✨ the plane")


def test_steps_are_reported_up_to_the_limit(start, host: Host, endpoint: Endpoint) -> None:
    endless = plan(*MOVE)
    endless["steps"] *= 2000
    endpoint.replies = [json.dumps(endless)]
    report = host.drive(ask(start, endpoint, settings={"retries": 0}))
    assert report["status"] == "error"
    assert len(planned_steps(host.events)) == 1 + 25


def test_the_model_gets_the_findings(start, host: Host, endpoint: Endpoint) -> None:
    wrong = plan({"op": "create_node", "node_id": "a", "bl_idname": "GeometryNodeTransfrom"})
    endpoint.replies = [json.dumps(wrong), json.dumps(plan(*MOVE))]
    report = host.drive(ask(start, endpoint))
    assert report["status"] == "done", report["messages"]
    assert report["usage"]["input_tokens"] == 200
    roles = [message["role"] for message in endpoint.asked[1]["messages"] if message["role"] != "system"]
    assert roles == ["user", "assistant", "user"]
    told = endpoint.asked[1]["messages"][-1]["content"]
    assert "unknown_node_type" in told
    assert "GeometryNodeTransform" in told


@pytest.mark.parametrize("reply", ["hang"])
def test_cancel_ends_a_request_in_flight(start, host: Host, endpoint: Endpoint, reply: str) -> None:
    endpoint.replies = [reply]
    run = ask(start, endpoint)
    threading.Thread(target=lambda: (endpoint.busy.wait(10), run.cancel())).start()
    started = time.monotonic()
    report = host.drive(run)
    assert report["status"] == "cancelled"
    assert time.monotonic() - started < 10
    assert host.done == ["capture_context"]


@pytest.mark.parametrize("settings", [{"timeout_s": 1}, {"timeout_s": 90, "local_timeout_s": 1}], ids=["any", "local"])
def test_a_slow_endpoint_times_out(start, host: Host, endpoint: Endpoint, settings: dict[str, int]) -> None:
    endpoint.replies = ["hang"]
    report = host.drive(ask(start, endpoint, settings={**settings, "network_retries": 0}))
    assert report["messages"][0]["code"] == "timeout"


def test_a_web_page_is_not_accepted_as_an_endpoint(start, host: Host, endpoint: Endpoint) -> None:
    endpoint.replies = ["html"] * 3
    report = host.drive(ask(start, endpoint))
    assert report["messages"][0]["code"] == "bad_response"
    assert len(endpoint.asked) == 1


def test_a_closed_port_is_reported(start, host: Host) -> None:
    run = start("x", provider="openai-compatible", base_url="http://127.0.0.1:9/v1", settings={"network_retries": 0})
    report = host.drive(run)
    assert report["messages"][0]["code"] == "network"
    assert "127.0.0.1:9" in report["messages"][0]["text"]


@pytest.mark.parametrize(
    ("approve", "python", "offered"),
    [("ask", "safe", True), ("all", "trusted", True), ("none", "safe", False), ("ask", "off", False)],
)
def test_a_model_is_taught_scripts_only_if_they_may_run(
    start, host: Host, endpoint: Endpoint, approve: str, python: str, offered: bool
) -> None:
    endpoint.replies = [json.dumps(plan(*MOVE))]
    request = {"provider": "openai-compatible", "model": "small", "base_url": endpoint.url, "approve": approve}
    report = host.drive(start("lift it", **request, settings={"python": python}))
    assert report["status"] == "done", report["messages"]
    [system] = [one["content"] for one in endpoint.asked[0]["messages"] if one["role"] == "system"]
    assert ("`bpy.ops` only of" in system and '"timeout_ms"?' in system) == offered
    assert (" script" in system) == offered and ("PYTHON" in json.dumps(endpoint.asked[0])) == offered
    assert len(system) < 40_000
