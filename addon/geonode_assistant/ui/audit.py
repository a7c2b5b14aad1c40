# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit log as the preferences show it: where it lies, and whether its chain is whole. The core writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..run.connection import Check

found: dict[str, Any] | None = None
"""What the last verification of this process said (``geonode_core.audit_state``)."""


def verify(core: Any) -> Check[dict[str, Any] | None]:
    """Begins to verify the whole log."""
    return Check(core.audit_state, [])


def renew(core: Any) -> Check[Path | None]:
    """Begins to set the log aside and to start a new one; the result is where the old one lies now."""
    return Check(core.audit_renew, [])


def spoken(state: dict[str, Any] | None) -> str:
    """What a verification found, in words."""
    if state is None:
        return "Nothing is recorded"
    if state["broken_at"] is not None:
        return f"{state['path']} is broken at line {state['broken_at']}: {state['why']} Nothing more is added to it"
    return f"{state['path']} is whole: {state['entries']} entries"
