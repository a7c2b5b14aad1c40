# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run reads of the scene before it plans and before it writes, in steps between which Blender goes on."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from ..host import context
from ..host.documents import Bundle, Context, Document, Tree
from ..host.errors import HostError
from .checking import marks_in_steps, read_in_steps


def capture_in_steps(object: str | None, modifier: str | None) -> Generator[str, None, Context]:
    """As ``context.capture_context``. What it says of a tree is true of one moment, if not of the same for all."""
    marks = yield from marks_in_steps()
    name = context.target_tree(object, modifier)
    read: Bundle | None = None
    if name is not None:
        try:
            read = yield from read_in_steps(name, False)
        except HostError:
            read = None  # it has just gone
    return context.capture_context(object, modifier, marks=marks, read=read)


def inspect_in_steps(
    objects: Iterable[str], trees: Iterable[str], materials: Iterable[str] = ()
) -> Generator[str, None, Document]:
    """As ``context.inspect``. The transaction that follows refuses what has changed since its tree was read."""
    objects, trees = list(objects), list(trees)
    read: dict[str, Tree] = {}
    try:
        for name in context.trees_of(objects, trees):
            if name not in read:
                read |= (yield from read_in_steps(name, False))["trees"]
        return context.inspect(objects, trees, read, materials=materials)
    except HostError:
        # One of them has just gone.
        return context.inspect(objects, trees, materials=materials)
