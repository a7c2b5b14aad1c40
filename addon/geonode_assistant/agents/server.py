# SPDX-License-Identifier: GPL-3.0-or-later
"""The server for other programs, as Blender's main thread holds it. Nothing here waits for a client."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import bpy

from .. import native
from ..host import folders, mainfile
from ..messages import AssistantError, failure
from ..run import session
from ..run.driver import RunHandle
from . import calls

# A tick begins no further call after this time.
BUDGET_S = 0.004


class Programs:
    """The server of this process, the call that changes the file, and what the artist allows."""

    def __init__(self) -> None:
        self._server: Any = None
        self._writing: tuple[int, RunHandle] | None = None
        self.paused = False
        """Whether the artist has paused other programs."""
        self.allowed: set[str] = set()
        """Clients whose changes are made without a question, until the server stops."""
        self.error: AssistantError | None = None
        """Why the server could not start."""

    @property
    def running(self) -> bool:
        """Whether programs can connect."""
        return self._server is not None

    @property
    def url(self) -> str:
        """Where they connect; empty while the server is off."""
        return self._server.url if self._server is not None else ""

    def start(self) -> None:
        """Opens the server with a new token; ``error`` says why it could not."""
        if self._server is not None:
            return
        self.error, self.paused = None, False
        try:
            about = f"Blender {bpy.app.version_string}: {Path(mainfile.path()).name or 'unsaved file'}"
            folder = folders.own_folder() / "agents"
            path = calls.catalogue_path()
            self._server = native.core().Agents(str(path), folder, 0, calls.instructions(), about)
        except Exception as error:
            self.error = AssistantError.of(error)

    def stop(self) -> None:
        """Ends all connections at once, and the run of a program with them."""
        server, self._server = self._server, None
        self.allowed.clear()
        if server is not None:
            server.stop()
        self._end_run()

    def revoke(self) -> None:
        """Ends all connections and opens the server with another token."""
        self.stop()
        self.start()

    def pause(self, paused: bool) -> None:
        """Lets no further call start, or goes on."""
        self.paused = paused
        if self._server is not None:
            self._server.pause(paused)

    def take_over(self) -> None:
        """Pauses, and takes back what a program is changing."""
        self.pause(True)
        self._end_run()

    def _end_run(self) -> None:
        if self._writing is not None and session.current.handle is self._writing[1]:
            session.current.cancel()

    def clients(self) -> list[dict[str, Any]]:
        """The programs of the last minutes: ``name, calls, open, idle_s``."""
        return self._server.clients() if self._server is not None else []

    def command(self) -> str:
        """The configuration for clients that start a program: it finds the running Blender by itself, whichever
        address and token that has then.
        """
        folder, file = folders.own_folder() / "agents", Path(__file__).with_name("stdio.py")
        server = {"command": sys.executable, "args": [str(file), str(folder)]}
        return json.dumps({"mcpServers": {"blender": server}}, indent=2)

    def configuration(self) -> str:
        """The configuration for clients that connect by themselves, with the address and the token of this session."""
        headers = {"Authorization": f"Bearer {self._server.token}"}
        return json.dumps({"mcpServers": {"blender": {"type": "http", "url": self.url, "headers": headers}}}, indent=2)

    def tick(self) -> bool:
        """Carries out the calls that wait, within ``BUDGET_S``; returns whether a run has begun."""
        if self._server is None:
            return False
        self._follow()
        begun = False
        until = time.perf_counter() + BUDGET_S
        while not begun and time.perf_counter() < until and (call := self._server.take()) is not None:
            begun = self._carry_out(call)
        return begun

    def _carry_out(self, call: dict[str, Any]) -> bool:
        started = time.perf_counter()
        tool, arguments = call["tool"], call["arguments"]
        try:
            _refuse_now()
            if tool in calls.READING:
                answer: dict[str, Any] = {"ok": True, "result": calls.READING[tool](arguments)}
            else:
                client = call["client"]
                handle = calls.begin(tool, arguments, client, client in self.allowed)
                self._writing = (call["id"], handle)
                return True
        except Exception as error:
            answer = {"ok": False, "error": failure(error)}
        self._answer(call["id"], {**answer, "ms": (time.perf_counter() - started) * 1000})
        return False

    def _answer(self, number: int, answer: dict[str, Any]) -> None:
        """Answers a call, also where the answer is not JSON: a timer that raises would never tick again."""
        try:
            self._server.answer(number, answer)
        except Exception as error:
            self._server.answer(number, {"ok": False, "error": failure(error)})

    def _follow(self) -> None:
        """Answers the call whose run has ended, and ends a run that nobody waits for any more."""
        if self._writing is None:
            return
        number, handle = self._writing
        if handle.finished:
            self._writing = None
            self._answer(number, calls.outcome(handle.report()))
        elif not self._server.wanted(number):
            self._end_run()


def _refuse_now() -> None:
    """Raises ``tool_busy`` while Blender's data may not be used."""
    if bpy.app.is_job_running("RENDER"):
        raise AssistantError("tool_busy", "Blender is rendering. Call again when it has finished.")


current = Programs()
"""That of this process."""
