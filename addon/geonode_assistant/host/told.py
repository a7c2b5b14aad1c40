# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of what was made, changed and removed, in plain words. Does not use ``bpy``: whoever watches a trial tells the
artist from the names themselves, so that no other words of the trial can stand for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Names = dict[str, dict[str, list[str]]]
"""``made``, ``changed`` or ``removed`` → kind → names."""

SHOWN_NAMES = 8
_DEEDS = frozenset({"made", "changed", "removed"})


def names(value: Any) -> Names | None:
    """The names that another process reported; None if they have another form."""
    if not isinstance(value, dict) or not value.keys() <= _DEEDS:
        return None
    kinds = [kind for deed in value.values() for kind in (deed.items() if isinstance(deed, dict) else [(None, None)])]
    fits = all(
        isinstance(kind, str) and isinstance(which, list) and all(isinstance(name, str) for name in which)
        for kind, which in kinds
    )
    return value if fits else None


def describe(names: Names) -> list[str]:
    """In plain words, a line for each kind."""
    return [
        f"{kind.replace('_', ' ').capitalize()} {what}: {listed(which)}"
        for what, kinds in names.items()
        for kind, which in kinds.items()
    ]


def listed(words: Iterable[str]) -> str:
    """The first of these words, and how many more there are."""
    every = list(words)
    more = f" and {len(every) - SHOWN_NAMES} more" if len(every) > SHOWN_NAMES else ""
    return ", ".join(every[:SHOWN_NAMES]) + more
