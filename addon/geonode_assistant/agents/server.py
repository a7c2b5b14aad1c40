# SPDX-License-Identifier: GPL-3.0-or-later
"""The server for other programs, as Blender's main thread holds it. Nothing here waits for a client."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import bpy

from .. import native
from ..host import folders, mainfile
from ..messages import AssistantError
from ..run import checking, presets, session
from ..run.driver import RunHandle
from ..run.tools import Steps
from . import calls
from .library import library
from .views import Views
from .who import Who

# A tick begins no further call after this time, nor one that would end after it if it took as long as the one before.
BUDGET_S = 0.004
LONGEST_REST_S = 1.0
# A session is shown for so long after its last request.
SHOWN_S = 300
# Where the first Blender listens; the next one takes a free port. No well-known program uses it.
PORT = 41761


@dataclass
class Asked:
    """A call that waits for the artist's answer."""

    number: int
    who: Who
    text: str
    """What the client wants to do, after its name and “wants to”."""
    act: Callable[[], Mapping[str, Any] | Steps]


@dataclass
class Writing:
    """The call whose run changes the file."""

    number: int
    who: Who
    handle: RunHandle
    stage: str = ""


@dataclass
class Slow:
    """A call that may take several ticks."""

    number: int
    who: Who
    tool: str
    arguments: Mapping[str, Any]
    steps: Generator[str, None, Any]
    then: Callable[[Slow, Any], bool]
    """What is done with the end of the steps; returns whether a run has begun."""
    stage: str = ""
    started: float = field(default_factory=time.perf_counter)


class Programs:
    """The server of this process, the call that changes the file, and what the artist allows."""

    def __init__(self) -> None:
        self._server: Any = None
        self._writing: Writing | None = None
        self._slow: list[Slow] = []
        self._views = Views()
        self._rests_until = 0.0
        self.asked: Asked | None = None
        """The question of a program that the artist has to answer."""
        self.paused = False
        """Whether the artist has paused other programs."""
        self.allowed: set[int] = set()
        """Sessions whose changes are made without a question, until they end, another file is opened or the server
        stops. Names would not do: any program can take the name of another one.
        """
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

    @property
    def socket(self) -> str:
        """Where they connect with a WebSocket; empty while the server is off."""
        return self._server.socket if self._server is not None else ""

    @property
    def elsewhere(self) -> bool:
        """Whether the usual port was taken, by another Blender perhaps."""
        return self.running and urlsplit(self.url).port != PORT

    @property
    def writer(self) -> Who | None:
        """The program that is changing the file, or wants to."""
        if self._writing is not None:
            return self._writing.who
        return self.asked.who if self.asked is not None else None

    def start(self) -> None:
        """Opens the server with a new token; ``error`` says why it could not."""
        if self._server is not None:
            return
        self.error, self.paused = None, False
        try:
            about = f"Blender {bpy.app.version_string}: {Path(mainfile.path()).name or 'unsaved file'}"
            folder = folders.own_folder() / "agents"
            path = calls.catalogue_path()
            self._server = native.core().Agents(str(path), folder, PORT, calls.instructions(), about, library())
            # So that no call has to wait for that, and Blender with it.
            presets.begin_reading()
        except Exception as error:
            self.error = AssistantError.of(error)

    def stop(self) -> None:
        """Ends all connections at once, and the run of a program with them."""
        server, self._server = self._server, None
        self.allowed.clear()
        self.asked = None
        if server is not None:
            server.stop()
        self._end_run()
        self._writing = None
        self._end_slow()
        self._views.forget()

    def revoke(self) -> None:
        """Ends all connections and opens the server with another token."""
        paused = self.paused
        self.stop()
        self.start()
        if paused:
            # Whoever connects again finds what the artist has said before.
            self.pause(True)

    def pause(self, paused: bool) -> None:
        """Lets no further call start, or goes on."""
        self.paused = paused
        if self._server is not None:
            self._server.pause(paused)

    def take_over(self) -> None:
        """Pauses, and takes back what a program is changing."""
        self.pause(True)
        self._decline("cancelled", "The artist has taken over in Blender.")
        self._end_run()

    def leave_file(self) -> None:
        """Another file is opened: what waits for an answer belonged to the former one."""
        self._decline("cancelled", "Another file was opened in Blender.")
        self.allowed.clear()
        self._end_slow()
        self._views.forget()

    def decide(self, accept: bool) -> None:
        """Answers ``asked``."""
        asked, self.asked = self.asked, None
        if asked is None:
            return
        if accept:
            self._act(asked.number, asked.who, asked.act)
        else:
            text = "The artist has rejected this in Blender."
            self._answer(asked.number, {"ok": False, "error": {"code": "user_rejected", "message": text}})

    def _decline(self, code: str, text: str) -> None:
        asked, self.asked = self.asked, None
        if asked is not None:
            self._answer(asked.number, {"ok": False, "error": {"code": code, "message": text}})

    def _end_run(self) -> None:
        if self._writing is not None and session.current.handle is self._writing.handle:
            session.current.cancel()

    def clients(self) -> list[dict[str, Any]]:
        """The programs of the last minutes, and those that may make changes: ``name, session, calls, open, idle_s``."""
        known = self._server.clients() if self._server is not None else []
        return [one for one in known if one["open"] or one["idle_s"] < SHOWN_S or one["session"] in self.allowed]

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
        """Carries out the calls that wait, within ``BUDGET_S``, and then rests for as long as they took; returns
        whether a run has begun.
        """
        if self._server is None:
            return False
        self._follow()
        began = now = time.perf_counter()
        if began < self._rests_until:
            return False
        longest = 0.0
        if not _is_rendering():
            for slow in [*self._slow]:
                if now + longest >= began + BUDGET_S:
                    break
                if self._go_on(slow):
                    return True
                longest, now = max(longest, time.perf_counter() - now), time.perf_counter()
        while now + longest < began + BUDGET_S and (call := self._server.take()) is not None:
            if self._carry_out(call):
                return True
            longest, now = max(longest, time.perf_counter() - now), time.perf_counter()
        if now >= began + BUDGET_S:
            # No call is cut short, but a program that makes many long ones does not get all of Blender's time.
            self._rests_until = now + min(now - began, LONGEST_REST_S)
        return False

    def _go_on(self, slow: Slow) -> bool:
        """The next step of a call, which then is the last in turn; returns whether a run has begun."""
        self._slow.remove(slow)
        if not self._server.wanted(slow.number):
            slow.steps.close()
            return False
        try:
            stage = next(slow.steps)
        except StopIteration as end:
            try:
                return slow.then(slow, end.value)
            except Exception as error:
                self._answer(slow.number, calls.refused(error))
                return False
        except Exception as error:
            self._answer(slow.number, calls.refused(error))
            return False
        self._slow.append(slow)
        if stage != slow.stage:
            slow.stage = stage
            self._server.tell(slow.number, stage)
        return False

    def _has_read(self, slow: Slow, result: Mapping[str, Any]) -> bool:
        """The end of a call that reads."""
        self._views.note(slow.who, calls.seen(slow.tool, slow.arguments, result))
        answer = {"ok": True, "result": result, "ms": (time.perf_counter() - slow.started) * 1000}
        if not slow.stage:
            self._answer(slow.number, answer)
            return False
        # What took several ticks is long, and is written down elsewhere, too.
        server = self._server
        slow.steps = checking.aside(slow.stage, lambda: server.answer(slow.number, answer))
        slow.then = lambda _slow, _answered: False
        self._slow.append(slow)
        return False

    def _has_acted(self, slow: Slow, result: Mapping[str, Any]) -> bool:
        """The end of a call that the artist has allowed."""
        self._answer(slow.number, {"ok": True, "result": result})
        return False

    def _is_ready(self, slow: Slow, found: Any) -> bool:
        """Begins a change, or asks the artist about it; returns whether a run has begun."""
        if self.paused:
            text = "The artist has paused other programs in Blender. Wait until they go on."
            raise AssistantError("tool_busy", text)
        self._refuse_second()
        if isinstance(found, calls.Question):
            self._ask(slow.number, slow.who, found)
            return False
        is_allowed = slow.who.session in self.allowed
        self._writing = Writing(slow.number, slow.who, calls.begin(found, slow.who.name, is_allowed))
        return True

    def _end_slow(self) -> None:
        """Ends the calls that take several ticks."""
        ended, self._slow = self._slow, []
        for slow in ended:
            with contextlib.suppress(Exception):
                slow.steps.close()
            if self._server is not None:
                text = "Another file was opened in Blender."
                self._answer(slow.number, {"ok": False, "error": {"code": "cancelled", "message": text}})

    def _carry_out(self, call: dict[str, Any]) -> bool:
        started = time.perf_counter()
        number, tool, arguments = call["id"], call["tool"], call["arguments"]
        who = Who(call["session"], call["client"])
        try:
            _refuse_now()
            read = calls.reading(tool)
            if read is not None:
                result = read(arguments)
                if isinstance(result, Generator):
                    return self._begin(Slow(number, who, tool, arguments, result, self._has_read))
                self._views.note(who, calls.seen(tool, arguments, result))
                answer: dict[str, Any] = {"ok": True, "result": result}
            else:
                self._refuse_second()
                steps = calls.changing(tool, arguments, self._views.changes(who))
                return self._begin(Slow(number, who, tool, arguments, steps, self._is_ready))
        except Exception as error:
            answer = calls.refused(error)
        self._answer(number, {**answer, "ms": (time.perf_counter() - started) * 1000})
        return False

    def _refuse_second(self) -> None:
        """Raises ``tool_busy`` while a program is changing the file."""
        if (writer := self.writer) is not None:
            text = f"“{writer.name}” is changing the file. Call again when it has finished."
            raise AssistantError("tool_busy", text)

    def _begin(self, slow: Slow) -> bool:
        """The first step of a call that may take several ticks; returns whether a run has begun."""
        self._slow.append(slow)
        return self._go_on(slow)

    def _ask(self, number: int, who: Who, question: calls.Question) -> None:
        """Asks the artist, unless they have allowed it. What cannot be taken back is asked about all the same."""
        if who.session in self.allowed and not question.always:
            self._act(number, who, question.act)
            return
        self.asked = Asked(number, who, question.text, question.act)
        self._server.tell(number, "Waiting for the artist's answer in Blender.")

    def _act(self, number: int, who: Who, act: Callable[[], Mapping[str, Any] | Steps]) -> None:
        """Carries out what was allowed."""
        try:
            result = act()
        except Exception as error:
            self._answer(number, calls.refused(error))
            return
        if isinstance(result, Generator):
            self._begin(Slow(number, who, "", {}, result, self._has_acted))
        else:
            self._answer(number, {"ok": True, "result": result})

    def _answer(self, number: int, answer: dict[str, Any]) -> None:
        try:
            self._server.answer(number, answer)
        except Exception as error:
            self._server.answer(number, calls.refused(error))

    def _follow(self) -> None:
        """Answers the call whose run has ended, says how far it is, and ends what nobody waits for any more."""
        if self.asked is not None and not self._server.wanted(self.asked.number):
            self.asked = None
        writing = self._writing
        if writing is None:
            return
        if writing.handle.finished:
            self._writing = None
            report = writing.handle.report()
            if report.ok and (evidence := writing.handle.evidence) is not None:
                self._views.renew(writing.who, evidence["trees"])
            self._answer(writing.number, calls.outcome(report))
        elif not self._server.wanted(writing.number):
            self._end_run()
        elif (stage := _stage(writing.handle)) != writing.stage:
            writing.stage = stage
            self._server.tell(writing.number, stage)


def _stage(handle: RunHandle) -> str:
    if handle.pending:
        return "Waiting for the artist's approval in Blender."
    return {
        "PLANNING": "Planning.",
        "VALIDATING": "Checking the plan.",
        "EXECUTING": "Applying and checking the result.",
    }.get(handle.summary, "Working.")


def _is_rendering() -> bool:
    return bool(bpy.app.is_job_running("RENDER"))


def _refuse_now() -> None:
    """Raises ``tool_busy`` while Blender's data may not be used."""
    if _is_rendering():
        raise AssistantError("tool_busy", "Blender is rendering. Call again when it has finished.")


current = Programs()
"""That of this process."""
