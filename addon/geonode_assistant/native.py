# SPDX-License-Identifier: GPL-3.0-or-later
"""The native core, loaded on first use, and the facts that it and the add-on share."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import platform
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .messages import AssistantError

CORE = "geonode_core"
INSTALL = "Install the extension built for this platform."

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

    Raises ``core_missing`` when it is not installed or was built for another platform, ``core_outdated`` when another
    version of it is still loaded.
    """
    try:
        import geonode_core
    except ImportError as error:
        raise AssistantError("core_missing", f"The native module {CORE} cannot be loaded: {error}", INSTALL) from error
    outdated = _outdated(geonode_core)
    if outdated is not None:
        raise outdated
    _record(geonode_core)
    return geonode_core


def problem() -> AssistantError | None:
    """Why nothing can be done now, found without loading the core; panels ask at each drawing."""
    loaded = sys.modules.get(CORE)
    if loaded is not None:
        return _outdated(loaded)
    if not _is_installed():
        here = f"{platform.system() or 'this system'} ({platform.machine() or 'unknown processor'})"
        return AssistantError("core_missing", f"The installed add-on has no native part for {here}.", INSTALL)
    return None


@cache
def _is_installed() -> bool:
    """Whether Python finds the core. Asked once: an installation reloads this module."""
    return importlib.util.find_spec(CORE) is not None


def _outdated(loaded: Any) -> AssistantError | None:
    """Why this core is not the add-on's own: a module that is in use stays loaded until Blender ends."""
    found, wanted = getattr(loaded, "__version__", "?"), version()
    if found == wanted:
        return None
    text = f"The add-on is version {wanted} now, its native part still {found}: it is replaced when Blender starts."
    return AssistantError("core_outdated", text, "Save your work and restart Blender.")


@cache
def version() -> str:
    """The version of the add-on, from its manifest."""
    with (Path(__file__).parent / "blender_manifest.toml").open("rb") as stream:
        return str(tomllib.load(stream)["version"])


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
