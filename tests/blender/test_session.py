# SPDX-License-Identifier: GPL-3.0-or-later
"""The invariants of the driver, whatever core and host do. Needs no Blender."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import driver, session
from geonode_assistant.run.driver import RunHandle, drive
from geonode_assistant.run.report import RunReport
from geonode_assistant.run.session import Session
from scripted import HAPPY, FakeHost, ScriptedCore

NAMES = [name for name, _ in HAPPY]
AFTER_BEGIN = NAMES[NAMES.index("begin") + 1 :]


def finish(handle: RunHandle) -> RunReport:
    """Polls as a timer would; fails if the run does not end."""
    for _ in range(200):
        handle.poll(0)
        if handle.finished:
            return handle.report()
    raise AssertionError("the run does not end")


def test_a_run_does_every_effect_once_and_in_order() -> None:
    host = FakeHost()
    report = drive(RunHandle(ScriptedCore(), host))
    assert host.calls == NAMES
    assert report.ok
    assert report.final_message == "Scattered."


def test_one_poll_without_budget_does_one_effect() -> None:
    host = FakeHost()
    handle = RunHandle(ScriptedCore(), host)
    for done in range(1, len(NAMES) + 1):
        handle.poll(0)
        assert len(host.calls) == done


def polls_of(apart: bool, budget_s: float) -> list[list[str]]:
    """What the host does in each poll."""
    host = FakeHost()
    handle = RunHandle(ScriptedCore(), host)
    polls = []
    while not handle.finished:
        done = len(host.calls)
        handle.poll(budget_s, apart)
        polls.append(host.calls[done:])
    return polls


def test_what_follows_a_write_is_carried_out_in_the_same_poll_where_nobody_else_has_blender() -> None:
    assert polls_of(False, 1e-9)[-2:] == [["begin", "apply_step", "apply_step", "verify"], ["commit"]]


def test_a_window_is_drawn_after_each_write_and_each_look_at_the_result() -> None:
    polls = [one for one in polls_of(True, 10.0) if one]
    assert polls == [["capture_context", "inspect", "begin"], ["apply_step"], ["apply_step"], ["verify"], ["commit"]]


class InParts(FakeHost):
    """Needs several calls for what it reads."""

    parts = 0

    def part(self, found: dict) -> dict | None:
        self.parts += 1
        return found if self.parts % 3 == 0 else None

    def capture_context(self, object: str | None, modifier: str | None) -> dict | None:
        return self.part(super().capture_context(object, modifier))

    def verify(self, objects: list[str], trees: list[str]) -> dict | None:
        return self.part(super().verify(objects, trees))


def test_work_in_parts_goes_on_at_the_next_poll_and_is_answered_once() -> None:
    host, core = InParts(), Answers()
    handle = RunHandle(core, host)
    while not handle.finished:
        done = len(host.calls)
        handle.poll(0)
        assert len(host.calls) <= done + 1
    assert host.parts == 6
    assert len(core.answered) == len(NAMES)
    assert handle.evidence == {"objects": [{"name": "Plane"}]}


def test_a_run_cancelled_between_two_parts_ends() -> None:
    host = InParts()
    view = Session()
    view.claim(lambda: RunHandle(ScriptedCore(), host))
    while host.calls[-1:] != ["verify"]:
        view.poll(0)
    view.cancel()
    while view.running:
        view.poll(0)
    assert view.report is not None and view.report.status == "cancelled"
    assert host.written == 0 and host.calls.count("verify") == 1


def test_the_host_is_told_when_others_may_edit() -> None:
    host = FakeHost()
    handle = RunHandle(ScriptedCore(), host)
    pauses = []
    host.pause = lambda: pauses.append(host.calls[-1])
    while not handle.finished:
        handle.poll(0)
    assert pauses == ["begin", "apply_step", "apply_step", "verify"]


class Answers(ScriptedCore):
    """Records the answers that it gets."""

    answered: list = []

    def answer(self, effect_id: int, result: dict, ms: float | None = None) -> None:
        self.answered = [*self.answered, result]
        super().answer(effect_id, result, ms)


LOOKS = ("call_tools", {"calls": [{"tool": name, "arguments": {}} for name in "abc"], "target": {}})


def test_one_tool_call_is_made_per_poll() -> None:
    host, core = FakeHost(), Answers((LOOKS,))
    handle = RunHandle(core, host)
    for done in (1, 2, 3):
        assert not core.answered
        handle.poll(0)
        assert host.calls == ["call_tools"] * done
    assert [one["result"]["of"] for one in core.answered[0]["results"]] == ["a", "b", "c"]
    assert finish(handle).ok


def test_a_cancel_between_two_tool_calls_stops_further_calls() -> None:
    host, core = FakeHost(), Answers((LOOKS,))
    handle = RunHandle(core, host)
    handle.poll(0)
    handle.cancel()
    assert finish(handle).status == "cancelled"
    assert host.calls == ["call_tools"] and not core.answered


def test_evidence_of_the_last_verification_is_kept() -> None:
    handle = RunHandle(ScriptedCore(), FakeHost())
    drive(handle)
    assert handle.evidence == {"objects": [{"name": "Plane"}]}


@pytest.mark.parametrize("effect", [name for name in dict.fromkeys(NAMES)])
def test_a_failing_host_is_reported_with_its_code_and_restored(effect: str) -> None:
    core, host = ScriptedCore(), FakeHost({effect: AssistantError("library_data", "It is linked.")})
    report = finish(RunHandle(core, host))
    assert core.failures[0] == {"code": "library_data", "message": "It is linked."}
    assert report.status == "error"
    assert not host.open
    assert ("restore" in host.calls) == (effect in AFTER_BEGIN)


@pytest.mark.parametrize("method", ["poll", "answer"])
@pytest.mark.parametrize("after", range(8))
def test_a_core_that_fails_anywhere_still_restores(method: str, after: int) -> None:
    host = FakeHost()
    report = finish(RunHandle(ScriptedCore(breaks=method, after=after), host))
    assert not host.open
    assert host.written == 0 or "commit" in host.calls
    if method == "poll" or after < len(NAMES):
        assert report.status in ("error", "done")
    if report.status == "error":
        assert report.messages[0]["code"] == "internal_error"


def test_a_committed_run_is_done_even_if_the_core_fails_afterwards() -> None:
    host = FakeHost()
    report = finish(RunHandle(ScriptedCore(breaks="answer", after=NAMES.index("commit")), host))
    assert host.calls[-1] == "commit"
    assert report.status == "done"
    assert "kept" in report.final_message


def test_a_core_that_ends_with_an_open_transaction_is_restored() -> None:
    host = FakeHost({"verify": ValueError("odd")})
    report = finish(RunHandle(ScriptedCore(forgets_restore=True), host))
    assert host.calls[-1] == "restore"
    assert report.messages[0]["code"] == "internal_error"


def test_a_host_that_cannot_restore_is_reported() -> None:
    host = FakeHost({"verify": KeyError("x"), "restore": RuntimeError("gone")})
    report = finish(RunHandle(ScriptedCore(), host))
    assert report.status == "error"
    assert report.messages[0]["code"] == "restore_failed"
    assert "Undo once" in report.messages[0]["text"] and "reload" in report.messages[0]["text"]
    assert host.calls[-3:] == ["restore", "restore", "give_up"]


@pytest.mark.parametrize("breaks", [None, "answer"])
def test_a_restore_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch, breaks: str | None) -> None:
    host = FakeHost({"verify": KeyError("x"), "restore": OSError(28, "No space left on device")})
    usual = host.enter

    def call(name: str) -> None:
        try:
            usual(name)
        finally:
            if name == "restore":
                host.faults.pop("restore", None)

    monkeypatch.setattr(host, "enter", call)
    report = finish(RunHandle(ScriptedCore(breaks=breaks, after=4), host))
    assert (host.open, host.written) == (False, 0)
    assert host.calls[-2:] == ["restore", "restore"]
    assert "restore_failed" not in [message["code"] for message in report.messages]


def test_an_unequal_restore_after_a_failed_core_is_reported() -> None:
    host = FakeHost(equal=False)
    report = finish(RunHandle(ScriptedCore(breaks="answer", after=4), host))
    assert report.messages[0]["code"] == "restore_failed"


@pytest.mark.parametrize("polls", range(len(NAMES)))
def test_cancel_at_any_moment_restores(polls: int) -> None:
    host = FakeHost()
    handle = RunHandle(ScriptedCore(), host)
    for _ in range(polls):
        handle.poll(0)
    handle.cancel()
    report = finish(handle)
    assert not host.open
    if polls < NAMES.index("commit"):
        assert report.status == "cancelled"
        assert host.written == 0
        later = [name for name in host.calls[polls:] if name not in ("begin", "restore")]
        assert later == [], "no new effect begins after a cancel"
    else:
        assert report.ok, "a run that has passed its gates cannot be cancelled"


def test_a_core_that_ignores_cancel_is_ended_by_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "CANCEL_GRACE_S", -1.0)
    host = FakeHost()
    handle = RunHandle(ScriptedCore(deaf=True), host)
    for _ in range(4):
        handle.poll(0)
    handle.cancel()
    report = finish(handle)
    assert report.status == "cancelled"
    assert not host.open


def test_close_restores_at_once() -> None:
    host = FakeHost()
    handle = RunHandle(ScriptedCore(), host)
    for _ in range(5):
        handle.poll(0)
    assert host.written == 2
    handle.close()
    assert handle.finished
    assert host.written == 0
    assert handle.report().status == "cancelled"


def test_an_interrupt_inside_a_write_restores_and_is_raised() -> None:
    host = FakeHost({"apply_step": KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        drive(RunHandle(ScriptedCore(), host))
    assert not host.open
    assert host.written == 0


def test_a_failing_listener_restores_and_is_raised() -> None:
    host = FakeHost()

    def listen(event: dict) -> None:
        if event.get("state") == "verify":
            raise LookupError("listener")

    with pytest.raises(LookupError):
        drive(RunHandle(ScriptedCore(), host), listen)
    assert not host.open
    assert host.written == 0 or "commit" in host.calls


def test_timeout_cancels_with_its_own_code() -> None:
    effects = tuple(("capture_context", {}) for _ in range(100_000))
    report = drive(RunHandle(ScriptedCore(effects), FakeHost()), timeout_s=1e-9)
    assert report.status == "cancelled"
    assert report.messages[0]["code"] == "run_timeout"


def test_an_unknown_effect_is_refused() -> None:
    core = ScriptedCore((("teleport", {}),))
    report = finish(RunHandle(core, FakeHost()))
    assert report.status == "error"
    assert core.failures[0]["code"] == "internal_error"


def test_a_write_outside_a_transaction_never_reaches_the_host() -> None:
    host = FakeHost()
    report = finish(RunHandle(ScriptedCore((("apply_step", {"step_id": "s", "delta": {}}),)), host))
    assert report.status == "error"
    assert host.calls == []


ASK = (("ask_approval", {"request": {"title": "Delete 9 nodes"}}), *HAPPY)


@pytest.mark.parametrize(
    ("decision", "status", "written"),
    [("approved", "done", 2), ("rejected", "error", 0), ("cancelled", "cancelled", 0)],
)
def test_a_callable_decides(decision: str, status: str, written: int) -> None:
    asked = []

    def approve(request: dict) -> str:
        asked.append(request)
        return decision

    host = FakeHost()
    report = finish(RunHandle(ScriptedCore(ASK), host, approve))
    assert asked == [{"title": "Delete 9 nodes"}]
    assert (report.status, host.written) == (status, written)


def test_a_request_waits_for_the_artist() -> None:
    core, host = ScriptedCore(ASK), FakeHost()
    handle = RunHandle(core, host)
    for _ in range(5):
        handle.poll(0)
    assert host.calls == []
    [request_id] = handle.pending
    handle.approve(request_id)
    handle.approve(request_id)
    assert finish(handle).ok
    assert core.decisions == [("approve", int(request_id), [])]


class FakeTrial:
    """A dry run that ends after so many polls."""

    def __init__(self, looks: int = 3) -> None:
        self.looks = looks
        self.stopped: list[bool] = []

    def poll(self) -> dict[str, Any] | None:
        self.looks -= 1
        return {"ok": True} if self.looks < 0 else None

    def stop(self, wait: bool = False) -> None:
        self.stopped.append(wait)


class TrialHost(FakeHost):
    def __init__(self, made: FakeTrial | Exception) -> None:
        super().__init__()
        self.made = made

    def dry_run(self, *_job: Any) -> FakeTrial:
        self.enter("dry_run")
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


AGAIN = ("ask_approval", {"request": {"again": True}})
TRY = (ASK[0], ("dry_run", {"plan": {}, "catalogue": "", "seconds": 1, "megabytes": 1}), AGAIN, *HAPPY)


def start_trial(made: FakeTrial | Exception) -> tuple[RunHandle, ScriptedCore, str]:
    core = ScriptedCore(TRY)
    handle = RunHandle(core, TrialHost(made))
    handle.poll(0)
    [request_id] = handle.pending
    handle.dry_run(request_id)
    handle.poll(0)
    return handle, core, request_id


def test_a_dry_run_is_polled_until_it_ends() -> None:
    made = FakeTrial()
    handle, core, request_id = start_trial(made)
    assert handle.trying and list(handle.pending) == [request_id]
    handle.dry_run(request_id)
    while handle.trying:
        handle.poll(0)
    handle.poll(0)
    assert made.stopped == [False]
    assert [decision[0] for decision in core.decisions] == ["dry_run"]
    [second] = handle.pending
    assert second != request_id and handle.pending[second] == {"again": True}
    handle.approve(second)
    assert finish(handle).ok


@pytest.mark.parametrize(("end", "waits"), [("approve", False), ("reject", False), ("cancel", False), ("close", True)])
def test_the_end_of_the_question_ends_the_dry_run(end: str, waits: bool) -> None:
    made = FakeTrial(1000)
    handle, _, request_id = start_trial(made)
    getattr(handle, end)(*([request_id] if end in ("approve", "reject") else []))
    assert made.stopped == [waits]
    assert not handle.trying and not handle.pending
    handle.poll(0)
    assert made.stopped == [waits]


def test_the_end_of_a_dry_run_causes_a_redraw() -> None:
    view = Session()
    core = ScriptedCore(TRY)
    handle = view.claim(lambda: RunHandle(core, TrialHost(FakeTrial())))
    while not view.pending:
        view.poll(0)
    [(request_id, _)] = view.pending
    silent = core.poll
    core.poll = lambda: {**silent(), "events": []}  # type: ignore[method-assign]
    view.try_out(request_id)
    drawn = []
    for _ in range(8):
        before = (handle.trying, list(handle.pending))
        changed = view.poll(0)
        if (handle.trying, list(handle.pending)) != before:
            drawn.append(changed)
    assert len(drawn) >= 2 and all(drawn)


def test_a_dry_run_that_raises_is_reported_to_the_core() -> None:
    made = FakeTrial(1000)
    handle, core, _ = start_trial(made)
    made.poll = lambda: 1 / 0  # type: ignore[method-assign]
    handle.poll(0)
    assert [failed["code"] for failed in core.failures] == ["internal_error"]
    assert made.stopped == [False]


def test_a_dry_run_that_cannot_start_is_reported_to_the_core() -> None:
    handle, core, _ = start_trial(AssistantError("disk_full", "No space."))
    assert [failed["code"] for failed in core.failures] == ["disk_full"]
    assert not handle.trying


def test_a_blocking_run_rejects_open_requests() -> None:
    host = FakeHost()
    report = drive(RunHandle(ScriptedCore(ASK), host))
    assert report.status == "error"
    assert host.calls == []


def test_a_session_has_one_run_at_a_time() -> None:
    view = Session()
    view.claim(lambda: RunHandle(ScriptedCore(), FakeHost()), "first")
    with pytest.raises(AssistantError) as refusal:
        view.claim(lambda: RunHandle(ScriptedCore(), FakeHost()), "second")
    assert refusal.value.code == "run_in_progress"
    assert view.prompt == "first"
    while view.running:
        view.poll()
    assert (view.state, view.final_message) == ("done", "Scattered.")
    view.claim(lambda: RunHandle(ScriptedCore(), FakeHost()), "second")
    assert view.report is None


def test_a_run_that_cannot_start_leaves_the_session_free() -> None:
    view = Session()

    def broken() -> RunHandle:
        raise AssistantError("core_missing", "No core.")

    with pytest.raises(AssistantError):
        view.claim(broken)
    assert not view.running
    view.refuse(AssistantError("core_missing", "No core.", "Install it."), "words")
    assert (view.summary, view.messages[0]["hint"]) == ("ERROR", "Install it.")


def test_closing_a_session_ends_its_run() -> None:
    host = FakeHost()
    view = Session()
    view.claim(lambda: RunHandle(ScriptedCore(), host))
    for _ in range(4):
        view.poll(0)
    view.close()
    assert not view.running
    assert view.report is not None
    assert host.written == 0


def test_a_signal_cancels_instead_of_raising() -> None:
    from geonode_assistant.cli.console import Interrupt
    from geonode_assistant.cli.e2e import Circumstances

    class Interrupted(FakeHost):
        def verify(self, objects: list[str], trees: list[str]) -> dict:
            signal.raise_signal(signal.SIGINT)
            return super().verify(objects, trees)

    host = Interrupted()
    handle = RunHandle(ScriptedCore(), host)
    before = signal.getsignal(signal.SIGINT)
    with Interrupt() as interrupt:
        with interrupt.cancels(handle):
            report = drive(handle)
        with pytest.raises(AssistantError, match="Interrupted") as caught:
            interrupt.check()
        assert caught.value.hint == "Nothing was written."
        with pytest.raises(AssistantError, match="Interrupted") as caught:
            Circumstances(interrupt=interrupt).check()
        assert caught.value.hint == "A report that was asked for has what was found before."
    assert signal.getsignal(signal.SIGINT) is before
    assert report.status == "cancelled"
    assert not host.open


def test_a_passing_second_causes_a_redraw(monkeypatch: pytest.MonkeyPatch) -> None:
    view = session.Session()
    view.claim(lambda: RunHandle(ScriptedCore((("ask_approval", {"request": {}}),)), FakeHost()))
    while view.poll(0):
        pass
    start = view.started
    for second in (1, 2):
        monkeypatch.setattr(session.time, "monotonic", lambda second=second: start + second)
        assert view.poll(0)
        assert not view.poll(0)
        assert view.elapsed_s == second
