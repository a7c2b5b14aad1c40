# SPDX-License-Identifier: GPL-3.0-or-later
"""For clients that start a program and speak over its standard streams: passes their messages to the running Blender.

Started as a file by any Python, without the add-on: ``python stdio.py FOLDER [--blender PID]``. In FOLDER each Blender
in which the artist lets other programs use the assistant says, readable by its owner alone, where it listens. With
several, ``--blender`` names one by its process; without it the errors list them. When Blender has ended, it goes on
with the one that was started since. After *Revoke* it ends: whoever starts it again has to be let in again by what is
in FOLDER then.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

CONNECT_S, ANSWER_S = 2.0, 660.0
# Bytes of a message that the server takes; a larger one would only break the connection.
LONGEST = 1 << 20
# Codes of JSON-RPC: what the server itself has to say, what is too long, and what is no message.
UNAVAILABLE, TOO_LONG, UNREADABLE = -32000, -32600, -32700
CANCELS = "notifications/cancelled"


class Unavailable(Exception):
    """There is no Blender to talk to, or not one; the text says what to do."""


def found(folder: Path) -> list[dict[str, Any]]:
    """The Blenders that answer: ``pid, url, token, about``."""
    there = []
    for file in sorted(folder.glob("*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            one = json.loads(file.read_text(encoding="utf-8"))
            at = urlsplit(one["url"])
            if at.hostname != "127.0.0.1":
                continue
            connection = http.client.HTTPConnection(at.netloc, timeout=CONNECT_S)
            connection.connect()
            connection.close()
            there.append(one)
    return there


def choose(folder: Path, pid: int | None) -> dict[str, Any]:
    """The one Blender, or that of the process ``pid``. Raises Unavailable."""
    there = found(folder)
    meant = [one for one in there if pid in (None, one["pid"])]
    if len(meant) == 1:
        return meant[0]
    if there:
        named = "; ".join(f"--blender {one['pid']}: {one['about']}" for one in there)
        why = "Several Blenders are running" if pid is None else f"No Blender that is running is the process {pid}"
        raise Unavailable(f"{why}; choose one. {named}")
    raise Unavailable(
        "No running Blender lets other programs in. Start Blender, and switch on “Let Other Programs Use the "
        "Assistant” in Preferences > Add-ons > GeoNode AI Assistant."
    )


@dataclass
class Link:
    """One Blender, and what it and the client agreed on."""

    blender: dict[str, Any]
    session: str | None = None
    version: str | None = None


class Bridge:
    """Passes messages on. Each has a thread of its own, so that a client can cancel what waits for the artist."""

    def __init__(self, folder: Path, pid: int | None, out: TextIO) -> None:
        self._folder, self._pid, self._out = folder, pid, out
        self._lock = threading.Lock()
        self._link: Link | None = None
        # The client's first words, said again to a Blender that was started since.
        self._hello: str | None = None
        self._returns = threading.Lock()
        # Requests that need no answer any more, the last ones.
        self._cancelled: list[Any] = []
        self.revoked = False

    def run(self, lines: TextIO) -> None:
        """Reads messages, one a line, until the client ends."""
        threads: list[threading.Thread] = []
        for line in lines:
            if not line.strip():
                continue
            threads = [one for one in threads if one.is_alive()]
            thread = threading.Thread(target=self._pass_on, args=(line,), daemon=True)
            thread.start()
            threads.append(thread)
            # Before the session is known nothing else can be said.
            if self._link is None or self._link.session is None:
                thread.join()
            if self.revoked:
                return
        for thread in threads:
            thread.join(CONNECT_S)
        self._leave()

    def _leave(self) -> None:
        """Says that the client has gone, so that nothing waits for it."""
        link = self._link
        if link is None or link.session is None:
            return
        at = urlsplit(link.blender["url"])
        headers = {"Authorization": f"Bearer {link.blender['token']}", "Mcp-Session-Id": link.session}
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(at.netloc, timeout=CONNECT_S)
            connection.request("DELETE", at.path, headers=headers)
            connection.getresponse().close()
            connection.close()

    def _pass_on(self, line: str) -> None:
        number: Any = None
        try:
            message = json.loads(line)
            number = message.get("id") if isinstance(message, dict) and "method" in message else None
            if number is not None and message["method"] == "initialize":
                self._hello = line
            elif isinstance(message, dict) and message.get("method") == CANCELS:
                with contextlib.suppress(KeyError, TypeError):
                    self._cancelled = [*self._cancelled[-99:], message["params"]["requestId"]]
        except (ValueError, RecursionError):
            self._refuse(None, UNREADABLE, "This line is not JSON.")
            return
        if len(line.encode("utf-8", "replace")) > LONGEST:
            self._fail(number, "A message has at most 1 MB.", TOO_LONG)
            return
        try:
            self._send(line, number)
        except Unavailable as error:
            self._fail(number, str(error))
        except (OSError, ValueError, http.client.HTTPException):
            # It has ended in the middle of its answer, or before.
            self._fail(number, "Blender has ended, or no longer lets other programs in.")

    def _send(self, line: str, number: Any) -> None:
        """Passes a message on, and what comes for it. Raises Unavailable if that ends without the answer."""
        answered = number is None

        def say(link: Link, text: str) -> None:
            nonlocal answered
            _agree(link, text)
            message = json.loads(text)
            # Only answers have no method.
            answered = answered or "method" not in message
            self._write(message)

        link = self._link
        if link is None:
            link = self._link = Link(choose(self._folder, self._pid))
        try:
            self._post(link, line, say)
        except ConnectionRefusedError:
            # It has ended, and nothing of this message has reached it.
            self._post(self._next(link, line), line, say)
        if not answered and number not in self._cancelled:
            raise Unavailable("Blender has ended, or no longer lets other programs in.")

    def _next(self, ended: Link, line: str) -> Link:
        """The Blender that was started since; it has heard the client's first words."""
        with self._returns:
            if self._link is not None and self._link is not ended:
                return self._link
            link = Link(choose(self._folder, self._pid))
            if self._hello is not None and line != self._hello:
                ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
                for words in (self._hello, json.dumps(ready)):
                    self._post(link, words, _agree)
            self._link = link
            return link

    def _post(self, link: Link, line: str, say: Callable[[Link, str], None]) -> None:
        at = urlsplit(link.blender["url"])
        headers = {
            "Authorization": f"Bearer {link.blender['token']}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if link.session:
            headers["Mcp-Session-Id"] = link.session
        if link.version:
            headers["MCP-Protocol-Version"] = link.version
        connection = http.client.HTTPConnection(at.netloc, timeout=ANSWER_S)
        try:
            connection.request("POST", at.path, line.strip().encode(), headers)
            response = connection.getresponse()
            if response.status == 401:
                self.revoked = True
                raise Unavailable("The artist has revoked this connection in Blender.")
            link.session = response.getheader("Mcp-Session-Id") or link.session
            if "text/event-stream" in (response.getheader("Content-Type") or ""):
                for event in response:
                    if event.startswith(b"data:") and event[5:].strip():
                        say(link, event[5:].decode().strip())
            elif response.status == 200:
                say(link, response.read().decode())
            elif response.status >= 400:
                text = response.read(2000).decode()
                if not text.startswith('{"') or "jsonrpc" not in json.loads(text):
                    raise Unavailable(f"Blender refused the message ({response.status}): {text}")
                say(link, text)
        finally:
            connection.close()

    def _write(self, message: Any) -> None:
        with self._lock:
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()

    def _fail(self, number: Any, text: str, code: int = UNAVAILABLE) -> None:
        if number is None:
            print(text, file=sys.stderr)
            return
        self._refuse(number, code, text)

    def _refuse(self, number: Any, code: int, text: str) -> None:
        self._write({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}})


def _agree(link: Link, text: str) -> None:
    """Notes the version that an answer names."""
    with contextlib.suppress(ValueError, AttributeError, KeyError, TypeError):
        link.version = json.loads(text)["result"]["protocolVersion"]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Passes messages of the Model Context Protocol to Blender.")
    parser.add_argument("folder", type=Path, help="where running Blenders say how they are reached")
    parser.add_argument("--blender", type=int, help="process of the Blender to use, where several are running")
    options = parser.parse_args()
    # What is no text is no JSON either, and is answered as such.
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    Bridge(options.folder, options.blender, sys.stdout).run(sys.stdin)


if __name__ == "__main__":
    main()
