# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run."""

from __future__ import annotations

from typing import Any


class RunReport:
    """The core's report of a run (``rust/run/EFFECTS.md``); every field is also an attribute."""

    status: str
    state: str
    prompt: str
    provider: str
    model: str | None
    blender: str | None
    attempts: int
    steps: list[dict[str, Any]]
    intermediate_steps: list[dict[str, Any]]
    gates: dict[str, Any] | None
    approvals: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    usage: dict[str, Any] | None
    requests: list[dict[str, Any]]
    validation: list[dict[str, Any]]
    telemetry: dict[str, Any] | None
    final_message: str
    diff: list[str]
    plan: dict[str, Any] | None
    conversation: str | None
    conversation_turns: int

    _DEFAULTS: dict[str, Any] = {
        "status": "error",
        "state": "error",
        "prompt": "",
        "provider": "",
        "model": None,
        "blender": None,
        "attempts": 0,
        "steps": [],
        "intermediate_steps": [],
        "gates": None,
        "approvals": [],
        "messages": [],
        "usage": None,
        "requests": [],
        "validation": [],
        "telemetry": None,
        "final_message": "",
        "diff": [],
        "plan": None,
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
        """Whether the prompt was carried out and the result passed every gate."""
        return self.status == "done"

    @property
    def error(self) -> dict[str, Any] | None:
        """The first message of severity ``error``, else None."""
        return next((m for m in self.messages if m.get("severity") == "error"), None)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-serialisable data."""
        return self._data


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, list) else value
