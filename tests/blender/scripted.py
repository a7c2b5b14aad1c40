# SPDX-License-Identifier: GPL-3.0-or-later
"""A core and a host that fail on demand in ways in which the real ones should never fail."""

from __future__ import annotations

import itertools
from typing import Any

HAPPY = (
    ("capture_context", {"object": None, "modifier": None}),
    ("inspect", {"objects": ["Plane"], "trees": []}),
    ("begin", {"objects": ["Plane"], "trees": ["Scatter"], "extend": False}),
    ("apply_step", {"step_id": "s1", "delta": {}}),
    ("apply_step", {"step_id": "s2", "delta": {}}),
    ("verify", {"objects": ["Plane"], "trees": ["Scatter"]}),
    ("commit", {"message": "Scatter", "words": "Scatter", "run": "1"}),
)


class FakeHost:
    """Records its calls; a transaction is open between ``begin`` and ``commit`` or ``restore``."""

    def __init__(self, faults: dict[str, BaseException] | None = None, equal: bool = True) -> None:
        self.calls: list[str] = []
        self.faults = faults or {}
        self.equal = equal
        self.open = False
        self.written = 0

    def enter(self, name: str) -> None:
        self.calls.append(name)
        if name in self.faults:
            raise self.faults[name]

    def capture_context(self, object: str | None, modifier: str | None) -> dict[str, Any]:
        self.enter("capture_context")
        return {}

    def inspect(self, objects: list[str], trees: list[str]) -> dict[str, Any]:
        self.enter("inspect")
        return {}

    def call_tools(self, calls: list[dict[str, Any]], target: dict[str, Any]) -> dict[str, Any]:
        self.enter("call_tools")
        return {"results": [{"ok": True, "result": {"of": call["tool"]}} for call in calls]}

    def begin(self, objects: list[str], trees: list[str], extend: bool, whole: bool) -> dict[str, Any]:
        self.enter("begin")
        assert self.open == extend
        self.open = True
        return {}

    def pause(self) -> None:
        assert self.open

    def apply_step(self, step_id: str, delta: dict[str, Any]) -> dict[str, Any]:
        assert self.open
        self.written += 1
        self.enter("apply_step")
        return {"applied": {}}

    def verify(self, objects: list[str], trees: list[str]) -> dict[str, Any]:
        self.enter("verify")
        return {"objects": [{"name": name} for name in objects]}

    def restore(self) -> dict[str, Any]:
        assert self.open
        self.enter("restore")
        self.open, self.written = False, 0
        return {"equal": self.equal}

    def give_up(self) -> None:
        self.calls.append("give_up")
        self.open = False

    @property
    def changed(self) -> bool:
        return "commit" in self.calls

    def marks(self, tree: int) -> list[Any]:
        return []

    def results(self) -> list[Any]:
        return []

    def is_as_left(self, _modifier: Any, _slider: Any) -> bool:
        return True

    def is_removed(self) -> bool:
        return False

    def is_undone(self) -> bool:
        return False

    def commit(self, message: str, words: str, run: str) -> dict[str, Any]:
        assert self.open
        self.enter("commit")
        self.open = False
        return {}


class ScriptedCore:
    """Hands out its effects one after the other, and behaves like the real core on failure and cancel.

    ``breaks`` names a method that raises from its ``after``-th call on.
    """

    def __init__(
        self,
        effects: tuple = HAPPY,
        breaks: str | None = None,
        after: int = 0,
        deaf: bool = False,
        forgets_restore: bool = False,
    ) -> None:
        self._todo = list(effects)
        self._breaks, self._after = breaks, after
        self._calls = {name: 0 for name in ("poll", "answer", "fail", "cancel", "report", "wait")}
        self._ids = itertools.count(1)
        self._current: tuple[int, str] | None = None
        self._out: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._messages: list[dict[str, Any]] = []
        self._deaf, self._forgets = deaf, forgets_restore
        self.open = False
        self.status: str | None = None
        self.ending: str | None = None
        self.stale: list[int] = []
        """Answers that came after a cancel."""
        self.failures: list[dict[str, Any]] = []
        self.decisions: list[tuple[str, int]] = []
        self._next()

    def _enter(self, name: str) -> None:
        self._calls[name] += 1
        if self._breaks == name and self._calls[name] > self._after:
            raise RuntimeError(f"{name} broke")

    def _give(self, name: str, arguments: dict[str, Any]) -> None:
        self._current = (next(self._ids), name)
        self._out.append({"id": self._current[0], "effect": name, **arguments})
        self._events.append({"event": "state", "state": name, "summary": "EXECUTING"})

    def _next(self) -> None:
        if self.ending:
            if self.open and not self._forgets:
                self._give("restore", {})
            else:
                self.status = self.ending
        elif self._todo:
            self._give(*self._todo.pop(0))
        else:
            self.status = "done"

    def poll(self) -> dict[str, Any]:
        self._enter("poll")
        effects, self._out = self._out, []
        events, self._events = self._events, []
        state = self.status or "applying"
        return {
            "state": state,
            "summary": state.upper(),
            "effects": effects,
            "events": events,
            "finished": self.status is not None,
        }

    def wait(self, ms: int) -> bool:
        self._enter("wait")
        return True

    def answer(self, effect_id: int, result: dict[str, Any], ms: float | None = None) -> None:
        self._enter("answer")
        if self._current is None or effect_id != self._current[0]:
            self.stale.append(effect_id)
            return
        name = self._current[1]
        if name == "begin":
            self.open = True
        if name in ("commit", "restore"):
            self.open = False
        self._current = None
        self._next()

    def fail(self, effect_id: int, error: dict[str, Any]) -> None:
        self._enter("fail")
        if self._deaf or self._current is None or effect_id != self._current[0]:
            self.stale.append(effect_id)
            return
        self.failures.append(error)
        self.ending = "error"
        if self._current[1] == "restore":
            self.note("restore_failed", f"{error['message']} Undo once (Ctrl+Z), or reload the file.")
            self.status = "error"
            return
        self._current = None
        self._next()

    def cancel(self) -> None:
        self._enter("cancel")
        if self._deaf or self.status:
            return
        name = self._current[1] if self._current else None
        if name == "commit":
            return
        self.ending = "cancelled"
        if name not in ("begin", "restore"):
            self._out.clear()
            self._current = None
            self._next()

    def approve(self, request_id: int, without: list[str]) -> None:
        self.decisions.append(("approve", request_id, without))
        self._next()

    def reject(self, request_id: int, words: str | None) -> None:
        self.decisions.append(("reject", request_id, words))
        if words is None:
            self.ending = "error"
        self._next()

    def dry_run(self, request_id: int, without: list[str]) -> None:
        self.decisions.append(("dry_run", request_id, without))
        self._next()

    def note(self, code: str, text: str) -> None:
        message = {"severity": "error", "origin": "driver", "code": code, "text": text}
        if message not in self._messages:
            self._messages.append(message)

    def messages(self) -> list[dict[str, Any]]:
        return self._messages

    def report(self) -> dict[str, Any]:
        self._enter("report")
        status = self.status or "error"
        return {"status": status, "final_message": "Scattered.", "messages": list(self._messages), "steps": []}
