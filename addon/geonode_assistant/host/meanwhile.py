# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits that others make while a run is under way: the artist by hand, and scripts of theirs.

Blender reports no edit reliably: nothing tells of a label, a name or a place, and of what no object shows nothing tells
at all. So trees are compared as they are exported, but only when it can matter: before the run writes to a tree, and
before a restore. What a run writes without a pause in between is known to be its own. At a pause, after which others
have Blender, what was written is read once, unless it was read anyway to be judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy

from . import rna
from .documents import StepDelta, Tree
from .snapshots import content, modifier_snapshot, object_state, tree_state, unanimated

_GONE = object()
# The lists of a delta that change nothing but the tree itself: no other tree, and no input of a modifier.
_LOCAL = frozenset({"tree", "create", "values", "locations", "labels", "stamp", "parents"})


@dataclass
class Edited:
    """What others edited while the run was under way. Trees and objects have the names that they were covered by."""

    trees: set[str] = field(default_factory=set)
    """Trees whose content was edited."""
    others: set[str] = field(default_factory=set)
    """Trees and objects that were changed in any way."""
    groups: set[tuple[str, int]] = field(default_factory=set)
    """Modifiers, by object and own ID, that got another tree."""
    inputs: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    """The inputs of modifiers that were set."""
    actions: set[str] = field(default_factory=set)
    """Actions of trees whose keyframes were edited."""


class _SeenTree:
    """A tree as the run, or the file before it, left it."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = dict(state)
        nodes = state["ir"]["nodes"]
        self.names = {node["id"]: node["name"] for node in nodes}
        used = [node["props"].get("node_tree") for node in nodes]
        self.groups = {group["node_group"] for group in used if group is not None}


@dataclass
class _SeenObject:
    """An object as the run, or the file before it, left it; `modifiers` by their own ID, which no renaming changes."""

    state: dict[str, Any]
    modifiers: dict[int, dict[str, Any]]


class Meanwhile:
    """The covered trees and objects as the run left them, and what others edited since.

    A name is either current, then it is as it was last seen unless others changed it since; or it was written since the
    last pause, and is seen at the next one.
    """

    def __init__(self) -> None:
        self.edited = Edited()
        self._tree_uids: dict[str, int] = {}
        self._object_uids: dict[str, int] = {}
        self._trees: dict[str, _SeenTree] = {}
        self._objects: dict[str, _SeenObject] = {}
        self._written: set[str] = set()
        self._written_objects: set[str] = set()
        self._compared: set[str] = set()  # since the last pause; nobody but the run has changed them since
        self._compared_objects: set[str] = set()

    # -- what is covered

    def cover_tree(self, tree: Any, state: dict[str, Any]) -> None:
        """Covers a tree; `state` is its present one."""
        self._tree_uids[tree.name] = tree.session_uid
        self._trees[tree.name] = _SeenTree(state)
        self._compared.add(tree.name)

    def cover_new(self, tree: Any) -> None:
        """Covers a tree that the run has just made."""
        self._tree_uids[tree.name] = tree.session_uid
        self._written.add(tree.name)

    def cover_object(self, obj: Any, state: dict[str, Any], snapshots: list[dict[str, Any]]) -> None:
        """Covers an object with its modifiers; `state` and `snapshots` are the present ones."""
        self._object_uids[obj.name] = obj.session_uid
        self._objects[obj.name] = _SeenObject(state, {entry["uid"]: entry for entry in snapshots})
        self._compared_objects.add(obj.name)

    def knows(self, name: str) -> bool:
        """Whether there was a tree of this name when it was covered or made."""
        return name in self._tree_uids

    def uid(self, name: str | None) -> int | None:
        """The session UID of a covered tree, whether it still exists or not."""
        return None if name is None else self._tree_uids.get(name)

    def tree(self, name: str) -> Any:
        """The tree that had this name when it was covered or made, whatever it is called now; None if it is gone."""
        uid = self._tree_uids.get(name)
        tree = bpy.data.node_groups.get((name, None))
        if tree is not None and uid in (None, tree.session_uid):
            return tree
        return next((g for g in bpy.data.node_groups if g.session_uid == uid), None)

    def object(self, name: str) -> Any:
        """The object that had this name when it was covered, whatever it is called now; None if it is gone."""
        uid = self._object_uids[name]
        obj = bpy.data.objects.get((name, None))
        if obj is not None and obj.session_uid == uid:
            return obj
        return next((o for o in bpy.data.objects if o.session_uid == uid), None)

    # -- what the run does

    def reach(self, delta: StepDelta) -> tuple[set[str], set[str]]:
        """The covered trees and objects that a step may change: those that it names, and users of its trees."""
        named = {edit["tree"] for edit in delta.get("trees", ())}
        objects = {entry["object"] for entry in delta.get("modifier_inputs", ())}
        if delta.get("modifiers") or any(edit.keys() - _LOCAL for edit in delta.get("trees", ())):
            objects = set(self._objects)
            grown = True
            while grown:
                users = {name for name, seen in self._trees.items() if not named.isdisjoint(seen.groups)}
                grown = not users <= named
                named |= users
        return named & self._tree_uids.keys(), objects & self._objects.keys()

    def everything(self) -> tuple[set[str], set[str]]:
        """All covered trees and objects."""
        return set(self._tree_uids), set(self._objects)

    def note_written(self, trees: Iterable[str], objects: Iterable[str]) -> None:
        """Records that the run has written to these, after a `compare` of them, and has not been interrupted since."""
        self._written.update(trees)
        self._written_objects.update(objects)
        for name, seen in self._trees.items():
            tree = self.tree(name) if name not in self._written else None
            if tree is not None:
                seen.state["users"] = tree.users  # other trees came to use it, or no longer do

    def note_read(self, exported: Mapping[str, Tree]) -> None:
        """Takes over what was exported since the run has written, without a pause in between."""
        for name in self._written & exported.keys():
            tree = self.tree(name)
            if tree is not None and tree.name == name:
                self._see(name, tree, exported[name])

    def pause(self) -> None:
        """Others have Blender from now on: reads what was written and has not been read since."""
        with rna.uncollected():
            for name in sorted(self._written):
                tree = self.tree(name)
                if tree is not None:
                    self._see(name, tree)
        for name in self._written_objects:
            obj = self.object(name)
            if obj is not None:
                entries = {m.persistent_uid: modifier_snapshot(m) for m in obj.modifiers}
                self._objects[name] = _SeenObject(object_state(obj), entries)
        for names in (self._written, self._written_objects, self._compared, self._compared_objects):
            names.clear()

    def _see(self, name: str, tree: Any, ir: Tree | None = None) -> None:
        self._trees[name] = _SeenTree(tree_state(tree, ir))
        self._written.discard(name)
        self._compared.add(name)

    # -- what the run left

    def left(self) -> dict[str, Tree]:
        """The trees as the run left them, by name; without those written since the last pause, which are still so."""
        return {name: seen.state["ir"] for name, seen in self._trees.items() if name not in self._written}

    def names_of(self, tree: str) -> dict[str, str] | None:
        """Node ID → name in a tree that nobody has changed since it was last seen; None for any other."""
        return self._trees[tree].names if tree in self._compared and tree not in self._written else None

    # -- what others did

    def compare(self, trees: Iterable[str], objects: Iterable[str]) -> None:
        """Notes in `edited` what is no longer as the run left it. Of all other trees, only names and users are read."""
        for name in self._unsure(trees, self._written | self._compared):
            self._compare_tree(name)
            self._compared.add(name)
        for name in self._unsure(self._trees, self._written | self._compared):
            tree = self.tree(name)
            if tree is None or tree.name != name or tree.users != self._trees[name].state["users"]:
                self.edited.others.add(name)
        for name in self._unsure(objects, self._written_objects | self._compared_objects):
            self._compare_object(name)
            self._compared_objects.add(name)

    @staticmethod
    def _unsure(names: Iterable[str], known: set[str]) -> Iterator[str]:
        return (name for name in sorted(names) if name not in known)

    def _compare_tree(self, name: str) -> None:
        tree, then = self.tree(name), self._trees[name].state if name in self._trees else None
        now = tree_state(tree) if tree is not None else None
        if tree is None or tree.name != name or then is not None and unanimated(now) != unanimated(then):
            self.edited.others.add(name)
        if now is not None and then is not None and content(now) != content(then):
            self.edited.trees.add(name)
        if now is not None and then is not None and now["curves"] != then["curves"]:
            self.edited.actions.update(action for _, action, *_ in now["curves"])

    def _compare_object(self, name: str) -> None:
        obj, seen = self.object(name), self._objects[name]
        if obj is None or obj.name != name or unanimated(object_state(obj)) != unanimated(seen.state):
            self.edited.others.add(name)
        for modifier in obj.modifiers if obj is not None else ():
            then, now = seen.modifiers.get(modifier.persistent_uid), modifier_snapshot(modifier)
            if then is None:
                continue
            if now["node_group"] != then["node_group"]:
                uid = modifier.node_group.session_uid if modifier.node_group is not None else None
                if uid is None or uid != self.uid(then["node_group"]):
                    self.edited.groups.add((name, modifier.persistent_uid))
            # An input that is new was added to a tree by hand.
            keys = {key for key, value in now["inputs"].items() if then["inputs"].get(key, _GONE) != value}
            self.edited.inputs.setdefault((name, modifier.persistent_uid), set()).update(keys)
