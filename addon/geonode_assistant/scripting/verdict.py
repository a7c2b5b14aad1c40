# SPDX-License-Identifier: GPL-3.0-or-later
"""What safe mode says about Python scripts; the rules are the core's."""

from __future__ import annotations

from dataclasses import dataclass

from .. import native
from . import policy


@dataclass(frozen=True)
class ScriptFinding:
    """One place of a script that safe mode refuses, or about which the artist is asked."""

    code: str
    rule: str
    line: int
    """From 1."""
    column: int
    """In characters, from 1."""
    text: str
    """What it is and why."""
    hint: str
    """What to use instead."""


@dataclass(frozen=True)
class Verdict:
    """What safe mode says about a script."""

    ok: bool
    findings: list[ScriptFinding]
    """Why it is refused; empty when ``ok``."""
    asks: list[ScriptFinding]
    """What it would remove from the file; the artist confirms this in every mode."""
    own: frozenset[str]
    """Names of attributes that the script gives to its own objects."""
    source: str
    """The text that was judged: the given one, with the inner quotes of same-quote f-strings exchanged."""


def check_script(source: str) -> Verdict:
    """Judges a Python script for safe mode in this Blender, without running it."""
    found = native.core().check_script(source, policy.VERSION)
    return Verdict(
        found["ok"],
        [ScriptFinding(**one) for one in found["findings"]],
        [ScriptFinding(**one) for one in found["asks"]],
        frozenset(found.get("own", ())),
        found.get("rewritten", source),
    )
