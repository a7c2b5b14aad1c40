# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict of safe mode about a Python script; the core has the rules."""

from __future__ import annotations

from dataclasses import dataclass

from .. import native
from . import policy


@dataclass(frozen=True)
class ScriptFinding:
    """One place in a script that safe mode refuses, or that the artist must confirm."""

    code: str
    rule: str
    line: int
    """Line number, from 1."""
    column: int
    """Column in characters, from 1."""
    text: str
    """What is refused and why."""
    hint: str
    """What to use instead."""


@dataclass(frozen=True)
class Verdict:
    """The verdict of safe mode about a script."""

    ok: bool
    findings: list[ScriptFinding]
    """The reasons for the refusal; empty if ``ok``."""
    asks: list[ScriptFinding]
    """The places where it removes data from the file; the artist must confirm these in every mode."""
    own: frozenset[str]
    """Names of attributes that the script gives to its own objects."""
    source: str
    """The text that was checked: the given one, with the inner quotes of same-quote f-strings replaced."""


def check_script(source: str) -> Verdict:
    """Checks a Python script against safe mode in this Blender, without running it."""
    found = native.core().check_script(source, policy.VERSION)
    return Verdict(
        found["ok"],
        [ScriptFinding(**one) for one in found["findings"]],
        [ScriptFinding(**one) for one in found["asks"]],
        frozenset(found.get("own", ())),
        found.get("rewritten", source),
    )
