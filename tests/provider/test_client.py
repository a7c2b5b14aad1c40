# SPDX-License-Identifier: GPL-3.0-or-later
"""The native client used from Python, against independent servers."""

from __future__ import annotations

import gc
import importlib.util
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import geonode_core
import pytest

_spec = importlib.util.spec_from_file_location("peers", Path(__file__).with_name("peers.py"))
assert _spec and _spec.loader
peers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(peers)

HELLO = [{"role": "user", "content": "hello"}]
KEY = "sk-test-key-123456"


@pytest.fixture(scope="module")
def llmock() -> Iterator[str]:
    with peers.started("llmock") as urls:
        yield urls["llmock"]


@pytest.fixture
def client(llmock: str) -> geonode_core.Client:
    script(llmock, "reset", b"{}")
    return geonode_core.Client("openai-compatible", model="gpt-4o", base_url=llmock, api_key=KEY, max_retries=0)


def script(base_url: str, path: str, body: bytes) -> None:
    url = f"{base_url.removesuffix('/v1')}/_llmock/{path}"
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).close()


def test_a_reply_is_read(client: geonode_core.Client) -> None:
    response = client.send(HELLO, system="Be brief.")
    assert response.text and response.finish_reason == "done"
    assert response.usage["output_tokens"] > 0
    assert response.tool_calls == [] and response.notices == []
    assert "gpt-4o" in [model["id"] for model in client.models()]


def test_a_stream_gives_the_same_text_and_one_end(client: geonode_core.Client) -> None:
    events = list(client.stream(HELLO))
    text = "".join(event["text"] for event in events if event["type"] == "text")
    assert text == client.send(HELLO).text
    assert [event["type"] for event in events].count("end") == 1
    assert events[-1]["finish_reason"] == "done"


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (401, "auth_failed", False),
        (402, "quota_exhausted", False),
        (429, "rate_limited", True),
        (503, "overloaded", True),
    ],
)
def test_failures_are_typed(client: geonode_core.Client, llmock: str, status: int, code: str, retryable: bool) -> None:
    script(llmock, "scenario", b'{"behaviors": [{"type": "fail", "status": %d}]}' % status)
    with pytest.raises(geonode_core.ProviderError) as caught:
        client.send(HELLO)
    assert (caught.value.code, caught.value.retryable) == (code, retryable)
    assert KEY not in repr(caught.value) + str(caught.value)


def test_cancel_from_another_thread(client: geonode_core.Client, llmock: str) -> None:
    script(llmock, "scenario", b'{"behaviors": [{"type": "delay", "seconds": 20}]}')
    threading.Timer(0.3, client.cancel).start()
    started = time.monotonic()
    with pytest.raises(geonode_core.Cancelled):
        client.send(HELLO)
    assert time.monotonic() - started < 10, "a cancel ends the call"
    assert client.send(HELLO).text, "the client stays usable"


def test_waiting_releases_the_gil(client: geonode_core.Client, llmock: str) -> None:
    script(llmock, "scenario", b'{"behaviors": [{"type": "delay", "seconds": 1}]}')
    ticks = 0
    call = threading.Thread(target=client.send, args=(HELLO,))
    call.start()
    while call.is_alive():
        ticks += 1
        time.sleep(0.01)
    assert ticks > 20


def test_a_dropped_stream_ends(client: geonode_core.Client) -> None:
    stream = client.stream(HELLO)
    assert next(stream)["type"] == "text"
    del stream
    gc.collect()
    assert client.send(HELLO).text


def test_a_closed_port_is_a_network_error() -> None:
    client = geonode_core.Client("openai-compatible", model="m", base_url="http://127.0.0.1:9/v1", max_retries=0)
    with pytest.raises(geonode_core.ProviderError) as caught:
        client.send(HELLO)
    assert caught.value.code == "network"
    assert caught.value.message == "Nothing answers at http://127.0.0.1:9/v1. Is the server running?"


def test_invalid_requests_are_never_sent() -> None:
    with pytest.raises(geonode_core.PolicyError) as caught:
        geonode_core.Client("openai-compatible", base_url="http://example.com/v1")
    assert caught.value.code == "insecure_url"
    with pytest.raises(geonode_core.CoreError) as caught:
        geonode_core.Client("openai-compatible", base_url="https://example.com/v1", api_key="sk-\n123")
    assert caught.value.code == "key_invalid"
    client = geonode_core.Client("openai-compatible", model="m", base_url="http://127.0.0.1:9/v1")
    for messages in (
        [],
        [{"role": "oracle", "content": "x"}],
        [{"role": "user"}],
        [{"role": "user", "content": ""}],
        "hi",
    ):
        with pytest.raises(geonode_core.ProtocolError):
            client.send(messages)


def test_a_recording_is_replayed_in_order(tmp_path: Path) -> None:
    path = tmp_path / "recording.json"
    path.write_text('{"replay": 1, "replies": [{"json": {"a": 1}}, {"error": "overloaded"}]}', encoding="utf-8")
    client = geonode_core.Client("replay", base_url=str(path))
    assert client.send(HELLO).text == '{"a":1}'
    with pytest.raises(geonode_core.ProviderError) as caught:
        client.send(HELLO)
    assert caught.value.code == "overloaded"
