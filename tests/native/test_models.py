# SPDX-License-Identifier: GPL-3.0-or-later
"""The known properties of a model decide what a request contains and what it costs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import geonode_core
import pytest
from chat_server import Endpoint
from scripted_host import MOVE, Host, plan

PLAN = json.dumps(plan(*MOVE))


def ask(start: Callable[..., Any], server: Endpoint, model: str, **request: Any) -> Any:
    return start(
        "move it up", provider="openai-compatible", model=model, base_url=server.url, api_key="sk-test", **request
    )


def codes(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(message["code"], message["severity"]) for message in report["messages"]]


def test_the_registry_is_data() -> None:
    models = geonode_core.known_models()
    assert len(models) >= 30
    known = {(model["provider"], name): model for model in models for name in model["ids"]}
    assert known["openai", "gpt-4o"]["prices"]["input"] == 2.5
    assert known["openai", "gpt-5.6"]["prices"] is None


def test_a_request_is_announced_before_and_counted_after_sending(start, host: Host, endpoint: Endpoint) -> None:
    endpoint.replies = [PLAN]
    settings = {"input_price": 2.0, "output_price": 10.0}
    report = host.drive(ask(start, endpoint, "small", settings=settings))
    assert report["status"] == "done", report["messages"]
    (told,) = [event for event in host.events if event["event"] == "request"]
    assert told["input_tokens"] > 1000
    assert told["cost_usd"] == pytest.approx(told["input_tokens"] * 2e-6)
    assert report["requests"] == [{key: value for key, value in told.items() if key != "event"}]
    # The endpoint counts 100 in and 20 out.
    assert report["usage"]["cost_usd"] == pytest.approx(100 * 2e-6 + 20 * 1e-5)
    assert report["usage"]["cached"] == 0


def test_unknown_properties_of_a_model_stay_unknown(start, host: Host, endpoint: Endpoint) -> None:
    endpoint.replies, endpoint.read_tokens = [PLAN], 9_000
    report = host.drive(ask(start, endpoint, "small"))
    assert report["status"] == "done"
    assert codes(report) == [("unknown_model", "info")]
    assert report["usage"]["cost_usd"] is None
    assert report["requests"][0]["cost_usd"] is None


def test_a_limit_of_cost_needs_a_price(start, host: Host, endpoint: Endpoint) -> None:
    report = host.drive(ask(start, endpoint, "small", settings={"max_run_cost": 1}))
    assert codes(report)[0] == ("setting_invalid", "error")
    assert not endpoint.asked
    listed = start("x", provider="openai", model="gpt-4o", api_key="sk-test", settings={"max_run_cost": 1})
    listed.cancel()
    assert all(code != "setting_invalid" for code, _ in codes(host.drive(listed)))


def test_a_model_without_vision_gets_no_pictures(start, host: Host, endpoint: Endpoint) -> None:
    endpoint.replies, endpoint.read_tokens = [PLAN, PLAN], 9_000
    report = host.drive(ask(start, endpoint, "llama3.1:8b", settings={"send_pictures": True}))
    assert report["status"] == "done", report["messages"]
    assert codes(report) == [("capability_mismatch", "warning")]
    offered = [tool["function"]["name"] for tool in endpoint.asked[0]["tools"]]
    assert offered and "picture" not in offered


def test_unavailable_streaming_is_reported_once(start, host: Host, endpoint: Endpoint) -> None:
    reply = {"choices": [{"message": {"content": PLAN}, "finish_reason": "stop"}], "model": "small"}
    endpoint.replies = [{"json": reply}]
    report = host.drive(ask(start, endpoint, "small", settings={"stream": False}))
    assert report["status"] == "done", report["messages"]
    assert codes(report).count(("streaming_disabled_provider", "info")) == 1
    assert "stream" not in endpoint.asked[0]
    assert report["requests"][0]["stream"] is False
