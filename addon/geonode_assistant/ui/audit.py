# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit log as the preferences show it: where it is, and whether its hash chain is intact. The core writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..run.background import Check
from .translation import say

found: dict[str, Any] | None = None
"""Result of the last verification in this process (``geonode_core.audit_state``)."""


def verify(core: Any) -> Check[dict[str, Any] | None]:
    """Starts verifying the whole log."""
    return Check(core.audit_state)


def renew(core: Any) -> Check[Path | None]:
    """Starts moving the log aside and creating a new one; the result is the new path of the old log."""
    return Check(core.audit_renew)


def describe(state: dict[str, Any] | None) -> str:
    """The result of a verification as a line for the interface."""
    if state is None:
        return say("There is no audit log yet")
    if state["broken_at"] is not None:
        return say(
            "{path} is damaged at line {line}: {why} Nothing more is recorded until you start a new audit log",
            path=state["path"],
            line=state["broken_at"],
            why=state["why"],
        )
    return say("{path} is intact: {entries} entries", path=state["path"], entries=state["entries"])
