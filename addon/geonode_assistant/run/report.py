# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run went."""

from __future__ import annotations

from typing import Any


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


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, list) else value
