# SPDX-License-Identifier: GPL-3.0-or-later
"""The native core, loaded on first use, and the facts that it and the add-on share."""

from __future__ import annotations

import atexit
import contextlib
from functools import cache
from typing import Any, NamedTuple

from .messages import AssistantError

# How long Blender's exit waits until the last entries of the audit log are written, in seconds.
FLUSH_S = 1.0

_recording = False


class Limits(NamedTuple):
    """Sizes that core and host both keep to."""

    name_bytes: int
    """Of a node, socket or modifier, in UTF-8; Blender cuts longer ones."""
    nested: int
    """Groups, frames or panels in each other."""
    tree_bytes: int
    """Of a tree document."""


def core() -> Any:
    """The module ``geonode_core``; loading it also starts the audit log.

    Raises ``core_missing`` when it is not installed or was built for another platform.
    """
    try:
        import geonode_core
    except ImportError as error:
        raise AssistantError(
            "core_missing",
            f"The native module geonode_core cannot be loaded: {error}",
            "Install the extension built for this platform.",
        ) from error
    _record(geonode_core)
    return geonode_core


def fix(code: str) -> str | None:
    """What the registry says to do about a code; None for an unknown one, or without a core."""
    try:
        return core().code_fix(code)
    except AssistantError:
        return None


@cache
def section_of(code: str) -> str | None:
    """The part of the product that a code belongs to; None for an unknown one, or without a core."""
    try:
        return core().code_section(code)
    except AssistantError:
        return None


@cache
def limits() -> Limits:
    """The limits of the core."""
    return Limits(**core().limits())


@cache
def bounds(setting: str) -> tuple[int, int]:
    """The smallest and the largest value of a setting that is a whole number."""
    (known,) = (one for one in core().settings() if one["name"] == setting)
    return int(known["min"]), int(known["max"])


def _record(core: Any) -> None:
    global _recording
    if not _recording:
        _recording = True
        # If the log cannot be written, nothing is recorded, and the core adds a message to each run.
        with contextlib.suppress(core.CoreError):
            core.audit_start()
            atexit.register(core.audit_flush, FLUSH_S)
