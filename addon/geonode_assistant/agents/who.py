# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that makes a call."""

from __future__ import annotations

from typing import NamedTuple


class Who(NamedTuple):
    """A program, as the server knows it."""

    session: int
    """Number of its session, which no other one has; 0 for a call without a session, which may come from anybody."""
    name: str
    """What it calls itself."""
