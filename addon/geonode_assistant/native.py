# SPDX-License-Identifier: GPL-3.0-or-later
"""The native core, loaded when it is first needed."""

from __future__ import annotations

from typing import Any

from .messages import AssistantError


def core() -> Any:
    """The module ``geonode_core``; ``core_missing`` when it is not installed or built for another platform."""
    try:
        import geonode_core
    except ImportError as error:
        raise AssistantError(
            "core_missing",
            f"The native part geonode_core cannot be loaded: {error}",
            "Install the extension that fits this platform.",
        ) from error
    return geonode_core
