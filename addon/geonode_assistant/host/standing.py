# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the result of a run still stands, or an undo has taken it back.

Blender tells nobody which step an undo leads to, so what the run changed is compared with what it was before.
Everything is recorded by name and as plain data: an undo invalidates references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from . import export, sliders
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
        carriers = {name for name, _ in self._new} | set(self._modifiers)
        self._carriers = {name: obj.session_uid for name in carriers if (obj := _local(name)) is not None}
        self._names = {uid: name for name, uid in self._carriers.items()}
        self._gone: set[int] = set()
        self._trees_now = {tree.session_uid for name in self._trees if (tree := _tree(name)) is not None}
        results = self.modifiers()
        self._had = bool(results)
        self._values = {(m.persistent_uid, s.identifier): s.value for m in results for s in sliders.of(m)}

    def modifiers(self) -> list[Any]:
        """The Geometry Nodes modifiers that the run made and that still exist, else those that use a tree it edited;
        whatever they and their objects are called by now.
        """
        new = [modifier for name, uid in self._new for modifier in self._of(name) if modifier.persistent_uid == uid]
        if new or self._new:
            return new
        return [
            m
            for name in self._modifiers
            for m in self._of(name)
            if m.node_group is not None and m.node_group.session_uid in self._trees_now
        ]

    def is_as_left(self, modifier: Any, slider: sliders.Slider) -> bool:
        """Whether this input of such a modifier still holds what the run left in it."""
        at = (modifier.persistent_uid, slider.identifier)
        return at in self._values and self._values[at] == slider.value

    def is_removed(self) -> bool:
        """Whether there were such modifiers and somebody has removed all of them."""
        return self._had and not self.modifiers()

    def _of(self, name: str) -> list[Any]:
        """The Geometry Nodes modifiers of the object that had this name."""
        obj = self._find(self._carriers.get(name))
        return [modifier for modifier in obj.modifiers if modifier.type == "NODES"] if obj is not None else []

    def _find(self, uid: int | None) -> Any:
        """The object with this ID. All objects are looked through only once it has another name, so that this can be
        called whenever a panel is drawn.
        """
        if uid is None or uid in self._gone:
            return None
        obj = _local(self._names[uid])
        if obj is not None and obj.session_uid == uid:
            return obj
        found = next((o for o in bpy.data.objects if o.session_uid == uid), None)
        if found is None:
            self._gone.add(uid)
        else:
            self._names[uid] = found.name
        return found

    def is_undone(self) -> bool:
        """Whether everything is as it was before the run. For the moment after an undo or a redo, which may bring back
        what was gone.
        """
        self._gone.clear()
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


def _local(name: str) -> Any:
    """The object of this file with this name, or None."""
    return bpy.data.objects.get((name, None))


def _tree(name: str) -> Any:
    """The node group of this file with this name, or None."""
    return bpy.data.node_groups.get((name, None))
