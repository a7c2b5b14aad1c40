# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the result of a run still stands, or an undo has taken it back.

Blender tells nobody which step an undo leads to, so what the run changed is compared with what it was before.
Everything is recorded by name and as plain data: an undo invalidates references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from . import export
from .file_summary import is_as
from .snapshots import object_state


class Result:
    """What a run changed, as it was before: the trees, the modifiers of the objects, and what did not exist."""

    def __init__(
        self,
        trees: Mapping[str, Mapping[str, Any]],
        objects: Mapping[str, Mapping[str, Any]],
        made: Iterable[str],
        modifiers: Iterable[tuple[str, int]],
        whole: dict[str, Any] | None = None,
    ) -> None:
        """``trees`` and ``objects``: their states before (``snapshots``), by the names that they had; ``made``: trees
        that the run made; ``modifiers``: the new ones, each by its object and its own ID. ``whole``: the inventory of
        the file before a run that scripts took part in.
        """
        self._new = tuple(modifiers)
        self._trees = {name: state["ir"] for name, state in trees.items()}
        self._modifiers = {name: state["modifiers"] for name, state in objects.items()}
        self._made = tuple(made)
        self._whole = whole

    def modifiers(self) -> list[Any]:
        """The Geometry Nodes modifiers that the run made and that still exist, else those that use a tree it edited."""
        new = [modifier for name, uid in self._new for modifier in _of(name) if modifier.persistent_uid == uid]
        if new or self._new:
            return new
        return [m for name in self._modifiers for m in _of(name) if getattr(m.node_group, "name", "") in self._trees]

    def is_undone(self) -> bool:
        """Whether everything is as it was before the run."""
        groups, objects = bpy.data.node_groups, bpy.data.objects
        if any(groups.get((name, None)) is not None for name in self._made):
            return False
        for name, modifiers in self._modifiers.items():
            obj = objects.get((name, None))
            if obj is None or object_state(obj)["modifiers"] != modifiers:
                return False
        for name, ir in self._trees.items():
            tree = groups.get((name, None))
            if tree is None or export.export_one(tree)[0] != ir:
                return False
        return self._whole is None or is_as(self._whole)


def _of(name: str) -> list[Any]:
    """The Geometry Nodes modifiers of an object of this file."""
    obj = bpy.data.objects.get((name, None))
    return [modifier for modifier in obj.modifiers if modifier.type == "NODES"] if obj is not None else []
