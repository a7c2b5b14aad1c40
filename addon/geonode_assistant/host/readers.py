# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers of any data-block that read a value of a node tree: they follow it when its socket gets another number, or
when its node is replaced or moves to another tree. Blender leaves them with a path that leads nowhere, or elsewhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import bpy

from .animation import Place, path_to, place_of
from .documents import Animated


class Reading(NamedTuple):
    """One target of a driver's variable that reads a value of a tree."""

    block: Any
    """The data-block that is driven; for the nodes of a material, the material."""
    variable: tuple[str, ...]
    """Which variable of the file it is."""
    target: Any
    tree: Any
    path: str


_data_of, _tree_of = attrgetter("animation_data"), attrgetter("node_tree")


@functools.cache
def _kinds() -> list[tuple[str, bool]]:
    """The collections of data-blocks that may be driven, and whether these may have nodes of their own."""
    lists: Any = bpy.data.bl_rna.properties
    kinds = ((prop.identifier, prop.fixed_type.properties) for prop in lists if prop.type == "COLLECTION")
    return [(name, "node_tree" in has) for name, has in kinds if "animation_data" in has]


def _owners() -> Iterator[tuple[Any, Any]]:
    """What has animation data, each with the data-block that it belongs to. Most data-blocks have none, so they are
    sorted out by one attribute each, which is several times faster than Blender's map of all users.
    """
    for name, has_nodes in _kinds():
        blocks = getattr(bpy.data, name).values()
        for block, data in zip(blocks, map(_data_of, blocks), strict=True):
            if data is not None:
                yield block, block
        for block, tree in zip(blocks, map(_tree_of, blocks), strict=True) if has_nodes else ():
            if tree is not None and tree.animation_data is not None:
                yield block, tree


def readings(trees: Iterable[Any], linked: bool = False) -> Iterator[Reading]:
    """What drivers anywhere in the file read of these trees; with `linked` also those of data-blocks that are linked
    from other files.
    """
    wanted = {tree.session_uid: tree for tree in trees}
    if not wanted:
        return
    for block, owner in _owners():
        if block.library is not None and not linked or block.name.startswith(".geonode"):
            continue
        for curve, variable in _variables(owner):
            target = variable.targets[0]
            tree = wanted.get(target.id.session_uid) if target.id is not None else None
            if tree is not None:
                names = (block.id_type, block.name_full, getattr(owner, "name", ""), variable.name)
                which = (*names, curve.data_path, str(curve.array_index))
                yield Reading(block, which, target, tree, target.data_path)


def _variables(owner: Any) -> Iterator[tuple[Any, Any]]:
    """The variables of a data-block's drivers that read one property, with their F-curves."""
    data = getattr(owner, "animation_data", None)
    for curve in data.drivers if data is not None else ():
        for variable in curve.driver.variables if curve.driver is not None else ():
            if variable.type == "SINGLE_PROP":
                yield curve, variable


def read_of(trees: Iterable[Any], ids_of: Callable[[Any], dict[str, str]]) -> dict[str, list[Animated]]:
    """By name of the tree, what drivers read of its nodes; `ids_of` gives the IDs of a tree's nodes by name."""
    found: dict[str, list[Animated]] = {}
    for reading in readings(trees, linked=True):
        place = place_of(reading.tree, reading.path)
        if place is None:
            continue
        entry: Animated = {
            "node": ids_of(reading.tree)[place.node],
            "name": place.socket.strip("."),
            "by": "reader" if reading.block.library is None else "linked",
            "reader": reading.block.name,
        }
        if place.side:
            entry["socket"] = place.socket
            sockets = getattr(reading.tree.nodes[place.node], place.side)
            entry["name"] = next(s.name for s in sockets if s.identifier == place.socket)
        entries = found.setdefault(reading.tree.name, [])
        if entry not in entries:
            entries.append(entry)
    for entries in found.values():
        entries.sort(key=lambda entry: (entry["node"], entry["name"], entry["reader"]))
    return found


@dataclass
class _Pointed:
    variable: tuple[str, ...]
    tree: int
    path: str
    """Where it reads now."""
    old_tree: int
    old_path: str


class Pointed:
    """The drivers that a run made read elsewhere."""

    def __init__(self) -> None:
        self._entries: list[_Pointed] = []
        self.names: set[str] = set()
        """Names of the data-blocks that they drive."""

    def point(self, reading: Reading, tree: Any, path: str) -> None:
        """Lets a driver read another place."""
        old = (reading.tree.session_uid, reading.path)
        self._entries.append(_Pointed(reading.variable, tree.session_uid, path, *old))
        self.names.add(reading.block.name)
        _point(reading.target, tree, path)

    def undo(self) -> None:
        """Lets all of them read what they read before."""
        trees = {tree.session_uid: tree for tree in bpy.data.node_groups} if self._entries else {}
        now = {entry.tree: trees[entry.tree] for entry in self._entries if entry.tree in trees}
        targets = {reading.variable: reading.target for reading in readings(now.values(), linked=True)}
        for entry in reversed(self._entries):
            target, old = targets.get(entry.variable), trees.get(entry.old_tree)
            # One that was set meanwhile is the artist's.
            at = (entry.tree, entry.path)
            if target is not None and old is not None and (target.id.session_uid, target.data_path) == at:
                _point(target, old, entry.old_path)
        self._entries.clear()


def _point(target: Any, tree: Any, path: str) -> None:
    if target.id != tree:
        target.id = tree
    if target.data_path != path:
        target.data_path = path


class Successor(NamedTuple):
    """The node that takes over from another one."""

    tree: Any
    node: str
    inputs: dict[str, str] | None
    """Its inputs by identifier of the old ones; None: all under their own."""


class Readers:
    """What drivers read of some trees, from before a step that may change their sockets."""

    def __init__(self, trees: Iterable[Any]) -> None:
        self._trees = list(trees)
        self._places: dict[tuple[int, str], Place] = {}
        for reading in readings(self._trees):
            place = place_of(reading.tree, reading.path)
            if place is not None:
                self._places[reading.tree.session_uid, reading.path] = place

    def follow(self, successors: Mapping[tuple[int, str], Successor], pointed: Pointed) -> None:
        """Lets every driver read its value where it is now; `successors` of nodes by session UID of the tree and name.
        What is gone is left as it is: it was asked about.
        """
        for reading in list(readings(self._trees)) if self._places else ():
            place = self._places.get((reading.tree.session_uid, reading.path))
            now = _now(reading.tree, place, successors) if place is not None else None
            if now is not None and now != (reading.tree, reading.path):
                pointed.point(reading, *now)


def _now(tree: Any, place: Place, successors: Mapping[tuple[int, str], Successor]) -> tuple[Any, str] | None:
    successor = successors.get((tree.session_uid, place.node))
    if successor is not None and (successor.tree == tree or place.node not in tree.nodes):
        tree, name, inputs = successor
        if place.side == "inputs" and inputs is not None:
            if place.socket not in inputs:
                return None
            place = place._replace(socket=inputs[place.socket])
        place = place._replace(node=name)
    path = path_to(tree, place)
    return (tree, path) if path is not None else None
