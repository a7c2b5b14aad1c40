# SPDX-License-Identifier: GPL-3.0-or-later
"""PYTHON steps of a plan, carried out on Blender's main thread inside the run's transaction."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

# The step type on the wire.
TYPE = "PYTHON"
# How many characters of its output are kept in a step's record.
SHOWN_CHARACTERS = 2000


def run(payload: dict[str, Any], removable: Collection[int] | None = ()) -> str:
    """Runs the script of a step, which the core has checked; returns what it printed, else how long it took.

    ``removable``: the ``session_uid`` of the data-blocks that it may remove although its text does not show that; None:
    all.

    Raises what ``scripting.execute`` raises: a refusal, a timeout, or the script's own error with its line.
    """
    from .. import scripting

    mode, timeout_ms = payload["mode"], payload["timeout_ms"]
    result = scripting.execute(payload["code"], mode=mode, timeout_ms=timeout_ms, removable=removable)
    return shorten_output(result.stdout) or f"Ran in {result.duration_ms:.0f} ms"


def shorten_output(output: str) -> str:
    """The beginning of an output, followed by the number of characters that are left out."""
    text = output.strip()
    if len(text) <= SHOWN_CHARACTERS:
        return text
    return f"{text[:SHOWN_CHARACTERS].rstrip()}\n… and {len(text) - SHOWN_CHARACTERS} characters more"
