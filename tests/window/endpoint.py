# SPDX-License-Identifier: GPL-3.0-or-later
"""A model server on this machine that speaks Chat Completions and answers when the test allows it."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint(ThreadingHTTPServer):
    """Answers every request with ``plan`` once ``release`` is set."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan: dict[str, Any] = {}
        self.asked = threading.Event()
        self.release = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The base URL for the preferences."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def close(self) -> None:
        """Ends the server and every request that still waits."""
        self.release.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, format: str, *args: object) -> None:
        """Stays quiet."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.set()
        self.server.release.wait(120)
        chunks = [
            {"delta": {"role": "assistant", "content": json.dumps(self.server.plan)}},
            {"delta": {}, "finish_reason": "stop"},
        ]
        lines = [json.dumps({"id": "c", "model": "m", "choices": [{"index": 0, **chunk}]}) for chunk in chunks]
        body = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            pass  # a cancelled run has closed the connection
