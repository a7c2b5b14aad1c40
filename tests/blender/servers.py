# SPDX-License-Identifier: GPL-3.0-or-later
"""Endpoints on loopback that misbehave."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def server(reply: bytes | None) -> Iterator[str]:
    """Answers every request with ``reply``, or never with None; yields the base URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    open_connections: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            open_connections.append(connection)
            if reply is not None:
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(reply)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.close()
        for connection in open_connections:
            connection.close()


def page(body: bytes = b"<!doctype html><title>Welcome</title>") -> bytes:
    """A web page as an HTTP reply."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    return head + body


def closed_port() -> str:
    """A base URL at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
