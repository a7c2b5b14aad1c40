# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what scripts do in a sealed trial, and tries the records on the copy as it was: only a record that gives the
same as the script is handed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..host import addresses, census, digest
from ..scripting import ScriptResult
from ..scripting.recorder import Recorder
from . import script_steps

# Seconds for reading all that may have changed, once after the scripts and once after their records.
READING_S = 2.0
# The most bytes of all records together.
MOST_BYTES = 12 << 20


class Recordings:
    """The scripts of one trial: first they run and are recorded, then their records are carried out."""

    def __init__(self, without_users: frozenset[str], situation: dict[str, Any]) -> None:
        """``without_users``: as of ``Recorder``. ``situation``: that of the artist's Blender."""
        self._without_users = without_users
        self._situation = situation
        self._records: dict[str, str] = {}
        self._trying = False
        self.reasons: dict[str, str] = {}
        """Why a step has no record."""

    @property
    def records(self) -> dict[str, str]:
        """The records that gave the same as their scripts, by step."""
        return {} if self.reasons else self._records

    def run(self, step_id: str, payload: dict[str, Any]) -> ScriptResult:
        """Carries out a step with a script."""
        if self._trying:
            again = {"record": self._records[step_id], "timeout_ms": payload["timeout_ms"], "asked": True}
            return script_steps.run(again, None)
        if payload["mode"] != "safe":
            self.reasons[step_id] = "it is a trusted script"
            return script_steps.run(payload, None)
        recorder = Recorder(self._without_users)
        if addresses.situation() != self._situation:
            recorder.lost("the copy opens with another mode or selection")
        result, record = script_steps.run_recorded(payload, recorder)
        if record is None:
            self.reasons[step_id] = recorder.reason or "it left no record"
        else:
            self._records[step_id] = json.dumps(record)
        if sum(map(len, self._records.values())) > MOST_BYTES:
            self.reasons[step_id] = "its record is too large"
        return result

    def compare(self, names: census.Names, again: Callable[[], census.Names | None]) -> None:
        """Carries out the records on the copy as it was (``again``, which gives the names or None when it failed) and
        compares; a difference becomes a reason.
        """
        if self.reasons or not self._records:
            return
        try:
            blocks = digest.everything()
            script = digest.Reader(READING_S).read(blocks)
            self._trying = True
            done = again()
            if done is None:
                why = "carrying out its record failed"
            elif done != names or digest.everything() != blocks:
                why = "its record makes other data-blocks"
            else:
                found = digest.difference(script, digest.Reader(READING_S).read(blocks))
                why = "" if found is None else f"its record gives something else ({found})"
        except digest.TooSlow:
            why = "the file is too large to compare both"
        except Exception as error:
            why = f"its record cannot be compared with it ({type(error).__name__}: {error})"
        if why:
            self.reasons = dict.fromkeys(self._records, why)
