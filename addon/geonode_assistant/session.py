# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver between the native run and Blender. It knows neither ``bpy`` nor any decision of the core.

The core says what to do next (an *effect*), the host does it, the core hears how it went. Invariants:

- one run at a time per session;
- a transaction that the host opened ends by exactly one commit or restore, also when the driver itself breaks;
- ``RunHandle.poll`` waits for nothing beyond its slice of time, and starts no further effect once that is used up.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol

from .messages import AssistantError, failure

Decision = Literal["approved", "rejected", "cancelled"]
Approve = Literal["all"] | Callable[[dict[str, Any]], Decision | dict[str, Any]] | None
"""A callable says ``"approved"``, ``"rejected"``, ``"cancelled"``, ``{"decision": "approved", "without": [IDs]}`` or
``{"decision": "rejected", "words": "what shall be different"}``."""

# A slice of work that leaves a frame of a window time for everything else: waiting for the core never takes longer.
POLL_BUDGET_S = 0.005
# How long a blocking wait may sit without looking at Python's signals.
WAIT_MS = 100
# After this many seconds the core must have ended a cancelled run; then the driver ends it without the core.
CANCEL_GRACE_S = 10.0


class Core(Protocol):
    """What the driver needs of ``geonode_core.Run``."""

    def poll(self) -> dict[str, Any]: ...
    def wait(self, ms: int) -> bool: ...
    def answer(self, effect_id: Any, result: dict[str, Any], ms: float | None = None) -> None: ...
    def fail(self, effect_id: Any, error: dict[str, Any]) -> None: ...
    def cancel(self) -> None: ...
    def approve(self, request_id: Any, without: list[str] = ...) -> None: ...
    def reject(self, request_id: Any, words: str | None = None) -> None: ...
    def dry_run(self, request_id: Any, without: list[str] = ...) -> None: ...
    def messages(self) -> list[dict[str, Any]]: ...
    def note(self, code: str, text: str) -> None: ...
    def report(self) -> dict[str, Any]: ...
    def save(self) -> dict[str, Any]: ...


class Trial(Protocol):
    """A dry run under way: the plan is applied to a copy of the file in another process."""

    def poll(self) -> dict[str, Any] | None:
        """The result once it is over, else None; never waits."""
        ...

    def stop(self, wait: bool = False) -> None:
        """Ends the process and removes what it left; ``wait``: before this returns, else within a second."""
        ...


class Host(Protocol):
    """The work that only Blender's main thread can do. Every method may raise an error with a ``code``."""

    def capture_context(self, object: str | None, modifier: str | None) -> dict[str, Any]: ...
    def inspect(self, objects: list[str], trees: list[str]) -> dict[str, Any]: ...
    def call_tools(self, calls: list[dict[str, Any]], target: dict[str, Any]) -> dict[str, Any]: ...
    def begin(self, objects: list[str], trees: list[str], extend: bool, whole: bool) -> dict[str, Any]: ...
    def apply_step(self, step_id: str, delta: dict[str, Any]) -> dict[str, Any]: ...
    def execute_step(self, step_id: str, action_type: str, payload: dict[str, Any]) -> dict[str, Any]: ...
    def verify(self, objects: list[str], trees: list[str]) -> dict[str, Any]: ...
    def restore(self) -> dict[str, Any]: ...
    def give_up(self) -> None: ...
    def dry_run(self, plan: dict[str, Any], catalogue: str, seconds: int, megabytes: int) -> Trial: ...
    def commit(self, message: str) -> dict[str, Any]: ...


class RunReport:
    """How a run went, as the core reports it (``rust/run/EFFECTS.md``); every field is an attribute too."""

    status: str
    steps: list[dict[str, Any]]
    intermediate_steps: list[dict[str, Any]]
    gates: dict[str, Any] | None
    approvals: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    usage: dict[str, Any] | None
    requests: list[dict[str, Any]]
    final_message: str
    diff: list[str]
    conversation: str | None
    conversation_turns: int

    _DEFAULTS: dict[str, Any] = {
        "status": "error",
        "steps": [],
        "intermediate_steps": [],
        "gates": None,
        "approvals": [],
        "messages": [],
        "usage": None,
        "requests": [],
        "final_message": "",
        "diff": [],
        "conversation": None,
        "conversation_turns": 0,
    }

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = {**{key: _copy(value) for key, value in self._DEFAULTS.items()}, **data}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._data[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        return f"<RunReport {self.status}: {self.final_message!r}>"

    @property
    def ok(self) -> bool:
        """Whether the wish was carried out and passed every gate."""
        return self.status == "done"

    @property
    def error(self) -> dict[str, Any] | None:
        """The first message of severity ``error``, else None."""
        return next((m for m in self.messages if m.get("severity") == "error"), None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON-able report."""
        return self._data


def _message(own: dict[str, str]) -> dict[str, Any]:
    return {"severity": "error", "origin": "driver", "code": own["code"], "text": own["message"]}


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, list) else value


class RunHandle:
    """One run. ``poll`` it until ``finished``; never blocks, so a window's timer can hold it."""

    def __init__(self, core: Core, host: Host, approve: Approve = None) -> None:
        self._core = core
        self._host = host
        self._approve = approve
        self._effects: deque[dict[str, Any]] = deque()
        self._transaction_open = False
        self._kept = False
        self._performing = False
        self._error: dict[str, str] | None = None
        self._cancelled_at: float | None = None
        self._cancel_reason: dict[str, str] | None = None
        self.state = "idle"
        self.summary = "IDLE"
        self.finished = False
        self.evidence: dict[str, Any] | None = None
        """What the last verification measured; None before the first."""
        self.pending: dict[str, dict[str, Any]] = {}
        """Approvals that wait for the artist: request by id (a string, whatever the core counts with)."""
        self._asked: dict[str, Any] = {}
        self._trial: tuple[Any, Trial] | None = None

    @property
    def half_written(self) -> bool:
        """Whether the file is between two writes of this run: it must neither be saved nor undone like that."""
        return self._transaction_open and not self._performing

    def poll(self, budget_s: float = POLL_BUDGET_S) -> list[dict[str, Any]]:
        """Does what the core asks for, about ``budget_s`` seconds of it; returns the new events for the interface.

        At least one waiting effect is carried out, however small the budget. Never raises for what the core or the
        host do wrong: the run then ends with status ``error`` and everything restored.
        """
        events: list[dict[str, Any]] = []
        if self.finished:
            return events
        deadline = time.monotonic() + budget_s
        try:
            self._follow_trial()
            events += self._turn()
            while self._effects and not self.finished:
                self._carry_out(self._effects.popleft())
                # The core mostly answers within milliseconds; the next slice of time may be a slow redraw away.
                left = deadline - time.monotonic()
                if left > 0 and not self._effects:
                    self._core.wait(int(left * 1000))
                events += self._turn()
                if left <= 0:
                    break
            if self._cancel_overdue():
                raise AssistantError("cancelled", "The run was cancelled; the core did not end it in time.")
        except Exception as error:
            self._abort(error)
            events.append({"event": "state", "state": self.state, "summary": self.summary})
        except BaseException as error:
            self._abort(error)
            raise
        return events

    def cancel(self, code: str = "cancelled", message: str | None = None) -> None:
        """Ends the run within a second; what it wrote is restored by the next polls. Safe to call at any time, too late
        only for a run that has passed its gates and is about to be kept.

        With a ``message`` the report says why, under ``code``.
        """
        if self.finished:
            return
        if message is not None and self._cancel_reason is None:
            self._cancel_reason = {"code": code, "message": message}
        if self._cancelled_at is None:
            self._cancelled_at = time.monotonic()
        self.pending.clear()
        self._stop_trial()
        try:
            self._core.cancel()
            # What has not begun need not begin; only what opens or ends a transaction is the core's to decide.
            waiting, self._effects = self._effects, deque()
            for effect in waiting:
                if effect["effect"] in ("begin", "restore", "commit"):
                    self._effects.append(effect)
                else:
                    self._core.fail(effect["id"], {"code": "cancelled", "message": "The run was cancelled."})
        except Exception as error:
            self._abort(error)

    def approve(self, request_id: str, without: Iterable[str] = ()) -> None:
        """The artist agrees to what request ``request_id`` describes, without the steps and operations with these IDs.

        When the rest does not fit, nothing is written and another request says why. An answer to a request that is no
        longer open changes nothing.
        """
        if request_id in self.pending:
            self._core.approve(self._asked[request_id], list(without))
            self._answered(request_id)

    def reject(self, request_id: str, words: str | None = None) -> None:
        """The artist refuses; nothing is written. Without words the run ends; with them whoever plans tries again.

        Raises ``prompt_too_long`` for too many words; the request stays open then.
        """
        if request_id in self.pending:
            self._core.reject(self._asked[request_id], words)
            self._answered(request_id)

    def dry_run(self, request_id: str, without: Iterable[str] = ()) -> None:
        """Tries what request ``request_id`` describes, without these IDs, on a copy of the file in another process.

        The request can still be answered, which ends the trial; once that is over it is replaced by one with the result
        in ``dry_run``.
        """
        if request_id in self.pending and self._trial is None:
            self._core.dry_run(self._asked[request_id], list(without))

    def stop_dry_run(self) -> None:
        """Ends the dry run that is under way; the question comes back and says so."""
        if self._trial is not None:
            effect_id, trial = self._trial
            self._stop_trial()
            self._core.answer(effect_id, trial.stopped())

    @property
    def trying(self) -> bool:
        """Whether a dry run is under way."""
        return self._trial is not None

    def _answered(self, request_id: str) -> None:
        del self.pending[request_id]
        self._stop_trial()

    def wait(self, ms: int = WAIT_MS) -> bool:
        """Blocks up to ``ms`` milliseconds for news from the core. For scripts in the background only."""
        return bool(self._effects) or self.finished or self._core.wait(ms)

    def close(self) -> None:
        """Ends the run now, whatever the core still does: restores what was written. For unloading the add-on."""
        if not self.finished:
            self._abort(AssistantError("cancelled", "The run was cancelled."))

    def report(self) -> RunReport:
        """The report; complete once ``finished``."""
        if self._error is not None and self._kept:
            return self._unconfirmed()
        try:
            own = self._error or (self._cancel_reason if self._core.report()["status"] == "cancelled" else None)
            if own is not None:
                self._core.note(own["code"], own["message"])
            data = dict(self._core.report())
        except Exception as error:
            # Nobody is left who could merge it: it is the only message.
            self._error = self._error or failure(error)
            own = self._error
            data = {"messages": [_message(own)]}
        if self._error is not None:
            data["status"] = self._end_without_core()
        return RunReport(data)

    def _unconfirmed(self) -> RunReport:
        """The report of a run that passed its gates and was kept, and whose core then failed."""
        data: dict[str, Any] = {}
        with contextlib.suppress(Exception):
            data = dict(self._core.report())
        said = f"The result was kept as one undo step; the core did not confirm it. {self._error['message']}"
        return RunReport(data | {"status": "done", "final_message": said})

    def save(self) -> dict[str, Any]:
        """The run as it is now, fit for JSON and for ``api.resume`` in another process that has opened this file.

        It holds no key. What an open transaction has written is in no saved file: such a run begins its plan again.
        """
        return self._core.save()

    def messages(self) -> list[dict[str, Any]]:
        """All messages so far, merged and ordered by the core."""
        return self._core.messages()

    def _turn(self) -> list[dict[str, Any]]:
        """Takes what the core has: new state, effects to do, events to show."""
        turn = self._core.poll()
        self.state, self.summary = turn["state"], turn["summary"]
        if turn["effects"] or turn["finished"]:
            # One thing at a time: the core does not wait for the trial any more.
            self._stop_trial()
        self._effects.extend(turn["effects"])
        if turn["finished"]:
            self._effects.clear()
            if self._transaction_open:
                # The core ended without commit or restore; the file must not stay half written.
                raise AssistantError("internal_error", "The run ended with an open transaction; it was restored.")
            self.finished = True
        return list(turn["events"])

    def _carry_out(self, effect: dict[str, Any]) -> None:
        effect_id = effect["id"]
        if effect["effect"] == "ask_approval":
            self._ask(effect)
            return
        if effect["effect"] == "dry_run":
            self._try_out(effect)
            return
        self._performing = True
        started = time.perf_counter()
        try:
            result = self._perform(effect)
            if effect["effect"] == "call_tools" and len(result["results"]) < len(effect["calls"]):
                # The window is drawn between two calls.
                self._effects.appendleft(effect)
                return
        except Exception as error:
            # The core decides what a failed effect means; after a write it asks for the restore itself.
            self._core.fail(effect_id, failure(error))
        else:
            self._core.answer(effect_id, result, (time.perf_counter() - started) * 1000)
        finally:
            self._performing = False

    def _perform(self, effect: dict[str, Any]) -> dict[str, Any]:
        host = self._host
        match effect["effect"]:
            case "capture_context":
                return host.capture_context(effect.get("object"), effect.get("modifier"))
            case "inspect":
                return host.inspect(effect["objects"], effect["trees"])
            case "call_tools":
                done = effect.setdefault("results", [])
                done += host.call_tools(effect["calls"][len(done) : len(done) + 1], effect["target"])["results"]
                return {"results": done}
            case "begin":
                extend, whole = effect.get("extend", False), effect.get("whole", False)
                result = host.begin(effect["objects"], effect["trees"], extend, whole)
                self._transaction_open = True
                return result
            case "apply_step" | "execute_step" if not self._transaction_open:
                raise AssistantError("internal_error", "The core asked for a write outside a transaction.")
            case "apply_step":
                return host.apply_step(effect["step_id"], effect["delta"])
            case "execute_step":
                return host.execute_step(effect["step_id"], effect["action_type"], effect["payload"])
            case "verify":
                self.evidence = host.verify(effect["objects"], effect["trees"])
                return self.evidence
            case "restore":
                return self._take_back()
            case "commit":
                result = host.commit(effect["message"])
                self._transaction_open = False
                self._kept = True
                return result
            case other:
                raise AssistantError("internal_error", f"This add-on does not know the effect {other!r}.")

    def _take_back(self) -> dict[str, Any]:
        """The host's restore, which is tried again once. The transaction is closed afterwards, however it went."""
        self.evidence = None
        try:
            result = self._host.restore()
        except Exception:
            try:
                result = self._host.restore()
            except Exception:
                self._transaction_open = False
                with contextlib.suppress(Exception):
                    self._host.give_up()
                raise
        self._transaction_open = False
        return result

    def _ask(self, effect: dict[str, Any]) -> None:
        request = effect["request"]
        # A question follows the one before: what was asked earlier is answered or outdated.
        self.pending.clear()
        if not callable(self._approve):
            key = str(effect["id"])
            self.pending[key], self._asked[key] = request, effect["id"]
            return
        decision, without, words = _decision(self._approve(request))
        if decision == "approved":
            self._core.approve(effect["id"], without)
        elif decision == "rejected":
            self._core.reject(effect["id"], words)
        else:
            self.cancel()

    def _try_out(self, effect: dict[str, Any]) -> None:
        self._performing = True
        try:
            trial = self._host.dry_run(effect["plan"], effect["catalogue"], effect["seconds"], effect["megabytes"])
        except Exception as error:
            # No trial is no end of the run: the artist is asked again and told why.
            self._core.fail(effect["id"], failure(error))
        else:
            self._trial = (effect["id"], trial)
        finally:
            self._performing = False

    def _follow_trial(self) -> None:
        if self._trial is None:
            return
        effect_id, trial = self._trial
        try:
            result = trial.poll()
        except Exception as error:
            self._stop_trial()
            self._core.fail(effect_id, failure(error))
            return
        if result is not None:
            self._stop_trial()
            self._core.answer(effect_id, result)

    def _stop_trial(self, wait: bool = False) -> None:
        if self._trial is not None:
            (_, trial), self._trial = self._trial, None
            trial.stop(wait)

    def _cancel_overdue(self) -> bool:
        return (
            not self.finished
            and self._cancelled_at is not None
            and time.monotonic() - self._cancelled_at > CANCEL_GRACE_S
        )

    def _abort(self, error: BaseException) -> None:
        """Ends the run without the core: restores first, then tells the core to stop. What was kept already stays."""
        self._error = failure(error)
        self._effects.clear()
        self.pending.clear()
        with contextlib.suppress(Exception):
            self._stop_trial(wait=True)
        if self._transaction_open:
            try:
                restored = self._take_back().get("equal", False)
            except Exception as second:
                restored = False
                self._error["message"] += f" Taking the run back failed as well: {failure(second)['message']}"
            if not restored:
                self._error["code"] = "restore_failed"
                self._error["message"] += " Undo once (Ctrl+Z), or reload the file, before you go on."
        with contextlib.suppress(Exception):
            self._core.cancel()
        self.finished = True
        self.state = self._end_without_core()
        self.summary = self.state.upper()

    def _end_without_core(self) -> str:
        """A run that was kept is done, whatever happened to the core before it could say so."""
        if self._kept:
            return "done"
        return "cancelled" if self._error is not None and self._error["code"] == "cancelled" else "error"


def _decision(answer: Any) -> tuple[str, list[str], str | None]:
    """What a callable ``approve`` said: decision, IDs left out, words."""
    given = {"decision": answer} if isinstance(answer, str) else answer
    known = {"approved": {"without"}, "rejected": {"words"}, "cancelled": set()}
    if isinstance(given, dict) and given.get("decision") in known:
        fields = {key: value for key, value in given.items() if key != "decision"}
        without, words = fields.get("without"), fields.get("words")
        ids = [] if without is None else without
        well = isinstance(ids, list | tuple | set) and all(isinstance(one, str) for one in ids)
        if well and (words is None or isinstance(words, str)) and fields.keys() <= known[given["decision"]]:
            return given["decision"], list(ids), words
    raise AssistantError(
        "invalid_argument",
        f"The callable approve answered {answer!r}.",
        'It answers "approved", "rejected", "cancelled", {"decision": "approved", "without": [IDs]} or '
        '{"decision": "rejected", "words": "…"}.',
    )


def drive(
    handle: RunHandle,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    timeout_s: float | None = None,
) -> RunReport:
    """Drives a run to its end, blocking. For the background, where no window can freeze.

    ``timeout_s`` cancels the run (and so restores) after that many seconds. An exception from ``on_event`` or an
    interrupt restores as well, and is raised.
    """
    started = time.monotonic()
    try:
        while not handle.finished:
            for event in handle.poll():
                if on_event is not None:
                    on_event(event)
            if timeout_s is not None and time.monotonic() > started + timeout_s:
                handle.cancel("run_timeout", f"The run took longer than {timeout_s:g} s and was stopped.")
            if handle.pending:
                # Nobody is there to answer.
                for request_id in list(handle.pending):
                    handle.reject(request_id)
            elif not handle.finished:
                handle.wait()
    finally:
        handle.close()
    return handle.report()


class Session:
    """The one run that the interface shows, folded from its events. Panels draw this and nothing else."""

    def __init__(self) -> None:
        self._reset("")

    def new_conversation(self) -> None:
        """The next wish stands by itself; what was said before stays in its file."""
        self.conversation: str | None = None
        """Name of the conversation that the next wish goes on with; None begins one."""
        self.turns = 0
        """How many wishes it has."""

    def _begin(self, prompt: str) -> None:
        """Forgets the last run, but not the conversation that it belongs to."""
        conversation, turns = self.conversation, self.turns
        self._reset(prompt)
        self.conversation, self.turns = conversation, turns

    def _reset(self, prompt: str) -> None:
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
        self._started = time.monotonic()
        self._second = 0

    @property
    def elapsed_s(self) -> int:
        """Whole seconds since the wish was sent; it goes on counting after the end."""
        return int(time.monotonic() - self._started)

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
        self._fold(events)
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

    def _fold(self, events: Iterable[dict[str, Any]]) -> None:
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
