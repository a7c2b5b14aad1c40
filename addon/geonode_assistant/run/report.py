# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .protocol import ReportAttributes

if TYPE_CHECKING:
    from .protocol import Message, Report


def _empty() -> Report:
    """The report of a run that the core can no longer tell anything about."""
    return {
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
        "understanding": None,
        "final_message": "",
        "diff": [],
        "plan": None,
        "conversation": None,
        "conversation_turns": 0,
    }


class RunReport(ReportAttributes):
    """The core's report of a run (``rust/run/EFFECTS.md``); every field of ``Report`` is also an attribute."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data: dict[str, Any] = {**_empty(), **data}

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
    def error(self) -> Message | None:
        """The first message of severity ``error``, else None."""
        return next((m for m in self.messages if m.get("severity") == "error"), None)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-serialisable data."""
        return self._data
