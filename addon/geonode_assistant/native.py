# SPDX-License-Identifier: GPL-3.0-or-later
"""The native core, loaded on first use."""

from __future__ import annotations

import atexit
import contextlib
from typing import Any

from .messages import AssistantError

# How long Blender's exit waits until the last entries of the audit log are written, in seconds.
FLUSH_S = 1.0

_recording = False


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


def _record(core: Any) -> None:
    global _recording
    if not _recording:
        _recording = True
        # If the log cannot be written, nothing is recorded, and the core adds a message to each run.
        with contextlib.suppress(core.CoreError):
            core.audit_start()
            atexit.register(core.audit_flush, FLUSH_S)
