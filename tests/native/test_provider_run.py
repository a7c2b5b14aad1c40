# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs against a server on this machine that speaks Chat Completions, well or badly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from scripted_host import MOVE, Host, plan


class Endpoint(ThreadingHTTPServer):
    """Answers each request by the next of `replies`; keeps what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[Any] = []
        self.asked: list[dict[str, Any]] = []
        self.busy = threading.Event()
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Endpoint
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Stays quiet."""

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        reply = self.server.replies.pop(0)
        self.server.busy.set()
        if reply == "html":
            self._send("text/html", b"<!doctype html><p>Welcome!")
        elif reply == "hang":
            self.server.release.wait(30)
        elif isinstance(reply, dict):
            self._send("application/json", json.dumps(reply["json"]).encode())
        else:
            self._stream(reply)

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, text: str) -> None:
        chunks = [{"delta": {"role": "assistant"}}]
        chunks += [{"delta": {"content": text[i : i + 500]}} for i in range(0, len(text), 500)]
        chunks += [{"delta": {}, "finish_reason": "stop"}]
        lines = [json.dumps({"id": "c", "model": "small", "choices": [{"index": 0, **chunk}]}) for chunk in chunks]
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        lines.append(json.dumps({"id": "c", "model": "small", "choices": [], "usage": usage}))
        body = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()
        self._send("text/event-stream", body)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()


def ask(start, endpoint: Endpoint, **request: Any) -> Any:
    return start(
        "move it up", provider="openai-compatible", model="small", base_url=endpoint.url, api_key="sk-test", **request
    )


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


def planned(events: list[dict[str, Any]]) -> list[Any]:
    """Steps as they were told while they arrived; a number where a model was asked."""
    told = [event for event in events if event["event"] == "request" or event.get("status") == "planned"]
    return [event.get("step_id", event.get("turn")) for event in told]


def test_steps_are_reported_while_they_arrive(start, host: Host, endpoint: Endpoint) -> None:
    wrong = plan({"op": "create_node", "node_id": "a", "bl_idname": "GeometryNodeTransfrom"})
    right = plan(*MOVE)
    right["steps"][0] |= {"id": "lift", "description": "Lift ✨ the plane"}
    endpoint.replies = [f"Here you are:\n{json.dumps(wrong)}", json.dumps(right)]
    report = host.drive(ask(start, endpoint))
    assert report["status"] == "done", report["messages"]
    assert planned(host.events) == [1, "s1", 2, "lift"]
    told = [event for event in host.events if event.get("step_id") == "lift"]
    assert [event["status"] for event in told] == ["planned", "running", "done"]
    assert (told[0]["action_type"], told[0]["message"]) == ("NODE_TREE", "Lift ✨ the plane")


def test_steps_are_reported_up_to_the_limit(start, host: Host, endpoint: Endpoint) -> None:
    endless = plan(*MOVE)
    endless["steps"] *= 2000
    endpoint.replies = [json.dumps(endless)]
    report = host.drive(ask(start, endpoint, settings={"retries": 0}))
    assert report["status"] == "error"
    assert len(planned(host.events)) == 1 + 25


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


def test_a_slow_endpoint_times_out(start, host: Host, endpoint: Endpoint) -> None:
    endpoint.replies = ["hang"]
    report = host.drive(ask(start, endpoint, settings={"timeout_s": 1, "network_retries": 0}))
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
    assert ("PYTHON are refused here" in system) != offered
    assert len(system) < 40_000
