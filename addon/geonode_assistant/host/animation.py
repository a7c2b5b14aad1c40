# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes and drivers of node trees: reading them, and keeping them when their nodes go.

Blender deletes the F-curves of a node with the node, from the tree's action too, which no copy of the tree protects. So
before a run removes a node its F-curves get a path that leads nowhere. When the run is kept, they go on at the node
that takes over, or are deleted; when it is restored, they get their paths back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy

from . import curves, id_state
from .deferred_updates import update
from .documents import Animated

PARKED = "geonode_parked."
_NODE = re.compile(r'nodes\["((?:[^"\\]|\\.)*)"\](.*)', re.DOTALL)
_SOCKET = re.compile(r'\.(inputs|outputs)\[(?:(\d+)|"((?:[^"\\]|\\.)*)")\](.*)', re.DOTALL)


class Place(NamedTuple):
    """Where the path of an F-curve leads within a tree."""

    node: str
    side: str
    """`inputs`, `outputs`, or empty for a property of the node."""
    socket: str
    """Identifier of the socket, or the rest of the path."""
    rest: str
    """What follows the socket."""


def place_of(tree: Any, path: str) -> Place | None:
    """Reads a path; None if it does not lead to a node that exists, or to a socket that it has."""
    found = _NODE.fullmatch(path)
    node = tree.nodes.get(bpy.utils.unescape_identifier(found[1])) if found is not None else None
    if found is None or node is None:
        return None
    socket = _SOCKET.fullmatch(found[2])
    if socket is None:
        return Place(node.name, "", found[2], "")
    side, number, name, rest = socket.groups()
    all_of_them = getattr(node, side)
    if number is not None:
        one = all_of_them[int(number)] if int(number) < len(all_of_them) else None
    else:
        one = all_of_them.get(bpy.utils.unescape_identifier(name))
    return Place(node.name, side, one.identifier, rest) if one is not None else None


def path_to(tree: Any, place: Place, check: bool = True) -> str | None:
    """The path of a place; None if the tree has no such node or socket, or with `check` not all of it."""
    node = tree.nodes.get(place.node)
    if node is None:
        return None
    start = f'nodes["{bpy.utils.escape_identifier(place.node)}"]'
    if not place.side:
        path = start + place.socket
    else:
        identifiers = [socket.identifier for socket in getattr(node, place.side)]
        if place.socket not in identifiers:
            return None
        path = f"{start}.{place.side}[{identifiers.index(place.socket)}]{place.rest}"
    if check:
        try:
            tree.path_resolve(path, False)
        except ValueError:
            return None
    return path


def lay_to_rest(tree: Any, names: Iterable[str], moved: Moved) -> None:
    """Keeps F-curves of nodes that are gone as they are when other nodes get these names, which the tree has not yet:
    they get a path to a node that there is not either.
    """
    if tree.animation_data is None:
        return
    gone = set(names).difference(tree.nodes.keys())
    for group in curves.of(tree) if gone else ():
        for curve in group.curves:
            path = resting(tree, curve.data_path, gone)
            if path is not None:
                moved.rename(group, curve, path)


def resting(tree: Any, path: str, gone: Collection[str]) -> str | None:
    """The path of something at a node that is `gone`, with a name that no node has; None for other paths."""
    found = _NODE.fullmatch(path)
    name = bpy.utils.unescape_identifier(found[1]) if found is not None else ""
    if found is None or name not in gone:
        return None
    free = f"{name} (gone)"
    while free in tree.nodes or free in gone:
        free += " (gone)"
    return f'nodes["{bpy.utils.escape_identifier(free)}"]{found[2]}'


def animated(tree: Any, id_of: Callable[[], dict[str, str]]) -> list[Animated]:
    """What of the tree's nodes is animated; `id_of` gives the IDs of nodes by name."""
    if tree.animation_data is None:
        return []
    ids: dict[str, str] | None = None
    out: list[Animated] = []
    for group in curves.of(tree):
        for curve in group.curves:
            place = place_of(tree, curve.data_path)
            if place is None:
                continue
            ids = ids if ids is not None else id_of()
            entry: Animated = {"node": ids[place.node], "name": place.socket.strip("."), "by": group.kind}
            if place.side:
                entry["socket"] = place.socket
                sockets = getattr(tree.nodes[place.node], place.side)
                entry["name"] = next(s.name for s in sockets if s.identifier == place.socket)
            if entry not in out:
                out.append(entry)
    return out


_INPUT = re.compile(r'^(?:\["(\w+)"\]|\.properties\.inputs\.(\w+)\.)')


def animated_inputs(modifier: Any) -> list[str]:
    """Identifiers of the modifier's inputs that keyframes or drivers set."""
    if modifier.id_data.animation_data is None:
        return []
    path = f'modifiers["{bpy.utils.escape_identifier(modifier.name)}"]'
    curves_of_object = (curve for group in curves.of(modifier.id_data) for curve in group.curves)
    rests = (curve.data_path.removeprefix(path) for curve in curves_of_object if curve.data_path.startswith(path))
    found = (_INPUT.match(rest) for rest in rests)
    return sorted({match[1] or match[2] for match in found if match is not None})


@dataclass
class _Renamed:
    action: int
    slot: int
    index: int
    old: str
    new: str
    was_valid: bool


def revive_drivers(blocks: Iterable[Any]) -> None:
    """Lets Blender evaluate all drivers again: it marks one whose path led nowhere for a moment as invalid, for
    good.
    """
    for block in blocks:
        data = getattr(block, "animation_data", None)
        for curve in data.drivers if data is not None else ():
            if not curve.is_valid:
                curve.is_valid = True
            if not curve.driver.is_valid:
                curve.driver.is_valid = True


@dataclass
class _Added:
    action: int
    slot: int
    index: int
    path: str
    group: str
    """The group of F-curves that was made for it; empty if there was one, or it needs none."""
    parts: dict[str, int]
    """What the action had before."""


@dataclass
class Moved:
    """The F-curves that a run gave other paths or added to actions that were there, and the actions that it made."""

    renamed: list[_Renamed] = field(default_factory=list)
    added: list[_Added] = field(default_factory=list)
    made: list[int] = field(default_factory=list)

    parked: int = 0
    """How often F-curves got paths that lead nowhere."""

    def parking(self) -> str:
        """What goes before paths that shall lead nowhere: another one each time, so that no two become the same."""
        self.parked += 1
        return f"{PARKED}{self.parked}."

    def rename(self, group: curves.Group, curve: Any, path: str) -> None:
        """Gives an F-curve another path."""
        if curve.data_path == path:
            return
        if group.action is not None and group.action.library is None:
            uid = group.action.session_uid
            entry = _Renamed(uid, group.slot, curve.array_index, curve.data_path, path, curve.is_valid)
            self.renamed.append(entry)
        curve.data_path = path

    def add(self, tree: Any, source: Any, path: str) -> None:
        """Copies an F-curve to the tree's own action, which is made if it has none. One that leads there already, from
        when there was such a node, is parked.
        """
        data = tree.animation_data_create()
        if data.action is None:
            data.action = bpy.data.actions.new(f"{tree.name}Action")
            self.made.append(data.action.session_uid)
        before = curves.parts(data.action)
        holder = curves.to_write(tree)
        own = next(group for group in curves.of(tree) if group.kind == "keyframes")
        present = holder.fcurves.find(path, index=source.array_index)
        if present is not None:
            self.rename(own, present, self.parking() + path)
        name = source.group.name if source.group is not None else ""
        is_new = bool(name) and holder.groups.get(name) is None
        curves.copy(source, holder, path)
        uid, group = data.action.session_uid, name if is_new else ""
        self.added.append(_Added(uid, own.slot, source.array_index, path, group, before))

    def undo(self) -> None:
        """Gives all F-curves of actions their paths back and removes those and the actions that were made. Drivers come
        back with their trees.
        """
        actions = {action.session_uid: action for action in bpy.data.actions}
        for one in reversed(self.added):
            action = actions.get(one.action)
            holder = curves.written(action, one.slot) if action is not None else None
            if holder is None:
                continue
            curve = holder.fcurves.find(one.path, index=one.index)
            if curve is None:
                continue
            holder.fcurves.remove(curve)
            group = holder.groups.get(one.group) if one.group else None
            if group is not None and not len(group.channels):
                holder.groups.remove(group)
            curves.cut_back(action, one.parts)
        self.added.clear()
        for entry in reversed(self.renamed):
            action = actions.get(entry.action)
            for curve in curves.of_slot(action, entry.slot) if action is not None else ():
                if (curve.data_path, curve.array_index) == (entry.new, entry.index):
                    curve.data_path = entry.old
                    if entry.was_valid and not curve.is_valid:
                        curve.is_valid = True  # Blender marks paths that lead nowhere
                    break
        bpy.data.batch_remove([actions[uid] for uid in self.made if uid in actions])
        self.renamed.clear()
        self.made.clear()

    def drop(self, trees: list[Any]) -> None:
        """Removes the F-curves of these trees that no node took over."""
        for tree in trees:
            count = len(tree.animation_data.drivers) if tree.animation_data is not None else 0
            for group in curves.of(tree):
                for curve in [one for one in group.curves if one.data_path.startswith(PARKED)]:
                    group.curves.remove(curve)
            if count and len(tree.animation_data.drivers) < count:
                # Blender evaluates drivers by their place in the list: those behind would be marked as invalid.
                tree.update_tag()


def is_shared(tree: Any) -> bool:
    """Whether others play the F-curves of the tree's action too, and would follow what happens to its nodes."""
    data = tree.animation_data
    if data is None or data.action is None or data.action.users < 2 or data.action.library is not None:
        return False
    own = {(group.action, group.slot) for group in curves.of(tree) if group.kind == "keyframes"}
    for user in bpy.data.user_map(subset=[data.action])[data.action]:
        if user == tree or user.name.startswith(".geonode"):
            continue
        embedded = getattr(user, "node_tree", None)
        for block in (user, embedded) if embedded is not None else (user,):
            if any((group.action, group.slot) in own for group in curves.of(block)):
                return True
    return False


class Keeper:
    """The animation of one tree while a step changes it: every F-curve follows its socket. Meanwhile all have paths
    that lead nowhere, since Blender deletes some with their node or socket, and from 5.2 on renumbers others.
    """

    def __init__(self, tree: Any, moved: Moved) -> None:
        self._tree = tree
        self._moved = moved
        self._places: list[tuple[curves.Group, Any, Place, str]] = []
        nowhere = moved.parking()
        for group in curves.of(tree):
            for curve in group.curves:
                place = place_of(tree, curve.data_path)
                if place is not None:
                    self._places.append((group, curve, place, curve.data_path))
                    moved.rename(group, curve, nowhere + curve.data_path)

    def settle(self, tree: Any, removed: set[str], successors: dict[str, tuple[str, dict[str, str] | None]]) -> None:
        """Gives every F-curve the path of its socket as it is now. `removed` nodes of `tree`, by name, lose theirs,
        except to `successors`: by name of the old node the new name, and its inputs by identifier of the old ones.
        """
        if tree != self._tree:
            update(self._tree)  # its group nodes get their sockets
        wanted = [
            (group, curve, old, self._path_now(tree, place, old, removed, successors))
            for group, curve, place, old in self._places
        ]
        played = [entry for entry in wanted if entry[0].kind == "keyframes"]
        if any(path != old for *_, old, path in played) and is_shared(self._tree):
            self._settle_apart(played)
            wanted = [entry for entry in wanted if entry[0].kind != "keyframes"]
        for group, curve, _, path in wanted:
            if path is not None:
                self._moved.rename(group, curve, path)

    def _settle_apart(self, played: list[tuple[curves.Group, Any, str, str | None]]) -> None:
        """The same in a copy of an action that others play too: for them it stays as it was."""
        paths = {(old, curve.array_index): path for _, curve, old, path in played}
        for group, curve, old, _ in played:
            self._moved.rename(group, curve, old)
        own_action(self._tree, self._moved)
        nowhere = self._moved.parking()
        for group in curves.of(self._tree):
            for curve in group.curves if group.kind == "keyframes" else ():
                if (at := (curve.data_path, curve.array_index)) in paths:
                    self._moved.rename(group, curve, paths[at] or nowhere + curve.data_path)

    def _path_now(
        self,
        tree: Any,
        place: Place,
        old: str,
        removed: set[str],
        successors: dict[str, tuple[str, dict[str, str] | None]],
    ) -> str | None:
        if tree == self._tree and place.node in removed:
            return self._path_of_successor(place, successors)
        if place_of(self._tree, old) == place:
            return old
        return path_to(self._tree, place, check=False)

    def _path_of_successor(self, place: Place, successors: dict[str, tuple[str, dict[str, str] | None]]) -> str | None:
        name, inputs = successors.get(place.node, (None, None))
        if name is None:
            return None
        if place.side == "inputs" and inputs is not None:
            if place.socket not in inputs:
                return None
            place = place._replace(socket=inputs[place.socket])
        return path_to(self._tree, place._replace(node=name))


def hand_on(source: Any, names: dict[str, str], tree: Any, moved: Moved) -> None:
    """Copies the F-curves of nodes of `source` to nodes of `tree` with the same sockets; `names` has the new name of
    each. Those of strips stay behind.
    """
    for group in list(curves.of(source)) if source.animation_data is not None else ():
        for curve in list(group.curves):
            place = place_of(source, curve.data_path)
            if group.kind == "strip" or place is None or place.node not in names:
                continue
            path = path_to(tree, Place(names[place.node], *place[1:]))
            if path is None:
                continue
            if group.kind == "driver":
                tree.animation_data_create().drivers.from_existing(src_driver=curve).data_path = path
            else:
                moved.add(tree, curve, path)


def separate(tree: Any, other: Any) -> None:
    """Gives a tree its own copy of an action that it shares with another one."""
    there = other.animation_data
    if tree.animation_data is not None and there is not None and tree.animation_data.action == there.action:
        own_action(tree, Moved())


def own_action(tree: Any, moved: Moved) -> None:
    """Gives a copied tree its own copy of the action, so that edits of its nodes leave the first one's animation."""
    data = tree.animation_data
    if data is None or data.action is None:
        return
    slot = data.action_slot.identifier if hasattr(data, "action_slot") and data.action_slot is not None else None
    data.action = data.action.copy()
    moved.made.append(data.action.session_uid)
    if slot is not None:
        data.action_slot = data.action.slots[slot]


class KeptActions:
    """Copies of the actions of trees, for work that may change anything in them."""

    def __init__(self) -> None:
        self._copies: dict[int, int] = {}  # session UID of the action → of its copy
        self._states: dict[int, Any] = {}
        self._changed: set[int] = set()

    def keep(self, trees: list[Any], prefix: str) -> None:
        """Copies the actions that these trees use, each once, under names with this prefix."""
        for tree in trees:
            for group in curves.of(tree):
                action = group.action
                if action is None or action.library is not None or action.session_uid in self._copies:
                    continue
                copy = action.copy()
                copy.name = f"{prefix}action{len(self._copies)}"
                copy.use_fake_user = False
                self._copies[action.session_uid] = copy.session_uid
        present = {action.session_uid: action for action in bpy.data.actions}
        self._states = {uid: curves.of_action(present[uid]) for uid in self._copies if uid in present}

    def note_changed(self) -> None:
        """Records which actions are no longer as they were when they were last kept."""
        present = {action.session_uid: action for action in bpy.data.actions}
        for uid, state in self._states.items():
            if uid in present and curves.of_action(present[uid]) != state:
                self._changed.add(uid)

    def restore(self, by_artist: set[str]) -> None:
        """Restores what was changed, except actions of these names, and removes the copies."""
        present = {action.session_uid: action for action in bpy.data.actions}
        for uid in self._changed:
            action, copy = present.get(uid), present.get(self._copies[uid])
            if action is None or copy is None or action.name in by_artist:
                continue
            name, kept = action.name, id_state.keep(action)
            action.user_remap(copy)
            id_state.hand_over(action, copy, kept)
            bpy.data.actions.remove(action)
            copy.name = name
            del self._copies[uid]
        self.drop()

    def drop(self) -> None:
        """Removes the copies."""
        uids = set(self._copies.values())
        bpy.data.batch_remove([action for action in bpy.data.actions if action.session_uid in uids])
        self._copies.clear()
        self._states.clear()
        self._changed.clear()
