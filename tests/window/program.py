# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that uses the server for other programs over HTTP, from outside of Blender."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any
from urllib.parse import urlsplit

VERSION = "2025-06-18"


class Program:
    """Speaks the Model Context Protocol, one request at a time."""

    def __init__(self, configuration: str) -> None:
        """``configuration``: what the button in the preferences copies."""
        server = json.loads(configuration)["mcpServers"]["blender"]
        self.url = server["url"]
        self._at = urlsplit(self.url)
        self._headers = {
            **server["headers"],
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self._number = 0
        client = {"name": "Window Test", "version": "1"}
        self.ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _post(self, message: dict[str, Any]) -> str:
        connection = http.client.HTTPConnection(self._at.netloc, timeout=100)
        try:
            connection.request("POST", self._at.path, json.dumps(message), self._headers)
            response = connection.getresponse()
            session = response.getheader("Mcp-Session-Id")
            if session:
                self._headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": VERSION}
            return response.read().decode()
        finally:
            connection.close()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self._number += 1
        text = self._post({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        lines = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
        answers = [json.loads(line) for line in lines or [text]]
        return next(one["result"] for one in answers if one.get("id") == self._number)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool gives: its structured result, and the picture if there is one."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        pictures = [part["data"] for part in result["content"] if part["type"] == "image"]
        return {**result["structuredContent"], **({"picture": pictures[0]} if pictures else {})}

    def code(self, tool: str, **arguments: Any) -> str:
        """The code with which a call is refused; empty if it is carried out."""
        return self.call(tool, **arguments).get("error", {}).get("code", "")


class Later:
    """A call under way on a thread of its own."""

    def __init__(self, program: Program, tool: str, **arguments: Any) -> None:
        self._found: list[Any] = []
        self._thread = threading.Thread(target=self._run, args=(program, tool, arguments))
        self._thread.start()

    def _run(self, program: Program, tool: str, arguments: dict[str, Any]) -> None:
        try:
            self._found.append(program.call(tool, **arguments))
        except Exception as error:
            self._found.append(error)

    def result(self) -> dict[str, Any]:
        """What it gave; fails if it hangs."""
        self._thread.join(60)
        assert self._found, "the call hangs"
        if isinstance(self._found[0], Exception):
            raise self._found[0]
        return self._found[0]
