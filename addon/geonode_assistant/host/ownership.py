# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a node tree is the assistant's (it is exactly as a run left it) or the artist's (in any other case).

A run that creates a tree leaves a mark on it: a random ID, the file and the name that the tree had, its content and a
digest of it, the input values of its modifiers, and the run. Blender copies and appends the mark together with the
tree, so it only counts if all of it still matches, and only on the very tree that it was written to: a copy that was
given the name of its original is the artist's. Which tree that is, is known as long as the file is open; a saved file
holds no mark that would count on a copy.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, cast

import bpy

from . import export, identity, modifiers
from .documents import Made, Tree
from .moves import Moves

MARK = "geonode_made"
FILE = "geonode_file"
"""Custom property of the workspaces: a random ID of the file. Nothing but a workspace brings it to another file, whole
scenes included, and no undo takes it away."""
_VERSION = 1
_FIELDS = {"version": int, "id": str, "file": str, "name": str, "look": str, "by": str, "nodes": list, "inputs": dict}
_marked: dict[str, set[int]] = {}
"""The trees that marks were written to, by the IDs of the marks: session UIDs, of a restored tree all that it had."""
_scenes: set[int] = set()
"""Session UIDs of the scenes when `_marked` was last used; another file has none of them."""
_ENDS = frozenset({"NodeGroupInput", "NodeGroupOutput"})
# Used instead of the digest if a run only added something to a tree of the artist's.
_NOT_OURS = "the artist's"
# The layout of a tree is not part of its content, and neither is a fake user.
_LAYOUT = ("location", "width")


def read_mark(tree: Any, ir: Tree | None = None) -> Made | None:
    """What runs left in this tree, if its mark is valid; None for any other tree, which is the artist's.

    `as_left`: whether the content is exactly as a run left it; `by`: the digest of the prompt that it was made for;
    `nodes`: the IDs of the nodes that runs created; `sockets`: the inputs and outputs that they created, by what the
    plans call them; `left`: the tree as a run left it, if it is another now. `ir` is
    the tree's export, if already available.
    """
    mark = _valid_mark(tree)
    if mark is None:
        return None
    described = ir if ir is not None else export.export_one(tree)[0]
    present = {node["id"] for node in described["nodes"]}
    nodes = sorted(present.intersection(mark["nodes"]))
    made: Made = {"as_left": mark["look"] == _look(described), "by": mark["by"], "nodes": nodes}
    if isinstance(run := mark.get("run"), str) and run:
        made["run"] = run
    items = {item["identifier"] for item in described["interface"]}
    called = mark.get("sockets")
    if isinstance(called, dict) and (known := {key: one for key, one in called.items() if one in items}):
        made["sockets"] = known
    left = mark.get("left")
    if not made["as_left"] and isinstance(left, dict):
        made["left"] = cast(Tree, left)
    return made


def is_lapsed(tree: Any) -> bool:
    """Whether the tree has a mark that does not count, because it was renamed, copied or appended."""
    return _mark(tree) is not None and _valid_mark(tree) is None


def marked_inputs(modifier: Any) -> dict[str, Any] | None:
    """The values of the modifier's inputs as a run left them; None if no run did."""
    tree = modifier.node_group
    mark = _valid_mark(tree) if tree is not None else None
    return None if mark is None else mark["inputs"].get(modifier.id_data.name, {}).get(modifier.name)


def assign_to_assistant(tree: Any) -> None:
    """Marks the tree in its current state, with the input values of its modifiers, as the assistant's."""
    now = export.export_one(tree)[0]
    _write(tree, {"file": _file(), "by": "", "nodes": identity.node_ids(tree), "inputs": _inputs(tree)}, now)


def assign_to_artist(tree: Any) -> None:
    """Removes the mark, so that the tree is the artist's."""
    if MARK in tree:
        del tree[MARK]


def hand_over(source: Any, target: Any) -> None:
    """Records that `target`, the copy from before a run, replaces `source`."""
    for trees in _marked.values():
        if source.session_uid in trees:
            trees.add(target.session_uid)


def note_all() -> None:
    """For the handler after loading: the trees that marks count on now are those that they were written to."""
    _marked.clear()
    for tree in bpy.data.node_groups:
        _valid_mark(tree)


def disown_copies() -> None:
    """For the handler before saving: nothing but the session UID tells a copy under its original's name from that, so
    the mark of such a copy is made one that never counts."""
    for tree in bpy.data.node_groups:
        mark = _mark(tree)
        if mark is not None and _is_local(tree, mark) and not _is_the_one(tree, mark["id"]):
            _store(tree, mark | {"file": ""})


class StateBefore:
    """The ownership and content of trees before a run, so that the run can mark its results."""

    def __init__(self) -> None:
        self._trees: dict[str, dict[str, Any]] = {}

    def note(self, tree: Any, ir: Tree) -> None:
        """Records a tree before anything is written to it."""
        found = read_mark(tree, ir)
        self._trees[tree.name] = {
            "as_left": found is not None and found["as_left"],
            "made": set() if found is None else set(found["nodes"]),
            "blank": _is_blank(ir),
            "ir": ir,
            "nodes": {node["id"] for node in ir["nodes"]},
            "inputs": _inputs(tree),
        }

    def mark_results(
        self,
        new: Iterable[str],
        prompt: str,
        run: str = "",
        written: Mapping[str, Tree] | None = None,
        copies: Mapping[str, str] | None = None,
        sockets: Mapping[str, Mapping[str, str]] | None = None,
        moves: Moves | None = None,
    ) -> None:
        """Marks what this `run` made for this `prompt`: new trees, trees without content before, new nodes in others.

        A tree of the artist's stays the artist's, except for the nodes and values that the run added. `written`: the
        trees as the run left them; what differs now is the artist's. `copies`: trees that the run copied, with their
        sources: what was in those belongs to whom it belonged there. `sockets`: the identifiers of the inputs and
        outputs that it made, by tree and by what its plans call them. `moves`: the nodes that it moved between trees,
        which belong to whom they belonged; a group that was made of the artist's nodes is the artist's.
        """
        written, copies, sockets, moves = written or {}, copies or {}, sockets or {}, moves or Moves()
        new = set(new)
        by = hashlib.sha256(json.dumps(prompt, ensure_ascii=False).encode()).hexdigest()
        for name in (*sorted(new), *copies, *self._trees):
            tree = bpy.data.node_groups.get((name, None))
            if tree is None or tree.bl_idname != "GeometryNodeTree":
                continue
            before, mark, inputs = self._trees.get(copies.get(name, name)), _valid_mark(tree), _inputs(tree)
            now = written.get(name)
            if now is None:
                now = export.export_one(tree)[0]
            ids = [node["id"] for node in now["nodes"]]
            came = [node_id for node_id in ids if before is None or node_id not in before["nodes"]]
            origins = {node_id: moves.origin(name, node_id) for node_id in came}
            added = [
                node_id
                for node_id, (place, own) in origins.items()
                if (place, own) == (name, node_id) or place in new or not self._is_theirs(copies.get(place, place), own)
            ]
            called = dict(sockets.get(name, {}))
            if before is None:
                before = {"as_left": False, "blank": True, "ir": None, "inputs": {}}
            ours = name in copies and before["as_left"]
            if (ours or before["blank"] and added) and added == came:
                kept = {"file": _file(), "by": by, "run": run, "nodes": ids, "inputs": inputs, "sockets": called}
                _write(tree, kept, now)
            elif mark is not None and now == before["ir"] and inputs == before["inputs"]:
                continue  # it did nothing here
            elif mark is not None:
                inputs = _merged(mark["inputs"], before["inputs"], inputs)
                called = {**mark.get("sockets", {}), **called}
                kept = mark | {"run": run, "nodes": [*mark["nodes"], *added], "inputs": inputs, "sockets": called}
                left = kept.pop("left", None)
                if before["as_left"]:
                    del kept["look"]
                elif isinstance(left, dict):
                    # The changes of this run belong to what runs left; the work by hand does not.
                    kept["left"] = _merge(left, before["ir"], now)
                    kept["look"] = _look(kept["left"])
                _write(tree, kept, now)
            elif added or called:
                inputs = _changed(before["inputs"], inputs)
                theirs = {"file": _file(), "by": by, "run": run, "nodes": added, "inputs": inputs, "look": _NOT_OURS}
                _write(tree, theirs | {"sockets": called}, now)

    def _is_theirs(self, name: str, node_id: str) -> bool:
        """Whether a node of a tree that the run did not make is the artist's."""
        before = self._trees.get(name)
        if before is not None:
            return node_id in before["nodes"] and not before["as_left"] and node_id not in before["made"]
        tree = bpy.data.node_groups.get((name, None))
        mark = None if tree is None else read_mark(tree)  # the run only read it
        return mark is None or not mark["as_left"] and node_id not in mark["nodes"]


def _changed(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    return {
        obj: {
            modifier: {k: v for k, v in values.items() if before.get(obj, {}).get(modifier, {}).get(k) != v}
            for modifier, values in of_modifiers.items()
        }
        for obj, of_modifiers in now.items()
    }


def _merged(left: dict[str, Any], before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The recorded input values after a run: new for inputs that the run changed or that are new, else those `left`
    earlier, so that a value which the artist changed still counts as changed."""
    merged: dict[str, Any] = {}
    for obj, of_modifiers in now.items():
        for modifier, values in of_modifiers.items():
            was, known = (of.get(obj, {}).get(modifier, {}) for of in (before, left))
            merged.setdefault(obj, {})[modifier] = {
                key: known[key] if key in known and was.get(key) == value else value for key, value in values.items()
            }
    return merged


_GONE: Any = object()


def _merge(left: Any, before: Any, now: Any) -> Any:
    """Part of a tree as runs `left` it, with what changed from `before` to `now`."""
    if before == now:
        return left
    parts = [_keyed(part) for part in (left, before, now)]
    if any(part is None for part in parts):
        return now
    then, old, new = (part or {} for part in parts)
    merged = {
        key: _merge(then.get(key, _GONE), old.get(key, _GONE), new.get(key, _GONE))
        for key in dict.fromkeys([*then, *new])
    }
    kept = {key: value for key, value in merged.items() if value is not _GONE}
    return kept if isinstance(now, dict) else list(kept.values())


def _keyed(part: Any) -> dict[Any, Any] | None:
    """The members of a part of a tree: nodes by their ID, sockets by their identifier, links by their ends."""
    if isinstance(part, dict):
        return part
    if not isinstance(part, list) or not all(isinstance(one, dict) for one in part):
        return None
    keys = [one.get("id") or one.get("identifier") or json.dumps(one, sort_keys=True) for one in part]
    return dict(zip(keys, part, strict=True)) if len(set(keys)) == len(keys) else None


def _inputs(tree: Any) -> dict[str, Any]:
    """Object → modifier → input values, for all modifiers that use the tree."""
    out: dict[str, Any] = {}
    for modifier in modifiers.users_of(tree):
        out.setdefault(modifier.id_data.name, {})[modifier.name] = modifiers.read_inputs(modifier)
    return out


def _write(tree: Any, kept: dict[str, Any], now: Tree) -> None:
    """Writes a mark; fields that `kept` lacks are filled from the tree as the run left it `now`."""
    if "look" not in kept:
        kept = kept | {"look": _look(now), "left": now}
    mark: dict[str, Any] = {"version": _VERSION, "id": uuid.uuid4().hex} | kept | {"name": tree.name}
    mark["nodes"] = sorted(set(mark["nodes"]))
    _store(tree, mark)
    _known_trees(mark["id"]).add(tree.session_uid)


def _store(tree: Any, mark: dict[str, Any]) -> None:
    tree[MARK] = json.dumps(mark, ensure_ascii=False, separators=(",", ":"))


def _valid_mark(tree: Any) -> dict[str, Any] | None:
    """The mark, if this is the tree that it was written to."""
    mark = _mark(tree)
    if mark is None or not _is_local(tree, mark):
        return None
    # Blender names copies after their original; if they were renamed, the original cannot be identified.
    others = (g for g in bpy.data.node_groups if g != tree and g.library is None and mark["id"] in str(g.get(MARK, "")))
    ours = all(g.name.startswith((f"{tree.name}.", ".geonode")) for g in others)
    return mark if ours and _is_the_one(tree, mark["id"]) else None


def _is_local(tree: Any, mark: dict[str, Any]) -> bool:
    """Whether the mark was written in this file to a tree of this name."""
    if tree.library is not None or tree.override_library is not None:
        return False
    return bool(tree.name == mark["name"] and mark["file"] == _known_file())


def _is_the_one(tree: Any, mark_id: str) -> bool:
    """Whether the mark with this ID was written to this very tree, as far as this is known: of the first tree with it
    since the file was loaded, it is assumed."""
    known = _known_trees(mark_id)
    if not known:
        known.add(tree.session_uid)
    return tree.session_uid in known


def _known_trees(mark_id: str) -> set[int]:
    """The trees of this file that a mark was written to; may be added to."""
    present = {scene.session_uid for scene in bpy.data.scenes}
    if _scenes.isdisjoint(present):
        _marked.clear()  # another file was loaded
    _scenes.clear()
    _scenes.update(present)
    return _marked.setdefault(mark_id, set())


def _mark(tree: Any) -> dict[str, Any] | None:
    """The content of the mark, whether or not it matches; None if the property is not a mark."""
    text = tree.get(MARK)
    if not isinstance(text, str):
        return None
    try:
        mark = json.loads(text)
    except ValueError:
        return None
    fits = isinstance(mark, dict) and mark.get("version") == _VERSION
    return mark if fits and all(isinstance(mark.get(key), kind) for key, kind in _FIELDS.items()) else None


def _known_file() -> str | None:
    """The ID of this file, which most of its workspaces have: one that was appended brings the ID of its own file."""
    found = Counter(space[FILE] for space in bpy.data.workspaces if isinstance(space.get(FILE), str))
    for known, count in found.most_common(1):
        if 2 * count > len(bpy.data.workspaces):
            return known
    return None


def _file() -> str:
    """The ID of this file; creates one if it has none."""
    known = _known_file() or uuid.uuid4().hex
    for space in bpy.data.workspaces:
        if space.get(FILE) != known:
            space[FILE] = known
    return known


def _is_blank(ir: Tree) -> bool:
    """Whether a tree is as “New” leaves it: at most a Group Input, a Group Output, a geometry on each side, and the
    link between them, all of them unchanged (`is_blank` in rust/graph/src/blank.rs is the same rule)."""
    kinds = {node["id"]: node["type"] for node in ir["nodes"]}
    changed = ("label", "parent", "props", "inputs", "outputs")
    sides = [item.get("in_out") for item in ir["interface"]]
    return (
        len(set(kinds.values())) == len(kinds)
        and _ENDS.issuperset(kinds.values())
        and not any(node.get(key) for node in ir["nodes"] for key in changed)
        and len(set(sides)) == len(sides)
        and all(
            (item["kind"], item.get("socket_type"), item["name"]) == ("socket", "NodeSocketGeometry", "Geometry")
            and not item["props"]
            for item in ir["interface"]
        )
        and all(
            not link.get("muted")
            and [kinds[link["from"][0]], kinds[link["to"][0]]] == ["NodeGroupInput", "NodeGroupOutput"]
            for link in ir["links"]
        )
    )


def _look(ir: Tree) -> str:
    nodes = [{key: value for key, value in node.items() if key not in _LAYOUT} for node in ir["nodes"]]
    settings = {key: value for key, value in ir["settings"].items() if key != "use_fake_user"}
    text = json.dumps(
        {**ir, "settings": settings, "nodes": nodes}, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(text.encode()).hexdigest()
