# SPDX-License-Identifier: GPL-3.0-or-later
"""Testing a connection, and finding servers on this machine."""

from __future__ import annotations

import json
import socket
import threading
import time

import bpy
import geonode_assistant
import geonode_core
import pytest
from geonode_assistant import api
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import choices, connection
from geonode_assistant.ui import preferences
from servers import page, server

MODELS = json.dumps({"data": [{"id": "small"}, {"id": "qwen3:8b"}]})
CHAT = json.dumps({"model": "small-1", "choices": [{"message": {"content": "ready"}, "finish_reason": "stop"}]})


def answer(status: str, body: str) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close"
    return f"{head}\r\n\r\n{body}".encode()


def model_server(chat: bytes = answer("200 OK", CHAT)) -> tuple[str, threading.Event]:
    """Starts a server that lists two models and answers a chat; returns its URL and the event that ends it."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def serve() -> None:
        listener.settimeout(0.1)
        while not ended.is_set():
            try:
                peer, _ = listener.accept()
            except TimeoutError:
                continue
            with peer:
                peer.settimeout(2)
                asked = peer.recv(1 << 16)
                peer.sendall(answer("200 OK", MODELS) if asked.startswith(b"GET") else chat)
        listener.close()

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/v1", ended


@pytest.fixture
def model_url():
    url, ended = model_server()
    yield url
    ended.set()


def ask(url: str | None, model: str | None = "small", provider: str = "openai-compatible") -> connection.Outcome:
    return api.test_connection(provider, model, base_url=url)


def test_a_server_that_answers(model_url: str) -> None:
    outcome = ask(model_url)
    assert outcome.ok, outcome
    assert outcome.models == ("small", "qwen3:8b")
    assert "small-1" in outcome.text


def test_a_model_that_is_not_offered_is_named_with_the_nearest(model_url: str) -> None:
    outcome = ask(model_url, "qwen3-8b")
    assert (outcome.ok, outcome.code) == (False, "unknown_model")
    assert "“qwen3:8b”" in outcome.hint


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (answer("401 No", '{"error": {"message": "bad key"}}'), "auth_failed"),
        (answer("402 Pay", '{"error": {"message": "no credit"}}'), "quota_exhausted"),
        (answer("503 Busy", '{"error": {"message": "busy"}}'), "overloaded"),
        (page(), "bad_response"),
    ],
)
def test_each_failure_is_reported_with_its_fix(reply: bytes, code: str) -> None:
    with server(reply) as url:
        outcome = ask(url)
    assert (outcome.ok, outcome.code) == (False, code), outcome
    assert outcome.hint


def test_no_server_at_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    outcome = ask(f"http://127.0.0.1:{port}/v1")
    assert (outcome.ok, outcome.code) == (False, "network")
    assert "running" in outcome.hint
    assert ask("http://example.com/v1").code == "insecure_url"


def test_without_a_key_and_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert ask(None, "m", "openai").code == "auth_missing"
    assert ask(None, None, "offline").ok
    with pytest.raises(AssistantError) as caught:
        api.test_connection("openai", "m", key_variable="GEONODE_TEST_NO_SUCH_KEY")
    assert caught.value.code == "auth_missing"


def test_a_test_is_cancelled_and_leaves_no_thread() -> None:
    with server(None) as url:
        check = api.begin_connection_test("openai-compatible", "m", base_url=url)
        time.sleep(0.2)
        assert not check.finished
        started = time.monotonic()
        check.cancel()
        assert time.monotonic() - started < 5
        assert check.finished
        assert check.result().code == "cancelled"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("geonode-check")]


def test_a_window_stops_it_without_waiting() -> None:
    with server(None) as url:
        check = api.begin_connection_test("openai-compatible", "m", base_url=url)
        deadline = time.monotonic() + 20
        while not check.finished and time.monotonic() < deadline:
            check.stop()
            time.sleep(0.02)
        assert check.finished
        assert check.result().code == "cancelled"


def test_local_servers_are_found_by_their_ports(model_url: str) -> None:
    port = int(model_url.split(":")[2].split("/")[0])
    with server(page()) as other, socket.create_server(("127.0.0.1", 0)) as free:
        web = int(other.split(":")[2].split("/")[0])
        silent = free.getsockname()[1]
        started = time.monotonic()
        found = connection.find_local(geonode_core, {"Ollama": port, "vLLM": web, "llama.cpp": silent}).result()
    assert found == [connection.LocalServer("Ollama", model_url, ("small", "qwen3:8b"))]
    assert time.monotonic() - started < 10


def test_the_buttons_of_the_preferences(model_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    geonode_assistant.register()
    try:
        monkeypatch.setattr(choices, "choice", lambda *_: choices.Choice("openai-compatible", "small", model_url, None))
        assert bpy.ops.geonode.test_connection() == {"FINISHED"}
        assert preferences.connection_state.outcome.ok
        port = int(model_url.split(":")[2].split("/")[0])
        find = connection.find_local
        monkeypatch.setattr(connection, "find_local", lambda core: find(core, {"Ollama": port}))
        assert bpy.ops.geonode.find_servers() == {"FINISHED"}
        assert [one.name for one in preferences.connection_state.servers] == ["Ollama"]
    finally:
        geonode_assistant.unregister()
    assert preferences.connection_state.outcome is None
    assert not preferences.connection_state.servers
