# SPDX-License-Identifier: GPL-3.0-or-later
"""What the interface shows of a run: the one session of this Blender, folded from the events of its run.

One run at a time. It knows no ``bpy``.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from typing import Any

from ..messages import AssistantError
from .driver import POLL_BUDGET_S, RunHandle
from .report import RunReport


class Session:
    """The one run that the interface shows, folded from its events. Panels draw this and nothing else."""

    def __init__(self) -> None:
        self.reset("")

    def new_conversation(self) -> None:
        """The next wish stands by itself; what was said before stays in its file."""
        self.conversation: str | None = None
        """Name of the conversation that the next wish goes on with; None begins one."""
        self.turns = 0
        """How many wishes it has."""

    def _begin(self, prompt: str) -> None:
        """Forgets the last run, but not the conversation that it belongs to."""
        conversation, turns = self.conversation, self.turns
        self.reset(prompt)
        self.conversation, self.turns = conversation, turns

    def reset(self, prompt: str) -> None:
        """As if nothing had been run, with this prompt."""
        self.new_conversation()
        self.handle: RunHandle | None = None
        self.prompt = prompt
        self.state = "idle"
        self.summary = "IDLE"
        self.progress: float | None = None
        """Part of the work done, 0 to 1; None while nobody can know."""
        self.activity = ""
        """What is being done, in words; empty when only the state says it."""
        self.text = ""
        self.steps: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        """Calls of the model: ``tool, call_id, status`` (``running, done, failed``), later ``input, output, ms``."""
        self.messages: list[dict[str, Any]] = []
        self.estimate: dict[str, Any] | None = None
        """What the last request to a model was expected to use: ``input_tokens, cost_usd, most_cost_usd``."""
        self.report: RunReport | None = None
        self.left_out: set[str] = set()
        """Operations of the open request that the artist does not want."""
        self.opened: set[str] = set()
        """Steps of the open request whose script is shown to its end."""
        self._question: str | None = None
        self._tried_since: float | None = None
        self.started = time.monotonic()
        """When the run began, on the monotonic clock."""
        self._second = 0

    @property
    def elapsed_s(self) -> int:
        """Whole seconds since the wish was sent; it goes on counting after the end."""
        return int(time.monotonic() - self.started)

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self.handle is not None and not self.handle.finished

    @property
    def final_message(self) -> str:
        """What the finished run says to the artist; empty before."""
        return self.report.final_message if self.report is not None else ""

    @property
    def pending(self) -> list[tuple[str, dict[str, Any]]]:
        """Approvals that wait: (id, request)."""
        return list(self.handle.pending.items()) if self.handle is not None else []

    def claim(self, make: Callable[[], RunHandle], prompt: str = "") -> RunHandle:
        """Starts a run; ``AssistantError("run_in_progress")`` while another one is under way."""
        if self.running:
            raise AssistantError(
                "run_in_progress", "A run is still under way.", "Wait until it ends, or cancel it, then send again."
            )
        handle = make()
        self._begin(prompt)
        self.handle = handle
        self.state, self.summary = "generating", "PLANNING"
        return handle

    def refuse(self, error: AssistantError, prompt: str = "") -> None:
        """Shows a wish that could not even start."""
        self._begin(prompt)
        self.state, self.summary = "error", "ERROR"
        message = {"severity": "error", "origin": "request", "code": error.code, "text": error.message}
        self.messages = [{**message, "hint": error.hint} if error.hint else message]

    def poll(self, budget_s: float = POLL_BUDGET_S) -> bool:
        """Advances the run a little; returns whether there is anything new to draw, if only a second that went by."""
        if self.handle is None or self.report is not None:
            return False
        events = self.handle.poll(budget_s)
        self.fold(events)
        asked = self._follow_questions()
        second = self.elapsed_s
        changed = asked or bool(events) or self.state != self.handle.state or second != self._second
        self._second = second
        self.state, self.summary = self.handle.state, self.handle.summary
        if self.handle.finished:
            self.report = self.handle.report()
            if self.report.conversation is not None:
                self.conversation, self.turns = self.report.conversation, self.report.conversation_turns
            self.messages = self.report.messages
            self.steps = self.report.steps
            self.progress, self.activity = None, ""
            changed = True
        return changed

    def cancel(self) -> None:
        """Asks the run to stop; polling goes on until it has."""
        if self.handle is not None:
            self.handle.cancel()

    def decide(self, request_id: str, accept: bool, words: str | None = None) -> None:
        """The artist's answer to one of ``pending``, without ``left_out``; ``words`` go with a rejection."""
        if self.handle is None:
            return
        if accept:
            self.handle.approve(request_id, sorted(self.left_out))
        else:
            self.handle.reject(request_id, words)

    def toggle(self, operation_id: str) -> None:
        """Takes an operation of the open request out, or back in."""
        self.left_out ^= {operation_id}

    def try_out(self, request_id: str) -> None:
        """Tries one of ``pending``, without ``left_out``, on a copy of the file in another process."""
        if self.handle is not None:
            self.handle.dry_run(request_id, sorted(self.left_out))

    def stop_trying(self) -> None:
        """Ends the trial; the question stays."""
        if self.handle is not None:
            self.handle.stop_dry_run()

    @property
    def trying(self) -> bool:
        """Whether what is asked about is being tried."""
        return self.handle is not None and self.handle.trying

    @property
    def tried_s(self) -> int | None:
        """Whole seconds that the trial takes already; None when there is none."""
        return None if self._tried_since is None else int(time.monotonic() - self._tried_since)

    def _follow_questions(self) -> bool:
        """Whether there is another question, or a trial began or ended."""
        before = (self._question, self._tried_since)
        if self.trying != (self._tried_since is not None):
            self._tried_since = time.monotonic() if self.trying else None
        request_id, request = next(iter(self.pending), (None, {}))
        if request_id != self._question:
            self._question = request_id
            self.left_out = set(request.get("without", ()))
            self.opened = set()
        return before != (self._question, self._tried_since)

    def close(self) -> None:
        """Ends the run at once, restoring what it wrote: the file is about to go, or the add-on is."""
        if self.handle is not None:
            self.handle.close()
            self.poll()

    def fold(self, events: Iterable[dict[str, Any]]) -> None:
        """Takes over what happened in a run."""
        said = False
        for event in events:
            match event.get("event"):
                case "text":
                    self.text += event.get("text", "")
                case "progress":
                    self.progress, self.activity = event.get("fraction"), event.get("text") or ""
                case "tool":
                    self._note_tool({key: value for key, value in event.items() if key != "event"})
                case "request":
                    self.estimate = event
                    # What arrived of an earlier reply is void.
                    self.steps = [step for step in self.steps if step.get("status") != "planned"]
                    self.text = ""
                case "message":
                    said = True
                case "step":
                    self._note_step({key: value for key, value in event.items() if key != "event"})
        if said and self.handle is not None:
            # The core alone merges and orders them; one that is broken has said all it ever will.
            with contextlib.suppress(Exception):
                self.messages = self.handle.messages()

    def _note_tool(self, record: dict[str, Any]) -> None:
        """A call is told when it begins, when it gets on, and with its result."""
        for index in range(len(self.tools) - 1, -1, -1):
            if self.tools[index].get("call_id") == record.get("call_id"):
                self.tools[index] |= record
                return
        self.tools.append(record)

    def _note_step(self, record: dict[str, Any]) -> None:
        """A step is told as ``planned`` while the plan arrives, and again when it changes; a retry may use its ID once
        more after it was restored.
        """
        if record.get("status") == "planned":
            self.steps.append(record)
            return
        for index in range(len(self.steps) - 1, -1, -1):
            known = self.steps[index]
            if known.get("step_id") == record.get("step_id") and known.get("status") in (
                "planned",
                "pending",
                "running",
            ):
                self.steps[index] = record
                return
        self.steps.append(record)


current = Session()
"""The session of this Blender process."""
