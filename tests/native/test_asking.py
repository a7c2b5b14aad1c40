# SPDX-License-Identifier: GPL-3.0-or-later
"""What a server says about itself, before or by refusing, decides how it is asked: how long a request is, and whether
tools or a schema go with it.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import geonode_core
import pytest
from scripted_host import MOVE, Host, plan

PLAN = json.dumps(plan(*MOVE))
CALL = {
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "search_nodes", "arguments": '{"query": "transform"}'}}
    ]
}


class Server(ThreadingHTTPServer):
    """Refuses as `refusal(body)` says, else answers with the next of `replies`; keeps the bodies that it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.models: dict[str, Any] | None = None
        self.refusal: Any = lambda body: None
        self.replies: list[Any] = []
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    """Handles one request."""

    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""

    def do_GET(self) -> None:
        found = self.server.models is not None
        self.answer(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND, self.server.models or {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        refused = self.server.refusal(body)
        if refused is not None:
            return self.answer(HTTPStatus.BAD_REQUEST, {"error": refused})
        reply = self.server.replies.pop(0)
        message = {"role": "assistant", "content": reply} if isinstance(reply, str) else {"content": "", **reply}
        finish = "stop" if isinstance(reply, str) else "tool_calls"
        usage = {"prompt_tokens": len(json.dumps(body)) // 4, "completion_tokens": 9}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        self.answer(HTTPStatus.OK, {"model": "m", "choices": [choice], "usage": usage})

    def answer(self, status: HTTPStatus, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def server():
    made = Server()
    Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def ask(start, host: Host, server: Server, **request: Any) -> dict[str, Any]:
    settings = {"stream": False, "network_retries": 0} | request.pop("settings", {})
    return host.drive(
        start("move it up", provider="openai-compatible", model="m", base_url=server.url, settings=settings, **request)
    )


def length(body: dict[str, Any]) -> int:
    return sum(len(message["content"] or "") for message in body["messages"])


def shape(body: dict[str, Any]) -> tuple[bool, str | None, bool]:
    """Whether it has tools, their choice, and whether the reply is held to a schema."""
    return bool(body.get("tools")), body.get("tool_choice"), "response_format" in body


def codes(report: dict[str, Any]) -> list[str]:
    return [message["code"] for message in report["messages"]]


@pytest.mark.parametrize("context", [3072, 4096])
def test_a_refusal_with_a_length_is_answered_by_a_request_that_fits(
    start, host: Host, server: Server, context: int
) -> None:
    def refusal(body: dict[str, Any]) -> Any:
        if "tools" not in body and length(body) < context * 3:
            return None
        return {"code": 400, "message": "too long", "type": "exceed_context_size_error", "n_ctx": context}

    server.refusal, server.replies = refusal, [PLAN, PLAN]
    report = ask(start, host, server)
    assert report["status"] == "done", report["messages"]
    assert len(server.asked) == 2, "the refusal costs one more request"
    assert length(server.asked[1]) < length(server.asked[0])
    assert f"reads only about {context} tokens" in json.dumps(report["messages"])
    # The next run begins with what was learned.
    report = ask(start, Host(), server)
    assert report["status"] == "done" and len(server.asked) == 3


def test_a_refusal_without_a_length_is_answered_once(start, host: Host, server: Server) -> None:
    server.refusal = lambda body: {"message": "input is too long", "type": "invalid_request_error"}
    report = ask(start, host, server)
    assert report["status"] == "error" and "context_too_long" in codes(report)
    assert len(server.asked) == 2 and length(server.asked[1]) < length(server.asked[0])


def test_what_a_server_lists_is_known_before_the_first_request(start, host: Host, server: Server) -> None:
    server.models = {"data": [{"id": "x.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 4096}}]}
    server.replies = [PLAN]
    report = ask(start, host, server)
    assert report["status"] == "done", report["messages"]
    [body] = server.asked
    assert shape(body) == (False, None, True)
    assert length(body) < 4096 * 3


def test_a_server_that_is_not_allowed_is_asked_for_nothing(start, host: Host, server: Server) -> None:
    server.models = {"data": []}
    report = ask(start, host, server, egress=["https://example.com"])
    assert report["status"] == "error" and "egress_denied" in codes(report)
    assert not server.asked


def test_a_server_with_one_grammar_is_held_to_the_schema(start, host: Host, server: Server) -> None:
    server.models = {"data": [{"id": "x.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 32768}}]}
    server.replies = [PLAN]
    assert ask(start, host, server)["status"] == "done"
    [body] = server.asked
    assert shape(body) == (False, None, True)
    assert "context_requests" in json.dumps(body), "the model can ask for context in its plan"


SMALL = {"data": [{"id": "x.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 32768, "n_params": 134_515_008}}]}


def test_a_small_model_is_held_to_a_grammar(start, host: Host, server: Server) -> None:
    server.models, server.replies = SMALL, [PLAN]
    report = ask(start, host, server)
    assert report["status"] == "done", report["messages"]
    [body] = server.asked
    assert shape(body) == (False, None, False)
    assert body["grammar"].startswith("root ::= ") and "def move_it_up(" in body["grammar"]
    assert length(body) < 6_000, "little is said, since little can be answered"


def test_without_structured_output_nothing_is_held(start, host: Host, server: Server) -> None:
    server.models, server.replies = SMALL, [PLAN]
    assert ask(start, host, server, settings={"structured_output": False})["status"] == "done"
    [body] = server.asked
    assert "grammar" not in body and shape(body)[2] is False


def test_a_refused_grammar_costs_one_more_request(start, host: Host, server: Server) -> None:
    def refusal(body: dict[str, Any]) -> Any:
        return {"message": "failed to parse grammar"} if "grammar" in body else None

    server.models, server.refusal, server.replies = SMALL, refusal, [PLAN, PLAN]
    assert ask(start, host, server)["status"] == "done"
    assert ["grammar" in body for body in server.asked] == [True, False]
    # The next run is held to the schema, as with every other server.
    assert ask(start, Host(), server)["status"] == "done"
    assert "grammar" not in server.asked[2] and shape(server.asked[2])[2]


def test_one_grammar_is_learned_from_a_refusal(start, host: Host, server: Server) -> None:
    def refusal(body: dict[str, Any]) -> Any:
        both = body.get("tools") and "response_format" in body
        return {"message": "Cannot use custom grammar constraints with tools."} if both else None

    server.refusal, server.replies = refusal, [PLAN, PLAN]
    assert ask(start, host, server)["status"] == "done"
    assert [shape(body)[::2] for body in server.asked] == [(True, True), (True, False)]
    assert ask(start, Host(), server)["status"] == "done"
    assert [shape(body)[::2] for body in server.asked[2:]] == [(False, True)]


def test_after_the_last_turn_of_tools_none_may_be_called(start, host: Host, server: Server) -> None:
    server.replies = [CALL, CALL, PLAN]
    report = ask(start, host, server, settings={"max_iterations": 2})
    assert report["status"] == "done", report["messages"]
    assert [shape(body) for body in server.asked] == [(True, None, True)] * 2 + [(True, "none", True)]


def test_a_plan_that_is_refused_after_the_last_turn_may_not_call_either(start, host: Host, server: Server) -> None:
    server.replies = [CALL, "no plan", PLAN]
    report = ask(start, host, server, settings={"max_iterations": 1})
    assert report["status"] == "done", report["messages"]
    assert [shape(body)[1] for body in server.asked] == [None, "none", "none"]


def test_the_measured_result_and_repairs_go_back_to_the_model(start, host: Host, server: Server) -> None:
    """A plan that says `done: false` is measured; the model compares, mends or ends without further steps."""
    first = json.dumps(plan(*MOVE, done=False))[:-1] + ",}"
    end = {"version": "1.2", "steps": [], "done": True, "final_message": "It fits."}
    server.replies = [first, json.dumps(end)]
    report = ask(start, host, server)
    assert report["status"] == "done", report["messages"]
    assert report["final_message"] == "It fits."
    told = server.asked[1]["messages"][-1]["content"]
    _, _, result = told.partition("<result>")
    measured = json.loads(result.partition("</result>")[0])
    [plane] = measured["objects"]
    assert plane["object"] == "Plane" and plane["mesh"]["vertices"] > 0
    assert "recovered_trailing_comma" in told.partition("<repairs>")[2]


def test_a_reference_picture_goes_with_the_prompt(start, host: Host, server: Server) -> None:
    server.replies = [PLAN]
    report = ask(start, host, server, pictures=[{"media_type": "image/png", "data": "QUJD"}])
    assert report["status"] == "done", report["messages"]
    words, shown = server.asked[0]["messages"][-1]["content"][-2:]
    assert "with a picture as reference:\nmove it up" in words["text"]
    assert shown["image_url"]["url"] == "data:image/png;base64,QUJD"
    assert "QUJD" not in json.dumps([report, host.events])


@pytest.mark.parametrize(
    "pictures",
    [
        [{"media_type": "image/svg+xml", "data": "QUJD"}],
        [{"media_type": "image/png", "data": ""}],
        [{"media_type": "image/png", "data": "no base64!"}],
        [{"media_type": "image/png", "data": "QUJD"}] * 5,
    ],
)
def test_pictures_that_no_provider_takes_are_refused(start, pictures: list[dict[str, str]]) -> None:
    with pytest.raises(geonode_core.CoreError, match="at most 4"):
        start("x", pictures=pictures)


def test_pictures_that_nobody_looks_at_are_told(start, host: Host) -> None:
    report = host.drive(start("scatter 20 cubes on the plane", pictures=[{"media_type": "image/png", "data": "QUJD"}]))
    told = [message for message in report["messages"] if message["code"] == "pictures_unused"]
    assert [message["severity"] for message in told] == ["warning"], report["messages"]
