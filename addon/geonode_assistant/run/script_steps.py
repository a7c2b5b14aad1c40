# SPDX-License-Identifier: GPL-3.0-or-later
"""PYTHON steps of a plan, carried out on Blender's main thread inside the run's transaction."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from .. import native

if TYPE_CHECKING:
    from ..scripting import ScriptResult
    from ..scripting.recorder import Recorder

# The step type on the wire.
TYPE = "PYTHON"
# How many characters of its output are kept in a step's record.
SHOWN_CHARACTERS = 2000


# How many names are listed of what nothing uses any more.
SHOWN_NAMES = 8

# Recording takes time too, so a script that is recorded may take so many times as long.
RECORDED_FACTOR = 4


def run(payload: dict[str, Any], removable: Collection[int] | None = ()) -> ScriptResult:
    """Runs the script of a step, or carries out the record of its trial, which the core has checked. The result of a
    record has no names: its script has not run here.

    ``removable``: the ``session_uid`` of the data-blocks that it may remove although its text does not show that; None:
    all.

    Raises what ``scripting.execute`` and ``scripting.carry_out`` raise: a refusal, a timeout, the script's own error
    with its line, an entry of the record that does not fit.
    """
    from .. import scripting

    if "record" in payload:
        record = json.loads(payload["record"])
        # Where the artist was asked about removals, the names of the trial bound them.
        return scripting.carry_out(record, payload["timeout_ms"], None if payload["asked"] else removable)
    mode, timeout_ms = payload["mode"], payload["timeout_ms"]
    return scripting.execute(payload["code"], mode=mode, timeout_ms=timeout_ms, removable=removable)


def message(result: ScriptResult) -> str:
    """What the report says about a step: what its script printed, else how long it took; then what was done otherwise
    than it was written.
    """
    said = shorten_output(result.stdout) or f"Ran in {result.duration_ms:.0f} ms"
    return "\n".join([said, *remarks(result)])


def remarks(result: ScriptResult) -> list[str]:
    """What was done otherwise than the script was written, what it may have meant otherwise, and what nothing uses any
    more: a line for each.
    """
    lines = [f"Written for another Blender. {one[:1].upper()}{one[1:]}." for one in result.rewrites]
    lines += [f"To be looked at. {one[:1].upper()}{one[1:]}." for one in result.doubts]
    if result.abandoned:
        shown = ", ".join(result.abandoned[:SHOWN_NAMES])
        more = len(result.abandoned) - SHOWN_NAMES
        lines.append(
            f"Nothing uses {shown}{f' and {more} more' if more > 0 else ''} any more, so saving the file leaves it out."
        )
    return lines


def run_recorded(payload: dict[str, Any], recorder: Recorder) -> tuple[ScriptResult, dict[str, Any] | None]:
    """As ``run`` of a script in safe mode, in a trial; returns the record too, or None where there is none."""
    from .. import scripting

    _, longest = native.bounds("max_python_ms")
    timeout_ms = min(payload["timeout_ms"] * RECORDED_FACTOR, longest)
    result = scripting.execute(payload["code"], timeout_ms=timeout_ms, removable=None, recorder=recorder)
    return result, recorder.record(result.stdout)


def shorten_output(output: str) -> str:
    """The beginning of an output, followed by the number of characters that are left out."""
    text = output.strip()
    if len(text) <= SHOWN_CHARACTERS:
        return text
    return f"{text[:SHOWN_CHARACTERS].rstrip()}\n… and {len(text) - SHOWN_CHARACTERS} characters more"
