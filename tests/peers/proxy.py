# SPDX-License-Identifier: GPL-3.0-or-later
"""A loopback proxy for clients that cannot send a token: it adds the token, and changes nothing else.

Where a request names the proxy as its host or origin, the server is named instead; any other is passed on as it is, so
that the server's own check is what is tested.
"""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

OWN = ("localhost", "127.0.0.1")


@contextlib.contextmanager
def with_token(url: str, token: str) -> Iterator[str]:
    """The address of a proxy that adds ``token`` to the requests for ``url``."""
    at = urlsplit(url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items() if name.lower() != "connection"}
            headers["authorization"] = f"Bearer {token}"
            for name, before in (("host", ""), ("origin", "http://")):
                if headers.get(name) in {f"{before}{own}:{self.server.server_port}" for own in OWN}:
                    headers[name] = before + at.netloc
            connection = http.client.HTTPConnection(at.netloc, timeout=60)
            try:
                connection.request(self.command, self.path, body or None, headers)
                response = connection.getresponse()
                self.send_response(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.send_header("Connection", "close")
                self.close_connection = True
                self.end_headers()
                while piece := response.read1(65536):
                    self.wfile.write(piece)
                    self.wfile.flush()
            except (OSError, http.client.HTTPException):
                self.close_connection = True
            finally:
                connection.close()

        do_GET = do_POST = do_DELETE = pass_on

        def log_message(self, *_arguments: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}{at.path}"
    finally:
        server.shutdown()
        server.server_close()
