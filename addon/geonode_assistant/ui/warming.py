# SPDX-License-Identifier: GPL-3.0-or-later
"""What the first prompt of a session needs is loaded before somebody sends it: a piece at a time, between two events of
the window.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

import bpy

from .. import native
from ..host import catalogue, viewport
from ..run import choices
from . import gallery

# How long after registration it begins, and how long the window has between two pieces.
BEGIN_S, BETWEEN_S = 1.0, 0.1
# Modules that a run loads only once it is there.
LATE = ("evaluate", "snapshots", "checkpoint", "meanwhile", "standing", "transaction", "marks")

_pieces: Iterator[None] | None = None


def start() -> None:
    """Begins soon. Nothing without a window, where nobody waits for one."""
    global _pieces
    if not bpy.app.background:
        _pieces = pieces()
        bpy.app.timers.register(_go_on, first_interval=BEGIN_S, persistent=True)


def stop() -> None:
    """Ends it: the add-on is being switched off."""
    global _pieces
    if bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.unregister(_go_on)
    _pieces = None


def pieces() -> Iterator[None]:
    """Does one piece of the work at each step. What fails here fails again, and is said, when it is needed."""
    gallery.load()
    yield
    host = catalogue.__name__.rpartition(".")[0]
    for name in LATE:
        import_module(f"{host}.{name}")
        yield
    with suppress(Exception):
        native.core()
    yield
    with suppress(Exception):
        # Written once for each build of Blender that brings no catalogue of ours.
        catalogue.path()
    yield
    stored = choices.stored()
    if stored is not None and stored.result_pictures:
        with suppress(Exception):
            viewport.take(1)


def _go_on() -> float | None:
    if _pieces is None:
        return None
    return BETWEEN_S if next(_pieces, _pieces) is None else None
