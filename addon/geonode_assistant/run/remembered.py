# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs of this Blender process, with the trees as they left them. Nothing of it is written anywhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from ..host import with_values

if TYPE_CHECKING:
    from .report import RunReport

# Runs that are remembered; of how many the tree too, and how many nodes it may have.
MOST_RUNS, MOST_TREES, MOST_NODES = 100, 20, 400


@dataclass
class Left:
    """What a run left: the tree of its modifier, with the values that this had."""

    bundle: dict[str, Any]
    metres: float
    tree: int
    """The session UID of the tree."""
    name: str
    carrier: tuple[int, int]
    """The session UID of the modifier's object, and the ID of the modifier in it."""


@dataclass
class Run:
    """A run that has ended."""

    id: str
    at: float
    prompt: str
    is_prompt: bool
    """Whether it can be sent again; a preset that was applied cannot."""
    object: str | None
    status: str
    message: str
    changes: list[str]
    turn: tuple[str, int] | None = None
    """The conversation that it is kept in, and its number there."""
    left: Left | None = None


@dataclass
class Remembered:
    """The runs of this process, the newest first."""

    runs: list[Run] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def note(self, report: RunReport, results: list[Any], is_prompt: bool) -> Run:
        """Remembers a run that has ended, without its tree. ``results``: the modifiers that hold what it made."""
        turn = (report.conversation, report.conversation_turns) if report.conversation is not None else None
        modifier = next(iter(results), None)
        run = Run(
            f"now-{next(self._numbers)}",
            time.time(),
            report.prompt,
            is_prompt,
            modifier.id_data.name if modifier is not None else None,
            report.status,
            report.final_message or next((message["text"] for message in report.messages), ""),
            list(report.diff),
            turn,
        )
        self.runs.insert(0, run)
        del self.runs[MOST_RUNS:]
        return run

    def keep_tree(self, run: Run, results: list[Any]) -> None:
        """Remembers the tree of a run, and forgets the oldest trees."""
        modifier = next(iter(results), None)
        run.left = _left(modifier) if modifier is not None else None
        for old in [known for known in self.runs if known.left is not None][MOST_TREES:]:
            old.left = None


def _left(modifier: Any) -> Left | None:
    tree = modifier.node_group
    if tree is None or len(tree.nodes) > MOST_NODES:
        return None
    bundle, _ = with_values.document(tree, modifier)
    carrier = (modifier.id_data.session_uid, modifier.persistent_uid)
    return Left(bundle, with_values.metres(modifier), tree.session_uid, tree.name, carrier)


current = Remembered()
"""What the history shows besides the conversations that are kept."""
