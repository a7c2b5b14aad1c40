# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of the current run for the interface, built from the run's events.

There is one session per Blender process, with one run at a time. This module does not use ``bpy``.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..messages import AssistantError
from . import remembered
from .driver import POLL_BUDGET_S, RunHandle
from .report import RunReport

if TYPE_CHECKING:
    from .protocol import ApprovalRequest, AskedScript, Message, RunState, Summary, Understanding

PAGE_LINES = 30
"""Lines of a script on one page of a question."""


@lru_cache(maxsize=16)
def pages_of(code: str) -> int:
    """How many pages a script has."""
    return max(1, -(-len(code.splitlines()) // PAGE_LINES))


class Session:
    """The state of the one run that the interface shows; the panels draw nothing else."""

    def __init__(self) -> None:
        self._treeless: remembered.Run | None = None
        self.told: set[str] = set()
        """Texts that earlier runs of this process have told already."""
        self.reset("")

    def new_conversation(self) -> None:
        """Makes the next prompt begin a conversation; the current one stays in its file."""
        self.conversation: str | None = None
        """Name of the conversation that the next prompt continues; None begins one."""
        self.turns = 0
        """The number of prompts in the conversation."""
        self.shown: set[str] = set()
        """The parts of the panel that the artist has opened."""
        self.former: RunHandle | None = None
        """The last run before this one that made a result; what follows it may fail, and its result stands."""
        self.former_undone = False

    def _begin(self, prompt: str) -> None:
        """Clears the last run, but not its conversation, nor which parts of the panel are open."""
        self.remember_tree()
        self.told |= {message["text"] for message in self.messages}
        conversation, turns, shown = self.conversation, self.turns, self.shown
        made = self.handle is not None and bool(self.results)
        former, gone = (self.handle, False) if made else (self.former, self.former_undone)
        self.reset(prompt)
        self.former, self.former_undone = former, gone
        self.conversation, self.turns, self.shown = conversation, turns, shown

    def reset(self, prompt: str) -> None:
        """Clears everything and sets the prompt."""
        self.new_conversation()
        self._treeless = None
        self.handle: RunHandle | None = None
        self.is_prompt = True
        """Whether ``prompt`` are words that were sent; otherwise the name of a preset, a plan or a tree."""
        self.prompt = prompt
        self.state: RunState = "idle"
        self.summary: Summary = "IDLE"
        self.progress: float | None = None
        """The part of the work that is done, 0 to 1; None if unknown."""
        self.activity = ""
        """What is being done, for display; empty if the state says everything."""
        self.text = ""
        self.steps: list[Mapping[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        """Tool calls of the model: ``tool, call_id, status`` (``running, done, failed``), later ``input,
        output, ms``.
        """
        self.messages: list[Message] = []
        self.estimate: dict[str, Any] | None = None
        """The estimate for the last request to a model: ``input_tokens, cost_usd, most_cost_usd``."""
        self.report: RunReport | None = None
        self.undone = False
        """Whether an undo has taken the result of the run back."""
        self._beyond = 0
        """How many steps further an undo went."""
        self.accepted = False
        """Whether the artist has accepted what the run did to the nodes."""
        self._settled: set[tuple[int, int]] = set()
        self._taken_back: dict[tuple[int, int], bool] = {}
        self.left_out: set[str] = set()
        """IDs of the operations of the open request that the artist has unticked."""
        self.followed = 0
        """How many operations the last choice took along."""
        self.opened: set[str] = set()
        """Groups of operations of the open request that are open."""
        self.pages: dict[str, int] = {}
        """The page of each script of the open request that is shown, from 0, by its step."""
        self.read: set[str] = set()
        """Steps of the open request whose script was shown to its last page."""
        self.confirmed: set[str] = set()
        """Steps of the open request whose trusted script the artist wants to run without limits."""
        self.former_question: ApprovalRequest | None = None
        """The question of this run that was answered before the open one."""
        self._asked: ApprovalRequest | None = None
        self._question: str | None = None
        self._tried_since: float | None = None
        self.started = time.monotonic()
        """When the run began, on the monotonic clock."""
        self._second = 0

    @property
    def elapsed_s(self) -> int:
        """Whole seconds since the prompt was sent; keeps counting after the end."""
        return int(time.monotonic() - self.started)

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self.handle is not None and not self.handle.finished

    @property
    def final_message(self) -> str:
        """The closing message of the finished run; empty before."""
        return self.report.final_message if self.report is not None else ""

    @property
    def pending(self) -> list[tuple[str, ApprovalRequest]]:
        """Requests that wait for approval, as (ID, request)."""
        return list(self.handle.pending.items()) if self.handle is not None else []

    def claim(self, make: Callable[[], RunHandle], prompt: str = "", is_prompt: bool = True) -> RunHandle:
        """Starts the run that ``make`` returns; ``is_prompt``: of words, not of a plan that was there. Raises
        ``run_in_progress`` while another one is under way.
        """
        if self.running:
            raise AssistantError(
                "run_in_progress",
                "Another run is still under way.",
                "Wait until it ends, or cancel it, then send again.",
            )
        handle = make()
        self._begin(prompt)
        self.handle, self.is_prompt = handle, is_prompt
        self.state, self.summary = "generating", "PLANNING"
        return handle

    def refuse(self, error: AssistantError, prompt: str = "") -> None:
        """Shows the error of a prompt whose run could not start."""
        self._begin(prompt)
        self.state, self.summary = "error", "ERROR"
        message: Message = {"severity": "error", "origin": "request", "code": error.code, "text": error.message}
        if error.hint:
            message["hint"] = error.hint
        self.messages = [message]

    def poll(self, budget_s: float = POLL_BUDGET_S, at_once: bool = True) -> bool:
        """Advances the run; returns whether a redraw is needed, also because another second has passed. ``at_once``:
        the tree of a run that has ended is remembered too; else the caller calls ``remember_tree`` next.
        """
        if self.handle is None or self.report is not None:
            return False
        events = self.handle.poll(budget_s)
        self.fold(events)
        questions_changed = self._update_questions()
        second = self.elapsed_s
        changed = questions_changed or bool(events) or self.state != self.handle.state or second != self._second
        self._second = second
        self.state, self.summary = self.handle.state, self.handle.summary
        if self.handle.finished:
            self.report = self.handle.report()
            if self.report.conversation is not None:
                self.conversation, self.turns = self.report.conversation, self.report.conversation_turns
            self.messages = self.report.messages
            self.steps = list(self.report.steps)
            self.progress, self.activity = None, ""
            # What a run made must not be lost because it cannot be remembered.
            with contextlib.suppress(Exception):
                self._treeless = remembered.current.note(self.report, self.results, self.is_prompt)
            if at_once:
                self.remember_tree()
            changed = True
        return changed

    @property
    def is_treeless(self) -> bool:
        """Whether the tree of the run that has ended is still to be remembered."""
        return self._treeless is not None

    def remember_tree(self) -> None:
        """Remembers the tree of the run that has ended, once."""
        run, self._treeless = self._treeless, None
        if run is not None:
            with contextlib.suppress(Exception):
                remembered.current.keep_tree(run, self.results)

    def cancel(self) -> None:
        """Cancels the run; polling continues until it has ended."""
        if self.handle is not None:
            self.handle.cancel()

    def decide(self, request_id: str, accept: bool, words: str | None = None) -> None:
        """Answers one of ``pending``: approves it without ``left_out``, or rejects it with ``words``."""
        if self.handle is None:
            return
        if accept:
            self.handle.approve(request_id, sorted(self.left_out))
        else:
            self.handle.reject(request_id, words)

    def toggle(self, operation_id: str) -> None:
        """Leaves an operation of the open request out, or includes it again."""
        self.choose([operation_id], operation_id in self.left_out)

    def choose(self, ids: Iterable[str], wanted: bool) -> None:
        """Includes these operations of the open request, with those that they need, or leaves them out, with those that
        need them.
        """
        needs: dict[str, list[str]] = {}
        for _, request in self.pending:
            for step in request.get("steps", ()):
                for operation in step.get("operations", ()):
                    for other in operation.get("needs", ()):
                        one, two = (operation["id"], other) if wanted else (other, operation["id"])
                        needs.setdefault(one, []).append(two)
        chosen, queue = set(ids), list(ids)
        asked = len(chosen)
        while queue:
            for other in needs.get(queue.pop(), ()):
                if other not in chosen and (other in self.left_out) == wanted:
                    chosen.add(other)
                    queue.append(other)
        self.followed = len(chosen) - asked
        self.left_out = self.left_out - chosen if wanted else self.left_out | chosen

    def turn_page(self, step_id: str, page: int) -> None:
        """Shows this page of a script of the open request, from 0."""
        script = self.script(step_id)
        if script is not None:
            last = pages_of(script["code"]) - 1
            self.pages[step_id] = min(max(page, 0), last)
            if self.pages[step_id] == last:
                self.read.add(step_id)

    def confirm(self, step_id: str) -> None:
        """Notes that the artist wants a trusted script to run without limits, or no longer."""
        self.confirmed ^= {step_id}

    def unread(self, request: ApprovalRequest) -> str:
        """What has to be done with the scripts of a request before it can be approved, as a sentence; empty if
        nothing. What is left out does not run.
        """
        scripts = [(s["id"], s["script"]) for s in request.get("steps", ()) if s.get("script")]
        for step_id, script in scripts:
            if script is None or step_id in self.left_out:
                continue
            if pages_of(script["code"]) > 1 and step_id not in self.read:
                return "Read the script to its last page; then it can be approved."
            if script["mode"] == "trusted" and step_id not in self.confirmed:
                return "Below the script, say that it may run without limits; then it can be approved."
        return ""

    def script(self, step_id: str) -> AskedScript | None:
        """The script of a step of the open requests; None if there is none."""
        steps = [step for _, request in self.pending for step in request.get("steps", ())]
        return next((step.get("script") for step in steps if step["id"] == step_id), None)

    def try_out(self, request_id: str) -> None:
        """Starts a dry run of one of ``pending``, without ``left_out``."""
        if self.handle is not None:
            self.handle.dry_run(request_id, sorted(self.left_out))

    def stop_trying(self) -> None:
        """Ends the dry run; the request stays open."""
        if self.handle is not None:
            self.handle.stop_dry_run()

    @property
    def trying(self) -> bool:
        """Whether a dry run is under way."""
        return self.handle is not None and self.handle.trying

    def can_approve(self, request: ApprovalRequest) -> bool:
        """Whether Approve is open: scripts were read, and what has to pass a trial first has passed it, or cannot be
        tried.
        """
        if self.unread(request):
            return False
        offer = request.get("dry_run")
        if not offer or not offer.get("required") or not offer.get("available"):
            return True
        result = offer.get("result")
        if self.trying or result is None:
            return False
        # Another choice than the one that was tried is tried when it is approved.
        other = sorted(self.left_out) != sorted(result.get("without", ()))
        return other or result.get("ok") is True or result.get("tried") is False

    @property
    def tried_s(self) -> int | None:
        """Whole seconds since the dry run began; None if there is none."""
        return None if self._tried_since is None else int(time.monotonic() - self._tried_since)

    def _update_questions(self) -> bool:
        """Updates what belongs to the open request; returns whether the request or the dry run changed."""
        before = (self._question, self._tried_since)
        if self.trying != (self._tried_since is not None):
            self._tried_since = time.monotonic() if self.trying else None
        request_id, request = next(iter(self.pending), (None, None))
        if request_id != self._question:
            self._question = request_id
            again = _is_same(self._asked, request)
            if self._asked is not None and not again:
                self.former_question = self._asked
            self._asked = request
            self.pages, self.read, self.confirmed = {}, set(), set()
            self.left_out = set(request.get("without", ()) if request else ())
            self.opened, self.followed = self.opened if again else set(), 0
        return before != (self._question, self._tried_since)

    @property
    def unchanged(self) -> bool:
        """Whether the run is done and the file is as it was before."""
        done = self.handle is not None and self.report is not None and self.report.ok
        return done and self.handle is not None and not self.handle.host.changed

    @property
    def results(self) -> list[Any]:
        """The modifiers that the last run made or edited, as far as they exist; empty until it is done."""
        done = self.report is not None and self.report.ok and not self.undone
        return self.handle.host.results() if done and self.handle is not None else []

    @property
    def standing(self) -> list[Any]:
        """``results``, or those of the run before where the last one made none: it failed, was cancelled or had nothing
        to change.
        """
        made = self.report is not None and self.report.ok and not self.unchanged
        if made or self.running or self.former is None or self.former_undone:
            return self.results
        return self.results or self.former.host.results()

    @property
    def understanding(self) -> Understanding | None:
        """How the offline planner read the prompt whose result stands; None for a model's result, for an answer to a
        question, and before the run has ended well.
        """
        stands = self.report is not None and self.report.ok and not self.undone
        known = self.report.understanding if stands and self.report is not None else None
        return known if known and known["preset"] else None

    def is_as_left(self, modifier: Any, slider: Any) -> bool:
        """Whether an input of one of ``results`` still holds what the run left in it."""
        return self.handle is not None and self.handle.host.is_as_left(modifier, slider)

    def marks(self, tree: Any) -> list[Any]:
        """What the last run did to the nodes of a tree that was there before, until it is accepted or undone."""
        stands = self.report is not None and self.report.ok and not self.undone and not self.accepted
        known = self.handle.host.marks(tree.session_uid) if stands and self.handle is not None else []
        done = {group for (uid, group), is_back in self._taken_back.items() if uid == tree.session_uid and is_back}
        done |= {group for uid, group in self._settled if uid == tree.session_uid}
        return [mark for mark in known if mark.group not in done] if done else known

    def accept_group(self, tree: Any, group: int) -> None:
        """Keeps one group of ``marks``: its nodes are not marked any more."""
        self._settled.add((tree.session_uid, group))

    def take_group_back(self, tree: Any, group: int, message: str) -> None:
        """Makes the nodes of one group of ``marks`` as they were before the run, as an undo step of this name. Raises
        where that cannot be, and changes nothing then.
        """
        uid = tree.session_uid
        if self.handle is not None:
            self.handle.host.take_back(tree, group, message)
            self._taken_back[uid, group] = True

    @property
    def removed(self) -> bool:
        """Whether what the last run made has been removed since, other than by an undo."""
        done = self.report is not None and self.report.ok and not self.undone
        return done and self.handle is not None and self.handle.host.is_removed()

    def show(self, part: str) -> None:
        """Opens a part of the panel, or closes it again."""
        self.shown ^= {part}

    def follow_undo(self, redo: bool = False) -> bool:
        """After an undo or a redo: notes whether the result of the last run stands. Returns whether that changed."""
        before = (self.undone, self.former_undone)
        # Further back the file is as it was neither before the run nor after it, until as many steps are made again.
        further = self.undone and not redo
        inside = self._beyond > 0 and redo
        self._beyond += further - inside
        former = self.former is not None and self.former.host.is_undone()
        self.former_undone = former or self.former_undone and (further or inside)
        if not further and not inside:
            ended = self.handle is not None and self.report is not None and self.report.ok
            self.undone = ended and self.handle is not None and self.handle.host.is_undone()
        if self.handle is not None:
            for uid, group in self._taken_back:
                self._taken_back[uid, group] = self.handle.host.is_back(uid, group)
        return (self.undone, self.former_undone) != before

    def leave_file(self) -> None:
        """Forgets the last run and its conversation: they belong to the file in which they began."""
        self.reset("")

    def close(self) -> None:
        """Ends the run at once and restores what it wrote: another file is being loaded, or the add-on switched off."""
        if self.handle is not None:
            self.handle.close()
            self.poll()

    def fold(self, events: Iterable[dict[str, Any]]) -> None:
        """Applies the events of a run to this state."""
        new_message = False
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
                    # A new request discards what was received of an earlier reply.
                    self.steps = [step for step in self.steps if step.get("status") != "planned"]
                    self.text = ""
                case "message":
                    new_message = True
                case "step":
                    self._note_step({key: value for key, value in event.items() if key != "event"})
        if new_message and self.handle is not None:
            # The core merges and orders the messages; if it fails, those that are shown already stay.
            with contextlib.suppress(Exception):
                self.messages = self.handle.messages()

    def _note_tool(self, record: dict[str, Any]) -> None:
        """Adds or updates a tool call; events come at its begin, during its progress, and with its result."""
        for index in range(len(self.tools) - 1, -1, -1):
            if self.tools[index].get("call_id") == record.get("call_id"):
                self.tools[index] |= record
                return
        self.tools.append(record)

    def _note_step(self, record: dict[str, Any]) -> None:
        """Adds or updates a step. It arrives as ``planned`` while the plan is read and changes later; a retry
        may use the same ID again after the step was restored.
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


def _is_same(asked: ApprovalRequest | None, request: ApprovalRequest | None) -> bool:
    """Whether a question is the one before, asked again because its plan was tried."""
    trial = request.get("dry_run") if request is not None else None
    if asked is None or request is None or not trial or not trial.get("result"):
        return False
    return asked["steps"] == request["steps"] and asked["diff"] == request["diff"]


current = Session()
"""The session of this Blender process."""
