# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose a node tree is: the assistant's as long as it is exactly what a run left, else the artist's.

A run that makes a tree leaves a mark on it: a random ID, the file and the name that the tree had, a digest of its
content, and the values that its modifiers had. The mark alone proves nothing, for Blender copies and appends it
together with the tree; it counts only where all of it still fits.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable
from typing import Any

import bpy

from . import export, identity, modifiers
from .documents import Made, Tree

MARK = "geonode_made"
FILE = "geonode_file"
"""Custom property of the scenes: a random ID of the file, which a tree does not take along into another one."""
_VERSION = 1
_FIELDS = {"version": int, "id": str, "file": str, "name": str, "look": str, "by": str, "nodes": list, "inputs": dict}
_ENDS = frozenset({"NodeGroupInput", "NodeGroupOutput"})
# In the place of the digest, where a run only added something to a tree of the artist's.
_NOT_OURS = "the artist's"
# How a tree is laid out is not its content.
_LAYOUT = ("location", "width")


def made(tree: Any, ir: Tree | None = None) -> Made | None:
    """What runs left of a tree that is where they left it; None for any other, which is the artist's.

    `as_left` tells whether the content is exactly what was left, `by` is the digest of the words that it was made for,
    `nodes` are the IDs of the nodes that runs made. `ir` is the tree's export, where it is at hand.
    """
    mark = _valid_mark(tree)
    if mark is None:
        return None
    described = ir if ir is not None else export.export_one(tree)[0]
    present = {node["id"] for node in described["nodes"]}
    nodes = sorted(present.intersection(mark["nodes"]))
    return {"as_left": mark["look"] == _look(described), "by": mark["by"], "nodes": nodes}


def left(modifier: Any) -> dict[str, Any] | None:
    """The values of the modifier's inputs as a run left them; None where none did."""
    tree = modifier.node_group
    mark = _valid_mark(tree) if tree is not None else None
    return None if mark is None else mark["inputs"].get(modifier.id_data.name, {}).get(modifier.name)


def take(tree: Any) -> None:
    """From now on the tree, as it is, is the assistant's; so are the values of its modifiers."""
    _write(tree, {"file": _file(), "by": "", "nodes": identity.node_ids(tree), "inputs": _inputs(tree)})


def give(tree: Any) -> None:
    """From now on the tree is the artist's."""
    if MARK in tree:
        del tree[MARK]


class Before:
    """Whose the trees were before a run, so that it can `leave` them."""

    def __init__(self) -> None:
        self._trees: dict[str, dict[str, Any]] = {}

    def note(self, tree: Any, ir: Tree) -> None:
        """Notes a tree before anything is written to it."""
        found = made(tree, ir)
        self._trees[tree.name] = {
            "as_left": found is not None and found["as_left"],
            "blank": all(node["type"] in _ENDS for node in ir["nodes"]),
            "nodes": {node["id"] for node in ir["nodes"]},
            "inputs": _inputs(tree),
        }

    def leave(self, new: Iterable[str], words: str) -> None:
        """Marks what the run made for these `words`: new trees, those without content before, nodes in any other.

        A tree of the artist's stays the artist's, apart from the nodes and values that the run gave it.
        """
        by = hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()
        for name in (*new, *self._trees):
            tree = bpy.data.node_groups.get((name, None))
            if tree is None or tree.bl_idname != "GeometryNodeTree":
                continue
            before, mark, inputs = self._trees.get(name), _valid_mark(tree), _inputs(tree)
            ids = identity.node_ids(tree)
            added = [node_id for node_id in ids if before is None or node_id not in before["nodes"]]
            if before is None or before["blank"] and added:
                _write(tree, {"file": _file(), "by": by, "nodes": ids, "inputs": inputs})
            elif mark is not None:
                inputs = _merged(mark["inputs"], before["inputs"], inputs)
                kept = mark | {"nodes": [*mark["nodes"], *added], "inputs": inputs}
                if before["as_left"]:
                    del kept["look"]
                _write(tree, kept)
            elif added:
                inputs = _changed(before["inputs"], inputs)
                _write(tree, {"file": _file(), "by": by, "nodes": added, "inputs": inputs, "look": _NOT_OURS})


def _changed(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    return {
        obj: {
            modifier: {k: v for k, v in values.items() if before.get(obj, {}).get(modifier, {}).get(k) != v}
            for modifier, values in of_modifiers.items()
        }
        for obj, of_modifiers in now.items()
    }


def _merged(left: dict[str, Any], before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """What the run changed or found new is as it left it; what the artist turned stays turned."""
    merged: dict[str, Any] = {}
    for obj, of_modifiers in now.items():
        for modifier, values in of_modifiers.items():
            was, known = (of.get(obj, {}).get(modifier, {}) for of in (before, left))
            merged.setdefault(obj, {})[modifier] = {
                key: known[key] if key in known and was.get(key) == value else value for key, value in values.items()
            }
    return merged


def _inputs(tree: Any) -> dict[str, Any]:
    """Object → modifier → values, of all that run the tree."""
    out: dict[str, Any] = {}
    for modifier in modifiers.users_of(tree):
        out.setdefault(modifier.id_data.name, {})[modifier.name] = modifiers.read_inputs(modifier)
    return out


def _write(tree: Any, kept: dict[str, Any]) -> None:
    """Leaves a mark; what `kept` lacks is what is there now."""
    look = kept.get("look") or _look(export.export_one(tree)[0])
    mark: dict[str, Any] = {"version": _VERSION, "id": uuid.uuid4().hex} | kept | {"name": tree.name, "look": look}
    mark["nodes"] = sorted(set(mark["nodes"]))
    tree[MARK] = json.dumps(mark, ensure_ascii=False, separators=(",", ":"))


def _valid_mark(tree: Any) -> dict[str, Any] | None:
    """The mark, where the tree is the one that it was left on."""
    mark = _mark(tree)
    if mark is None or tree.library is not None or tree.override_library is not None:
        return None
    if tree.name != mark["name"] or mark["file"] not in _files():
        return None
    # Blender names copies after their original; where somebody renamed them nobody knows which one it was.
    others = (g for g in bpy.data.node_groups if g != tree and g.library is None and mark["id"] in str(g.get(MARK, "")))
    ours = all(g.name.startswith((f"{tree.name}.", ".geonode")) for g in others)
    return mark if ours else None


def _mark(tree: Any) -> dict[str, Any] | None:
    """What the mark says, whether or not it fits; None for anything else than a mark."""
    text = tree.get(MARK)
    if not isinstance(text, str):
        return None
    try:
        mark = json.loads(text)
    except ValueError:
        return None
    fits = isinstance(mark, dict) and mark.get("version") == _VERSION
    return mark if fits and all(isinstance(mark.get(key), kind) for key, kind in _FIELDS.items()) else None


def _files() -> set[str]:
    return {scene[FILE] for scene in bpy.data.scenes if scene.library is None and isinstance(scene.get(FILE), str)}


def _file() -> str:
    """The ID of this file; it gets one where it has none."""
    known = min(_files(), default=None) or uuid.uuid4().hex
    for scene in bpy.data.scenes:
        if scene.library is None and FILE not in scene.keys():
            scene[FILE] = known
    return known


def _look(ir: Tree) -> str:
    nodes = [{key: value for key, value in node.items() if key not in _LAYOUT} for node in ir["nodes"]]
    text = json.dumps({**ir, "nodes": nodes}, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
