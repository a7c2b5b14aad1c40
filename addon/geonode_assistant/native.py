# SPDX-License-Identifier: GPL-3.0-or-later
"""The native core, loaded when it is first needed."""

from __future__ import annotations

import atexit
import contextlib
from typing import Any

from .messages import AssistantError

# How long the end of the process waits for the last entries of the audit log, in seconds.
FLUSH_S = 1.0

_recording = False


def core() -> Any:
    """The module ``geonode_core``, which records into the audit log from now on.

    ``core_missing`` when it is not installed or built for another platform.
    """
    try:
        import geonode_core
    except ImportError as error:
        raise AssistantError(
            "core_missing",
            f"The native part geonode_core cannot be loaded: {error}",
            "Install the extension that fits this platform.",
        ) from error
    _record(geonode_core)
    return geonode_core


def _record(core: Any) -> None:
    global _recording
    if not _recording:
        _recording = True
        # Without a place for it nothing is recorded; the core says so with each run once it has one.
        with contextlib.suppress(core.CoreError):
            core.audit_start()
            atexit.register(core.audit_flush, FLUSH_S)
