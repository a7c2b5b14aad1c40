# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that call tools before they plan: every kind of reply has a defined result, and all calls are recorded."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import geonode_core
import pytest
from scripted_host import MOVE, Host, plan

PLAN = plan(*MOVE)


def call(name: str, arguments: Any = None, id: str = "") -> dict[str, Any]:
    return {"id": id or f"id-{name}", "name": name, "arguments": {} if arguments is None else arguments}


def calls(*made: dict[str, Any], text: str = "") -> dict[str, Any]:
    return {"tool_calls": list(made), "text": text}


def drive(start, host: Host, *replies: Any, decide: Any = None, **request: Any) -> dict[str, Any]:
    return host.drive(start("move it up", provider="replay", replies=list(replies), **request), decide=decide)


def code(step: dict[str, Any]) -> str | None:
    return None if step["ok"] else step["output"]["code"]


@pytest.fixture
def tool() -> Iterator[Any]:
    added: list[str] = []

    def add(id: str, **more: Any) -> None:
        geonode_core.register_tool(
            {
                "id": id,
                "description": "What the test wants.",
                "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}},
                "output_schema": {"type": "object", "required": ["said"]},
                "timeout_s": 5,
            }
            | more
        )
        added.append(id)

    yield add
    for id in added:
        assert geonode_core.unregister_tool(id)


def test_a_model_looks_things_up_and_plans(start, host: Host) -> None:
    looked = calls(
        call("modifier_stack", {"object_name": "Plane"}),
        call("node_docs", {"bl_idname": "GeometryNodeTransform"}),
        call("search_presets", '{"query": "scatter"}'),
        text="Let me look.",
    )
    report = drive(start, host, looked, PLAN)
    assert report["status"] == "done", report["messages"]
    assert report["attempts"] == 2
    steps = report["intermediate_steps"]
    assert [step["tool"] for step in steps] == ["modifier_stack", "node_docs", "search_presets"]
    assert [(step["turn"], step["ok"]) for step in steps] == [(1, True)] * 3
    assert steps[0]["output"] == {"object": "Plane", "modifiers": []}
    assert steps[1]["output"]["nodes"][0]["inputs"][0] == "geometry: Geometry"
    assert steps[2]["input"] == {"query": "scatter"} and "page" in steps[2]["output"]["presets"][0]
    assert host.done[:2] == ["capture_context", "call_tools"]
    asked = host.effects[1]
    assert [one["tool"] for one in asked["calls"]] == ["modifier_stack"]
    assert asked["target"] == {"object": "Plane", "node_group": None}
    told = [event for event in host.events if event["event"] == "tool"]
    assert [event["tool"] for event in told if event["status"] == "done"] == [step["tool"] for step in steps]
    assert sum(event["status"] == "running" for event in told) == 3


def test_no_host_is_needed_for_the_catalogue(start, host: Host) -> None:
    report = drive(start, host, calls(call("search_nodes", {"query": "transform"})), PLAN)
    assert report["status"] == "done"
    assert "call_tools" not in host.done


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call("make_coffee"), "unknown_tool"),
        (call("node_docs", '{"query": "tra'), "tool_validation_error"),
        (call("node_docs", [1]), "tool_validation_error"),
        (call("node_docs", {"bl_idname": 3}), "tool_validation_error"),
        (call("node_docs", {}), "tool_validation_error"),
        (call("node_docs", {"bl_idname": "GeometryNodeNothing"}), "unknown_node_type"),
        (call("read_result", {"ref": "r7"}), "unknown_reference"),
        (call("picture"), "unknown_tool"),
    ],
)
def test_a_wrong_call_goes_back_to_the_model(start, host: Host, made: dict[str, Any], expected: str) -> None:
    report = drive(start, host, calls(made), PLAN)
    assert report["status"] == "done", report["messages"]
    assert code(report["intermediate_steps"][0]) == expected
    assert ("tools", expected) in {(message["origin"], message["code"]) for message in report["messages"]}
    assert "call_tools" not in host.done


def test_fifty_calls_at_once_are_bounded(start, host: Host) -> None:
    many = [call("modifier_stack", {"object_name": f"O{n}"}, id="same") for n in range(50)]
    report = drive(start, host, calls(*many), PLAN)
    assert report["status"] == "done"
    codes = [code(step) for step in report["intermediate_steps"]]
    assert codes == [None] * 16 + ["tool_busy"] * 34
    assert len(host.effects[1]["calls"]) == 16


def test_a_model_that_never_plans_is_stopped(start, host: Host) -> None:
    replies = [calls(call("modifier_stack"))] * 9
    report = drive(start, host, *replies, settings={"max_iterations": 3})
    assert report["status"] == "error"
    assert report["messages"][0]["code"] == "iterations_exhausted"
    assert len(report["intermediate_steps"]) == 4
    assert "begin" not in host.done


def test_calls_between_two_turns_of_writing(start, host: Host) -> None:
    report = drive(start, host, plan(*MOVE, done=False), calls(call("modifier_stack")), plan(*MOVE))
    assert report["status"] == "done", report["messages"]
    assert report["intermediate_steps"][0]["output"]["modifiers"][0]["node_group"] == "Made"
    assert host.done.count("begin") == 1 and len(host.commits) == 1
    assert list(host.trees) == ["Made"]


def test_calls_are_ignored_when_tools_are_off(start, host: Host) -> None:
    said = calls(call("modifier_stack"), text=json.dumps(PLAN))
    report = drive(start, host, said, settings={"tools": False})
    assert report["status"] == "done", report["messages"]
    assert report["intermediate_steps"] == []


def test_slices_are_recorded_like_calls(start, host: Host) -> None:
    proposal = {
        "version": "1.1",
        "steps": [],
        "done": False,
        "final_message": "",
        "context_requests": [{"slice": "node_docs", "query": "transform"}],
    }
    report = drive(start, host, proposal, PLAN)
    (step,) = report["intermediate_steps"]
    assert (step["tool"], step["input"]["query"], step["ok"]) == ("node_docs", "transform", True)
    assert step["output"][0]["bl_idname"]


def test_a_tool_of_a_script(start, host: Host, tool) -> None:
    tool("count_rocks")
    tool("breaks")
    tool("lies")
    host.answers |= {
        "count_rocks": lambda arguments: {"said": arguments["n"] + 1},
        "lies": lambda arguments: {"other": 1},
    }
    report = drive(start, host, calls(call("count_rocks", {"n": 2}), call("breaks"), call("lies")), PLAN)
    assert report["status"] == "done"
    steps = report["intermediate_steps"]
    assert steps[0]["output"] == {"said": 3}
    assert [code(step) for step in steps] == [None, "internal_error", "return_invalid"]


def test_a_run_does_not_call_tools_that_write(start, host: Host, tool) -> None:
    tool("paint", writes=True)
    report = drive(start, host, calls(call("paint")), PLAN, approve="all")
    assert report["status"] == "done"
    assert code(report["intermediate_steps"][0]) == "tool_writes"
    assert "call_tools" not in host.done


@pytest.mark.parametrize("approved", [True, False])
def test_the_artist_decides_about_a_call(start, host: Host, tool, approved: bool) -> None:
    tool("look_close", requires_approval=True)
    host.answers["look_close"] = lambda arguments: {"said": 1}
    asked = []

    def decide(run: Any, effect: dict[str, Any]) -> None:
        asked.append(effect["request"])
        (run.approve if approved else run.reject)(effect["id"])

    made = calls(call("look_close", {"n": 4}), call("modifier_stack"))
    report = drive(start, host, made, PLAN, decide=decide, approve="ask")
    assert report["status"] == "done", report["messages"]
    assert asked[0]["tool"]["id"] == "look_close" and asked[0]["tool"]["input"] == {"n": 4}
    assert "look close" in asked[0]["reason"]
    codes = [code(step) for step in report["intermediate_steps"]]
    assert codes == [None if approved else "user_rejected", None], "the other calls are carried out"


def test_words_of_a_rejection_reach_the_model(start, host: Host, tool) -> None:
    tool("look_close", requires_approval=True)
    made = calls(call("look_close", {"n": 4}))
    report = drive(
        start,
        host,
        made,
        PLAN,
        decide=lambda run, effect: run.reject(effect["id"], "Only the left one."),
        approve="ask",
    )
    output = report["intermediate_steps"][0]["output"]
    assert output["code"] == "user_rejected" and "Only the left one." in output["message"]


def test_a_tool_of_a_script_has_its_quota(start, host: Host, tool) -> None:
    tool("count_rocks", quota=2)
    host.answers["count_rocks"] = lambda arguments: {"said": arguments["n"]}
    made = calls(*(call("count_rocks", {"n": n}, id=f"i{n}") for n in range(3)))
    report = drive(start, host, made, PLAN)
    assert [code(step) for step in report["intermediate_steps"]] == [None, None, "tool_quota"]


@pytest.mark.parametrize("strict", [True, False])
def test_rules_that_can_be_waived_and_their_counts(start, host: Host, tool, strict: bool) -> None:
    closed = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    for name in ("count_rocks", "lies"):
        tool(name, input_schema=closed)
    host.answers |= {"count_rocks": lambda arguments: {"said": arguments}, "lies": lambda arguments: {"other": 1}}
    made = calls(
        call("count_rocks", {"n": 1, "made_up": 2}), call("lies"), call("count_rocks", {"n": "x"}, id="b"), call("none")
    )
    report = drive(start, host, made, PLAN, settings={"strict_tools": strict})
    assert report["status"] == "done"
    codes = [code(step) for step in report["intermediate_steps"]]
    fatal = ["tool_validation_error", "unknown_tool"]
    assert codes == (["tool_validation_error", "return_invalid", *fatal] if strict else [None, None, *fatal])
    found = next(tally for tally in report["validation"] if tally["feature"] == "tools")
    assert (found["turn"], found["errors"], found["warnings"]) == (1, *((4, 0) if strict else (2, 2)))
    if not strict:
        assert report["intermediate_steps"][0]["output"] == {"said": {"n": 1}}, "the call is only warned about"
        waived = [message for message in report["messages"] if message["severity"] == "warning"]
        assert {message["code"] for message in waived} == {"tool_validation_error", "return_invalid"}


def test_without_an_artist_such_a_call_is_refused(start, host: Host, tool) -> None:
    tool("look_close", requires_approval=True)
    report = drive(start, host, calls(call("look_close")), PLAN)
    assert report["status"] == "done"
    assert code(report["intermediate_steps"][0]) == "approval_required"


def test_a_cancel_while_the_artist_is_asked(start, host: Host, tool) -> None:
    tool("look_close", requires_approval=True)
    made = calls(call("look_close"))
    report = drive(start, host, made, PLAN, decide=lambda run, effect: run.cancel(), approve="ask")
    assert report["status"] == "cancelled"


def test_invalid_tools_are_refused(tool) -> None:
    tool("mine")
    for wrong in (
        {"id": "mine"},
        {"id": "node_docs"},
        {"id": "No"},
        {"id": "x", "timeout_s": 0},
        {"id": "x", "input_schema": {}},
    ):
        with pytest.raises(geonode_core.ProtocolError) as caught:
            tool(**wrong)
        assert caught.value.code == "extension_invalid"
    listed = {entry["id"]: entry for entry in geonode_core.tools()}
    assert listed["mine"]["built_in"] is False and listed["mine"]["kind"] == "tool"
    assert listed["node_docs"]["built_in"] is True and listed["node_docs"]["runs"] == "core"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"max_run_tokens": 1}, "token_limit"),
        ({"max_run_cost": 0.00001, "input_price": 1, "output_price": 100}, "cost_limit"),
    ],
)
def test_a_spent_budget_ends_the_run_and_restores(start, host: Host, settings: dict, expected: str) -> None:
    before = json.dumps(host.trees)
    report = drive(start, host, plan(*MOVE, done=False), PLAN, settings=settings)
    assert report["status"] == "error"
    assert (report["messages"][0]["code"], report["messages"][0]["origin"]) == (expected, "run")
    assert json.dumps(host.trees) == before and "restore" in host.done


def test_a_limit_of_cost_needs_prices(start, host: Host) -> None:
    report = drive(start, host, PLAN, settings={"max_run_cost": 1})
    assert report["messages"][0]["code"] == "setting_invalid"


class Endpoint(ThreadingHTTPServer):
    """Chat Completions: answers with the next of `replies`, streamed or complete as requested."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[Any] = []
        self.asked: list[dict[str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    server: Endpoint
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Stays quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        reply = self.server.replies.pop(0)
        if "error" in reply:
            self._send(reply["status"], "application/json", json.dumps({"error": reply["error"]}))
        elif not body.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", **reply}, "finish_reason": "stop"}
            self._send(200, "application/json", json.dumps({"id": "c", "model": "small", "choices": [choice]}))
        else:
            self._send(200, "text/event-stream", "".join(f"data: {line}\n\n" for line in self._chunks(reply)))

    @staticmethod
    def _chunks(reply: dict[str, Any]) -> Iterator[str]:
        deltas: list[dict[str, Any]] = [{"content": reply["content"]}] if reply.get("content") else []
        for index, made in enumerate(reply.get("tool_calls", ())):
            function = made["function"]
            head = {"index": index, "id": made["id"], "type": "function"}
            deltas.append({"tool_calls": [head | {"function": {"name": function["name"], "arguments": ""}}]})
            for piece in (function["arguments"][:7], function["arguments"][7:]):
                deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        finish = "tool_calls" if "tool_calls" in reply else "stop"
        for delta in deltas:
            yield json.dumps({"id": "c", "model": "small", "choices": [{"index": 0, "delta": delta}]})
        yield json.dumps({"id": "c", "model": "small", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        yield "[DONE]"

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def ask(start, host: Host, endpoint: Endpoint, **request: Any) -> dict[str, Any]:
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    return host.drive(start("move it up", provider="openai-compatible", model="small", base_url=url, **request))


def native(name: str, arguments: str, id: str = "call_1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize("stream", [True, False])
def test_native_calls_are_sent_and_read_over_http(start, host: Host, endpoint: Endpoint, stream: bool) -> None:
    twice = [native("modifier_stack", "{}"), native("node_docs", '{"query": "transform"}', id="call_2")]
    endpoint.replies = [
        {"content": "I look first.", "tool_calls": twice},
        {"content": None, "tool_calls": [native("node_docs", '{ "query":"transform" }', id="call_3")]},
        {"content": json.dumps(PLAN)},
    ]
    report = ask(start, host, endpoint, settings={"stream": stream})
    assert report["status"] == "done", report["messages"]
    offered = [one["function"]["name"] for one in endpoint.asked[0]["tools"]]
    assert {"node_docs", "tree_ir", "read_result"} <= set(offered) and "picture" not in offered
    assert "# Tools" in endpoint.asked[0]["messages"][0]["content"]
    first = endpoint.asked[1]["messages"][2:]
    assert [message["role"] for message in first] == ["assistant", "tool", "tool"]
    assert first[0]["content"] == "I look first."
    assert [one["id"] for one in first[0]["tool_calls"]] == ["call_1", "call_2"]
    assert [message["tool_call_id"] for message in first[1:]] == ["call_1", "call_2"]
    assert json.loads(first[1]["content"]) == {"ok": True, "result": {"object": "Plane", "modifiers": []}}
    again = json.loads(endpoint.asked[2]["messages"][-1]["content"])
    assert again["ok"] and again["note"].startswith("You already have this result")
    assert [step["tool"] for step in report["intermediate_steps"]] == ["modifier_stack", "node_docs", "node_docs"]


def test_the_model_is_told_that_it_is_the_last_turn(start, host: Host, endpoint: Endpoint) -> None:
    endpoint.replies = [{"tool_calls": [native("modifier_stack", "{}")]}, {"content": json.dumps(PLAN)}]
    report = ask(start, host, endpoint, settings={"max_iterations": 1})
    assert report["status"] == "done", report["messages"]
    assert "No further call" in json.dumps(endpoint.asked[1]["messages"][-1])


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "registry/small does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice to be set'),
        (404, "No endpoints found that support tool use"),
    ],
)
def test_a_server_that_refuses_tools_is_asked_without(
    start, host: Host, endpoint: Endpoint, status: int, said: str
) -> None:
    refusal = {"status": status, "error": {"message": said, "type": "invalid_request_error"}}
    wrong = plan({"op": "create_node", "node_id": "a", "bl_idname": "GeometryNodeNothing"})
    endpoint.replies = [refusal, {"content": json.dumps(wrong)}, {"content": json.dumps(PLAN)}]
    report = ask(start, host, endpoint)
    assert report["status"] == "done", report["messages"]
    assert "capability_mismatch" in {m["code"] for m in report["messages"] if m["severity"] == "warning"}
    assert ["tools" in asked for asked in endpoint.asked] == [True, False, False], (
        "tools that the server refused once are not offered again"
    )


def test_another_refusal_is_not_repeated(start, host: Host, endpoint: Endpoint) -> None:
    endpoint.replies = [{"status": 400, "error": {"message": "the moon is wrong", "type": "invalid_request_error"}}]
    report = ask(start, host, endpoint)
    assert report["messages"][0]["code"] == "bad_request"
    assert len(endpoint.asked) == 1


def test_a_picture_goes_to_a_model_that_can_see(start, host: Host, endpoint: Endpoint) -> None:
    image = {"media_type": "image/png", "data": "QUJD"}
    host.answers["picture"] = lambda arguments: {"object": "Plane", "image": image, "width": 2, "height": 1}
    endpoint.replies = [{"tool_calls": [native("picture", "{}")]}, {"content": json.dumps(PLAN)}]
    report = ask(start, host, endpoint, settings={"send_pictures": True})
    assert report["status"] == "done", report["messages"]
    words, shown = endpoint.asked[1]["messages"][-2:]
    assert "QUJD" not in words["content"]
    assert shown["content"][0]["image_url"]["url"] == "data:image/png;base64,QUJD"
    assert report["intermediate_steps"][0]["output"]["image"] == {"media_type": "image/png", "bytes": 3}


def test_time_for_planning_ends_a_request_in_flight(start, host: Host) -> None:
    import socket
    import time

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        started = time.monotonic()
        run = start("x", provider="openai-compatible", model="m", base_url=url, settings={"max_run_s": 1})
        report = host.drive(run)
    assert report["messages"][0]["code"] == "run_timeout"
    assert 0.9 < time.monotonic() - started < 20
