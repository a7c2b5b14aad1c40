# SPDX-License-Identifier: GPL-3.0-or-later
"""What the first prompt of a session needs is loaded before somebody sends it: a piece at a time, between two events of
the window.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

import bpy

from .. import native
from ..host import catalogue, folders, node_types, viewport
from ..run import choices, session
from ..run.dry_run import elsewhere
from . import gallery, pictures, polling

# How long after registration it begins, and how long the window has between two pieces.
BEGIN_S, BETWEEN_S = 1.0, 0.1
# How long another Blender may write the catalogue; it takes some seconds.
WRITING_S = 120.0
# Modules that a run loads only once it is there.
LATE = ("evaluate", "snapshots", "checkpoint", "meanwhile", "standing", "transaction", "marks")
# What `numpy.unique` loads when it is first called, with which a run tells what an object shows; it takes tens of
# milliseconds.
LATE_OF_NUMPY = ("numpy.ma.core", "numpy.ma")
# How long node types are described in one piece.
DESCRIBING_S = 0.003

_pieces: Iterator[None] | None = None
_writer: subprocess.Popen[bytes] | None = None
"""Another Blender that writes the catalogue."""


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
    _end_writer()


def pieces() -> Iterator[None]:
    """Does one piece of the work at each step. What fails here fails again, and is said, when it is needed."""
    gallery.load()
    yield
    host = catalogue.__name__.rpartition(".")[0]
    for name in (*(f"{host}.{late}" for late in LATE), *LATE_OF_NUMPY):
        with suppress(ImportError):
            import_module(name)
        yield
    with suppress(Exception):
        native.core()
    yield
    stored = choices.stored()
    if stored is not None and stored.result_pictures:
        with suppress(Exception):
            # In the size of a run's pictures: of a smaller one Blender does not make all programs of the graphics card.
            viewport.take(pictures.LONGEST_PX)
    yield
    with suppress(Exception):
        yield from catalogue_pieces()
    with suppress(Exception):
        yield from description_pieces()


def catalogue_pieces() -> Iterator[None]:
    """Waits until another Blender has written the catalogue, once for each build that none of ours is for; prompts wait
    as long. If it fails, the first prompt makes its own.
    """
    global _writer
    if catalogue.known(folders.own_folder()) is not None:
        return
    _writer = elsewhere.begin(folders.own_folder())
    polling.redraw()
    ends = time.monotonic() + WRITING_S
    while is_writing() and time.monotonic() < ends:
        yield
    _end_writer()
    polling.redraw()


def description_pieces() -> Iterator[None]:
    """Describes the node types of this Blender, some at each step; none during a run or in a file with many objects."""
    path = catalogue.known(folders.own_folder())
    kinds = catalogue.names(path) if path is not None else iter(())
    is_left = path is not None
    while is_left and node_types.can_learn_ahead():
        if not session.current.running:
            is_left = node_types.learn_for(DESCRIBING_S, kinds)
        yield


def _end_writer() -> None:
    if _writer is not None and is_writing():
        _writer.kill()
        _writer.wait()


def is_writing() -> bool:
    """Whether another Blender writes the catalogue just now."""
    return _writer is not None and _writer.poll() is None


def _go_on() -> float | None:
    if _pieces is None:
        return None
    return BETWEEN_S if next(_pieces, _pieces) is None else None
