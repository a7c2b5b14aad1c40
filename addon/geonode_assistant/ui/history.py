# SPDX-License-Identifier: GPL-3.0-or-later
"""The history as the panel shows it: the runs that match the search, read again only when something has changed."""

from __future__ import annotations

import time

from ..run import history
from ..run.history import Entry
from .translation import say

PART = "history"
# The state of the panel: the run that is open, and those that match, for the search that was made.
opened = ""
_found: list[Entry] = []
_search: str | None = None


def load() -> None:
    """Reads the history again when the panel next asks for it: a run has ended, or one was forgotten."""
    global _search
    _search = None


def found(search: str) -> list[Entry]:
    """The runs to show, the newest first."""
    global _search
    if search != _search:
        _found[:] = history.list(search)
        _search = search
    return _found


def toggle(run: str) -> None:
    """Opens a run, or closes it again."""
    global opened
    opened = "" if run == opened else run


def asked(prompt: str) -> str:
    """A prompt as the history names it: words for a change, without what makes planners take them for one."""
    words = prompt.removeprefix(history.CHANGE)
    return prompt if words == prompt else say("Change: {words}", words=words)


def when(at: float) -> str:
    """A time in words, as the clock on the wall had it: ``today 14:05``, ``yesterday 09:10``, ``2026-11-03 18:00``."""
    then, today = time.localtime(at), time.localtime()
    clock = time.strftime("%H:%M", then)
    if then[:3] == today[:3]:
        return say("today {clock}", clock=clock)
    noon = time.mktime((*today[:3], 12, 0, 0, 0, 0, -1))
    if then[:3] == time.localtime(noon - 86_400)[:3]:
        return say("yesterday {clock}", clock=clock)
    return time.strftime("%Y-%m-%d %H:%M", then)
