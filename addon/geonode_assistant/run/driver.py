# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver between the native run and Blender. It knows neither ``bpy`` nor any decision of the core.

The core says what to do next (an *effect*), the host carries it out, and the core gets the result. Invariants:

- a transaction that the host opened ends by exactly one commit or restore, even if the driver itself fails;
- ``RunHandle.poll`` never waits beyond its time budget, and starts no further effect once that is used up.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from ..messages import AssistantError, failure
from .report import RunReport

if TYPE_CHECKING:
    from ..host.documents import Context, Document, Evidence, StepDelta
    from .protocol import (
        Applied,
        ApprovalRequest,
        Effect,
        EffectAskApproval,
        EffectDryRun,
        HostCall,
        HostResult,
        Message,
        Restored,
        RunState,
        Summary,
        ToolResults,
    )

Decision = Literal["approved", "rejected", "cancelled"]
Approve = Literal["all"] | Callable[[dict[str, Any]], Decision | dict[str, Any]] | None
"""A callable returns ``"approved"``, ``"rejected"``, ``"cancelled"``, ``{"decision": "approved", "without": [IDs]}`` or
``{"decision": "rejected", "words": "what should be different"}``."""

# The time budget of one poll, in seconds: short enough for a window to keep drawing.
POLL_BUDGET_S = 0.005
# What a window carries out in a poll of its own: each is as much as may happen between two of its drawings. What others
# edit in between is theirs (`host/meanwhile.py`).
_APART = frozenset({"begin", "apply_step", "execute_step", "verify", "commit"})
# Where nobody else has Blender, writes follow each other in one poll for so many seconds after the first: the file need
# not be read again in between. The core is not waited for longer than in other polls.
WRITING_S = 0.25
_WRITES = frozenset({"begin", "apply_step"})
# How long a blocking wait may last before Python handles signals, in milliseconds.
WAIT_MS = 100
# How long the core may take to end a cancelled run, in seconds; after that the driver ends it without the core.
CANCEL_GRACE_S = 10.0
# State and summary of a run that ended without the core, by its status.
ENDED: dict[str, tuple[RunState, Summary]] = {
    "done": ("done", "DONE"),
    "cancelled": ("cancelled", "CANCELLED"),
    "error": ("error", "ERROR"),
}


class Core(Protocol):
    """The part of ``geonode_core.Run`` that the driver uses."""

    def poll(self) -> dict[str, Any]: ...
    def wait(self, ms: int) -> bool: ...
    def answer(self, effect_id: Any, result: Mapping[str, Any], ms: float | None = None) -> None: ...
    def fail(self, effect_id: Any, error: dict[str, Any]) -> None: ...
    def cancel(self) -> None: ...
    def approve(self, request_id: Any, without: list[str] = ...) -> None: ...
    def reject(self, request_id: Any, words: str | None = None) -> None: ...
    def dry_run(self, request_id: Any, without: list[str] = ...) -> None: ...
    def messages(self) -> list[Message]: ...
    def note(self, code: str, text: str) -> None: ...
    def report(self) -> dict[str, Any]: ...
    def save(self) -> dict[str, Any]: ...


class Trial(Protocol):
    """A dry run under way: the plan is applied to a copy of the file in another process."""

    def poll(self) -> dict[str, Any] | None:
        """The result once it is over, else None; never waits."""
        ...

    def stopped(self) -> dict[str, Any]:
        """The result to report when the artist has stopped the trial."""
        ...

    def stop(self, wait: bool = False) -> None:
        """Ends the process and removes its files: before this returns if ``wait``, else within a second."""
        ...


class Host(Protocol):
    """The work that only Blender's main thread can do. Every method may raise an error with a ``code``. One that
    returns None has done a part of its work, and is called again with the same arguments until all is done.
    """

    def capture_context(self, object: str | None, modifier: str | None) -> Context | None: ...
    def inspect(self, objects: list[str], trees: list[str], materials: list[str] = ...) -> Document | None: ...
    def call_tools(self, calls: list[HostCall], target: dict[str, Any]) -> ToolResults: ...
    def begin(self, objects: list[str], trees: list[str], extend: bool, whole: bool) -> dict[str, Any]: ...
    def apply_step(self, step_id: str, delta: StepDelta) -> Applied: ...
    def execute_step(self, step_id: str, action_type: str, payload: dict[str, Any]) -> Applied: ...
    def verify(self, objects: list[str], trees: list[str]) -> Evidence | None: ...
    def restore(self) -> Restored: ...
    def give_up(self) -> None: ...
    def pause(self) -> None: ...
    def allow_only(self, names: dict[str, dict[str, list[str]]]) -> None: ...
    def dry_run(
        self,
        plan: dict[str, Any],
        catalogue: str,
        seconds: int,
        megabytes: int,
        sealed: bool = False,
        exact: Iterable[int] = (),
    ) -> Trial: ...
    def commit(self, message: str, words: str, run: str) -> dict[str, Any]: ...
    @property
    def changed(self) -> bool:
        """Whether something was committed that differs from what was there before."""
        ...

    def results(self) -> list[Any]:
        """The modifiers that hold what was committed, as Blender's data of this moment."""
        ...

    def is_as_left(self, modifier: Any, slider: Any) -> bool:
        """Whether an input (``sliders.Slider``) of such a modifier still holds what was committed."""
        ...

    def marks(self, tree: int) -> list[Any]:
        """What the kept run did to the nodes of the tree with this session UID (``host.marks.Mark``)."""
        ...

    def take_back(self, tree: Any, group: int, message: str) -> None:
        """Makes the nodes of one group of ``marks`` as they were before the run, as an undo step of this name."""
        ...

    def is_back(self, uid: int, group: int) -> bool:
        """Whether the nodes of that group, in the tree with this session UID, are as they were before the run."""
        ...

    def is_removed(self) -> bool:
        """Whether the modifiers that held it have been removed since, other than by an undo."""
        ...

    def is_undone(self) -> bool:
        """Whether what was committed has been taken back by an undo."""
        ...


class RunHandle:
    """One run. ``poll`` it until ``finished``; never blocks, so a window's timer can hold it."""

    def __init__(self, core: Core, host: Host, approve: Approve = None) -> None:
        self.core = core
        self.host = host
        self._approve = approve
        self._effects: deque[Effect] = deque()
        self._transaction_open = False
        self._kept = False
        self._performing = False
        self._took_s = 0.0  # of the effect that is under way
        self._error: dict[str, str] | None = None
        self._cancelled_at: float | None = None
        self._cancel_reason: dict[str, str] | None = None
        self._reported: RunReport | None = None
        self.state: RunState = "idle"
        self.summary: Summary = "IDLE"
        self.finished = False
        self.evidence: Evidence | None = None
        """The result of the last verification; None before the first."""
        self.pending: dict[str, ApprovalRequest] = {}
        """Requests that wait for the artist's approval, by ID (the core's ID as a string)."""
        self._effect_ids: dict[str, Any] = {}
        """The core's own ID of each request in ``pending``."""
        self._trial: tuple[Any, Trial] | None = None

    @property
    def half_written(self) -> bool:
        """Whether the file is between two writes of this run; it must not be saved or undone in this state."""
        return self._transaction_open and not self._performing

    def poll(self, budget_s: float = POLL_BUDGET_S, apart: bool = True) -> list[dict[str, Any]]:
        """Carries out effects for about ``budget_s`` seconds; returns the new events for the interface.

        At least one waiting effect, or a part of it, is carried out, and with a budget of 0 no other. ``apart``:
        nothing follows a write in the same poll; else what follows one is carried out at once, even if the budget is
        used up. Never raises an error of the core or the host: the run then ends with status ``error`` and everything
        is restored.
        """
        events: list[dict[str, Any]] = []
        if self.finished:
            return events
        deadline = time.monotonic() + budget_s
        writing_until = None
        try:
            self.follow_trial()
            events += self._turn()
            while self._effects and not self.finished:
                effect = self._effects.popleft()
                self._carry_out(effect)
                if apart and effect["effect"] in _APART:
                    events += self._turn()
                    break
                # The core mostly answers within milliseconds, while a slow redraw may come before the next poll.
                now = time.monotonic()
                left = deadline - now
                if budget_s and effect["effect"] in _WRITES:
                    writing_until = writing_until or now + WRITING_S
                    left = max(left, budget_s if now < writing_until else 0)
                if left > 0 and not self._effects:
                    self.core.wait(int(left * 1000))
                events += self._turn()
                if left <= 0:
                    break
            if self._transaction_open:
                self.host.pause()
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
        """Ends the run within a second; the next polls restore what it wrote. Can be called at any time; has no effect
        once the run has passed its gates and is about to be committed.

        A ``message`` is put into the report under ``code``.
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
            self.core.cancel()
            # Waiting effects are dropped, except those that open or end a transaction: the core decides about them.
            waiting, self._effects = self._effects, deque()
            for effect in waiting:
                if effect["effect"] in ("begin", "restore", "commit"):
                    self._effects.append(effect)
                else:
                    self._took_s = 0.0
                    self.core.fail(effect["id"], {"code": "cancelled", "message": "The run was cancelled."})
        except Exception as error:
            self._abort(error)

    def approve(self, request_id: str, without: Iterable[str] = ()) -> None:
        """Approves request ``request_id``, except for the steps and operations whose IDs are in ``without``.

        If the rest is not a valid plan, nothing is written and another request gives the reason. An answer to a request
        that is no longer open has no effect.
        """
        if request_id in self.pending and not (self.trying and self.must_pass(request_id)):
            self.core.approve(self._effect_ids[request_id], list(without))
            self._close_request(request_id)

    def reject(self, request_id: str, words: str | None = None) -> None:
        """Rejects request ``request_id``; nothing is written. With ``words`` a new plan is made that follows them;
        without, the run ends.

        Raises ``prompt_too_long`` if ``words`` is too long; the request then stays open.
        """
        if request_id in self.pending:
            self.core.reject(self._effect_ids[request_id], words)
            self._close_request(request_id)

    def dry_run(self, request_id: str, without: Iterable[str] = ()) -> None:
        """Applies what request ``request_id`` describes, without these IDs, to a copy of the file in another process.

        The request can still be answered, which ends the dry run. When the dry run has ended, the request is replaced
        by one with the result in ``dry_run``.
        """
        if request_id in self.pending and self._trial is None:
            self.core.dry_run(self._effect_ids[request_id], list(without))

    def must_pass(self, request_id: str) -> bool:
        """Whether a trial comes before the approval of this request."""
        offer = self.pending[request_id].get("dry_run")
        return bool(offer and offer.get("required"))

    def stop_dry_run(self) -> None:
        """Ends the dry run that is under way; the request is asked again with a note that it was stopped."""
        if self._trial is not None:
            effect_id, trial = self._trial
            self._stop_trial()
            self.core.answer(effect_id, trial.stopped())

    @property
    def trying(self) -> bool:
        """Whether a dry run is under way."""
        return self._trial is not None

    def _close_request(self, request_id: str) -> None:
        del self.pending[request_id]
        self._stop_trial()

    def wait(self, ms: int = WAIT_MS) -> bool:
        """Blocks up to ``ms`` milliseconds for news from the core. For scripts in the background only."""
        return bool(self._effects) or self.finished or self.core.wait(ms)

    def close(self) -> None:
        """Ends the run now, without waiting for the core, and restores what it wrote. For unloading the add-on."""
        if not self.finished:
            self._abort(AssistantError("cancelled", "The run was cancelled."))

    def report(self) -> RunReport:
        """The report; complete once ``finished``."""
        if self._error is not None and self._kept:
            return self._unconfirmed()
        if self._reported is not None:
            return self._reported
        try:
            data = dict(self.core.report())
            own = self._error or (self._cancel_reason if data["status"] == "cancelled" else None)
            if own is not None:
                self.core.note(own["code"], own["message"])
                data = dict(self.core.report())
        except Exception as error:
            # The core cannot report its own messages any more, so this is the only one.
            self._error = self._error or failure(error)
            own = self._error
            data = {"messages": [_message(own)]}
        if self._error is not None:
            data["status"] = self._end_without_core()
        report = RunReport(data)
        if self.finished:
            # That of a large plan takes long to read.
            self._reported = report
        return report

    def _unconfirmed(self) -> RunReport:
        """The report of a run that passed its gates and was kept, and whose core then failed."""
        data: dict[str, Any] = {}
        with contextlib.suppress(Exception):
            data = dict(self.core.report())
        why = self._error["message"] if self._error is not None else ""
        text = f"The result was kept as one undo step; the core did not confirm it. {why}"
        return RunReport(data | {"status": "done", "final_message": text})

    def save(self) -> dict[str, Any]:
        """The current state of the run as JSON-serialisable data, for ``api.resume`` in another process that has opened
        this file.

        It contains no key. Changes of an open transaction are not part of it: such a run starts its plan again.
        """
        return self.core.save()

    def messages(self) -> list[Message]:
        """All messages so far, merged and ordered by the core."""
        return self.core.messages()

    def _turn(self) -> list[dict[str, Any]]:
        """Polls the core: takes over its state, queues its effects, returns its events."""
        turn = self.core.poll()
        self.state, self.summary = turn["state"], turn["summary"]
        if self.state == "generating":
            # After a failed trial the model is asked before the artist is asked again.
            self.pending.clear()
        if turn["effects"] or turn["finished"]:
            # A core that asks for other effects no longer waits for the dry run.
            self._stop_trial()
        self._effects.extend(turn["effects"])
        if turn["finished"]:
            self._effects.clear()
            if self._transaction_open:
                # The core ended without commit or restore; the file must not stay half written.
                raise AssistantError("internal_error", "The run ended with an open transaction; it was restored.")
            self.finished = True
        return list(turn["events"])

    def _carry_out(self, effect: Effect) -> None:
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
            result = self.perform(effect)
            self._took_s += time.perf_counter() - started
            if result is None:
                # The window is drawn before the next part.
                self._effects.appendleft(effect)
                return
        except Exception as error:
            # The core decides what follows from a failed effect; after a write it requests the restore itself.
            self._took_s = 0.0
            self.core.fail(effect_id, failure(error))
        else:
            took_s, self._took_s = self._took_s, 0.0
            self.core.answer(effect_id, result, took_s * 1000)
        finally:
            self._performing = False

    def perform(self, effect: Effect) -> Mapping[str, Any] | None:
        """Carries out an effect of the core, or the next part of it, and returns its result; None if that was not the
        last part. Raises when the host fails.
        """
        host = self.host
        match effect["effect"]:
            case "capture_context":
                return host.capture_context(effect.get("object"), effect.get("modifier"))
            case "inspect":
                made = effect.get("materials", [])
                return host.inspect(effect["objects"], effect["trees"], *([made] if made else []))
            case "call_tools":
                # The effect keeps its results between two turns.
                done: list[HostResult] = cast("dict[str, Any]", effect).setdefault("results", [])
                done += host.call_tools(effect["calls"][len(done) : len(done) + 1], effect["target"])["results"]
                return {"results": done} if len(done) >= len(effect["calls"]) else None
            case "begin":
                extend, whole = effect.get("extend", False), effect.get("whole", False)
                result = host.begin(effect["objects"], effect["trees"], extend, whole)
                self._transaction_open = True
                names = effect.get("names")
                if names is not None:
                    host.allow_only(names)
                return result
            case "apply_step" | "execute_step" if not self._transaction_open:
                raise AssistantError("internal_error", "The core asked for a write outside a transaction.")
            case "apply_step":
                return host.apply_step(effect["step_id"], effect["delta"])
            case "execute_step":
                return host.execute_step(effect["step_id"], effect["action_type"], effect["payload"])
            case "verify":
                evidence = host.verify(effect["objects"], effect["trees"])
                self.evidence = evidence or self.evidence
                return evidence
            case "restore":
                return self._restore()
            case "commit":
                result = host.commit(effect["message"], effect["words"], effect["run"])
                self._transaction_open = False
                self._kept = True
                return result
            case other:
                raise AssistantError(
                    "internal_error",
                    f"This add-on does not know the effect {other!r}; it does not fit its native core.",
                )

    def _restore(self) -> Restored:
        """Calls the host's restore, a second time if it raises. The transaction is closed afterwards in any case."""
        self.evidence = None
        try:
            result = self.host.restore()
        except Exception:
            try:
                result = self.host.restore()
            except Exception:
                self._transaction_open = False
                with contextlib.suppress(Exception):
                    self.host.give_up()
                raise
        self._transaction_open = False
        return result

    def _ask(self, effect: EffectAskApproval) -> None:
        request = effect["request"]
        # A new question means that earlier ones are answered or outdated.
        self.pending.clear()
        if not callable(self._approve):
            key = str(effect["id"])
            self.pending[key], self._effect_ids[key] = request, effect["id"]
        if _awaits_trial(request):
            # While it is read. A callable is asked when there is something to decide.
            self.core.dry_run(effect["id"])
            return
        if not callable(self._approve):
            return
        if self._transaction_open:
            self.host.pause()
        decision, without, words = _decision(self._approve(cast("dict[str, Any]", request)))
        if decision == "approved":
            self.core.approve(effect["id"], without)
        elif decision == "rejected":
            self.core.reject(effect["id"], words)
        else:
            self.cancel()

    def _try_out(self, effect: EffectDryRun) -> None:
        self._performing = True
        try:
            limits = (effect["seconds"], effect["megabytes"])
            sealed, exact = effect.get("sealed", False), effect.get("exact", [])
            trial = self.host.dry_run(effect["plan"], effect["catalogue"], *limits, sealed, exact)
        except Exception as error:
            # The run continues without a dry run: the artist is asked again, with the reason.
            self.core.fail(effect["id"], failure(error))
        else:
            self._trial = (effect["id"], trial)
        finally:
            self._performing = False

    def follow_trial(self) -> None:
        """Checks the dry run once and passes its result to the core when it has ended."""
        if self._trial is None:
            return
        effect_id, trial = self._trial
        try:
            result = trial.poll()
        except Exception as error:
            self._stop_trial()
            self.core.fail(effect_id, failure(error))
            return
        if result is not None:
            self._stop_trial()
            self.core.answer(effect_id, result)

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
        """Ends the run without the core: restores, then stops the core. A result that was already committed stays."""
        self._error = failure(error)
        self._effects.clear()
        self.pending.clear()
        with contextlib.suppress(Exception):
            self._stop_trial(wait=True)
        if self._transaction_open:
            try:
                restored = self._restore().get("equal", False)
            except Exception as second:
                restored = False
                self._error["message"] += f" Restoring the file failed as well: {failure(second)['message']}"
            if not restored:
                self._error["code"] = "restore_failed"
                self._error["message"] += " Undo once (Ctrl+Z), or reload the file, before you continue."
        with contextlib.suppress(Exception):
            self.core.cancel()
        self.finished = True
        self.state, self.summary = ENDED[self._end_without_core()]

    def _end_without_core(self) -> Literal["done", "cancelled", "error"]:
        """The final state; a run that was committed is done, even if the core failed before it could confirm it."""
        if self._kept:
            return "done"
        return "cancelled" if self._error is not None and self._error["code"] == "cancelled" else "error"


def _awaits_trial(request: ApprovalRequest) -> bool:
    """Whether the first thing to do about a request is to try it."""
    offer = request.get("dry_run")
    return bool(offer and offer.get("required") and offer.get("available") and offer.get("result") is None)


def _decision(answer: Any) -> tuple[str, list[str], str | None]:
    """Parses the answer of a callable ``approve``: decision, IDs left out, words."""
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
        f"The callable approve returned {answer!r}.",
        'Return "approved", "rejected", "cancelled", {"decision": "approved", "without": [IDs]} or '
        '{"decision": "rejected", "words": "…"}.',
    )


def drive(
    handle: RunHandle,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    timeout_s: float | None = None,
) -> RunReport:
    """Drives a run to its end and blocks meanwhile; only for background use, since a window would freeze.

    ``timeout_s`` cancels the run after that many seconds, which restores the file. So does an exception from
    ``on_event`` or an interrupt, which is then raised.
    """
    started = time.monotonic()
    try:
        while not handle.finished:
            for event in handle.poll(apart=False):
                if on_event is not None:
                    on_event(event)
            if timeout_s is not None and time.monotonic() > started + timeout_s:
                handle.cancel("run_timeout", f"The run took longer than {timeout_s:g} s and was stopped.")
            if handle.pending:
                # Nobody can answer here: a callable would have been asked before.
                for request_id in list(handle.pending):
                    handle.reject(request_id)
            elif not handle.finished:
                handle.wait()
    finally:
        handle.close()
    return handle.report()


def _message(own: dict[str, str]) -> dict[str, Any]:
    return {"severity": "error", "origin": "driver", "code": own["code"], "text": own["message"]}
