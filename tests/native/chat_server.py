# SPDX-License-Identifier: GPL-3.0-or-later
"""A model server on loopback that speaks Chat Completions and answers with prepared replies."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint(ThreadingHTTPServer):
    """Answers each request with the next of `replies`; records the request bodies in `asked`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[Any] = []
        self.asked: list[dict[str, Any]] = []
        # What it says that it read: fewer than were sent, unless a test says otherwise.
        self.read_tokens = 100
        self.busy = threading.Event()
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    """Handles one request."""

    server: Endpoint
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""

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
        read = self.server.read_tokens
        usage = {"prompt_tokens": read, "completion_tokens": 20, "total_tokens": read + 20}
        lines.append(json.dumps({"id": "c", "model": "small", "choices": [], "usage": usage}))
        body = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()
        self._send("text/event-stream", body)


def ask(start, endpoint: Endpoint, **request: Any) -> Any:
    """Starts a run that asks this server."""
    return start(
        "move it up", provider="openai-compatible", model="small", base_url=endpoint.url, api_key="sk-test", **request
    )
