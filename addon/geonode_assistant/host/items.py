# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic item collections of nodes: repeat items, menu items, capture items, ramp elements, curve points, …

They are read and edited generically, through the collection's own `new`, `remove` and `move`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import bpy

from . import rna, values
from .errors import HostError

_NUMBERED = re.compile(r"^(.*)_(\d+)$")
_PROBES = 3
# The next tree update deletes these while they are unlinked, so they are set once all links exist.
LATE = frozenset({"auto_remove"})


def read_items(node: Any, path: str, known: list[int] | None = None) -> list[dict[str, Any]]:
    """The items of `node.<path>` as JSON, `identifier` first where Blender numbers them. `known`: their numbers, for a
    new node whose sockets cannot be read yet.
    """
    collection = rna.follow(node, path)
    result = []
    if known is not None:
        numbers = known if len(known) == len(collection) else []
    else:
        numbers = item_numbers(node, path) if "." not in path else []
    for position, item in enumerate(collection):
        fields = rna.item_fields(item)
        entry: dict[str, Any] = {}
        if position < len(numbers):
            entry["identifier"] = numbers[position]
        for name, value in zip(fields.plain, fields.read_plain(item), strict=True):
            entry[name] = values.shortest_float(value) if isinstance(value, float) else value
        for name in fields.arrays:
            entry[name] = values.to_json(fields.read_array(item, name))
        result.append(entry)
    return result


@dataclass(frozen=True)
class Numbering:
    """How a collection numbers its items: where their sockets are, their prefix, and the next number of a new node."""

    holder: str  # "self", "partner" (the input node of a zone) or "item" (the item itself tells)
    side: str
    prefix: str
    first: int


# Sockets without a number, for compatibility with older Blenders; by default the bare prefix is the first item.
_WORDS = {"GeometryNodeViewer": {"Geometry": 0, "Value": 1}}
_numbering: dict[tuple[str, str], Numbering | None] = {}


def numbering(node: Any, path: str) -> Numbering | None:
    """The numbering, measured once per node type and collection; None if items have no visible numbers."""
    key = (node.bl_idname, path)
    if key not in _numbering:
        with rna.scratch_tree() as tree:
            _numbering[key] = _probe(tree, node.bl_idname, path)
    return _numbering[key]


def item_numbers(node: Any, path: str) -> list[int]:
    """The number N of each item, as in the identifier `Item_N` of its sockets; empty if items are not numbered."""
    collection = getattr(node, path)
    if not len(collection):
        return []
    if "identifier" in collection[0].bl_rna.properties:
        return [item.identifier for item in collection]
    found = numbering(node, path)
    holder = None if found is None else node if found.holder == "self" else zone_input(node)
    if found is None or holder is None:
        return []
    prefix, numbers = found.prefix, []
    words = _WORDS.get(node.bl_idname, {prefix: 0})
    for socket in getattr(holder, found.side):
        match = _NUMBERED.match(socket.identifier)
        if match and match.group(1) == prefix:
            numbers.append(int(match.group(2)))
        elif socket.identifier in words:
            numbers.append(words[socket.identifier])
    return numbers if len(numbers) == len(collection) else []


def zone_input(node: Any) -> Any:
    """The input node of the zone whose output node is `node`, or None."""
    return next((n for n in node.id_data.nodes if rna.paired_output(n) == node), None)


def _fresh(tree: Any, bl_idname: str) -> dict[str, Any]:
    """A new node ("self"), with the input node of its zone ("partner") if it is the output of one."""
    holders = {"self": tree.nodes.new(bl_idname)}
    if bl_idname.endswith("Output"):
        try:
            start = tree.nodes.new(bl_idname.removesuffix("Output") + "Input")
            if rna.pair(start, holders["self"]):
                holders["partner"] = start
        except (RuntimeError, HostError):
            pass
    tree.interface_update(bpy.context)
    return holders


def _probe(tree: Any, bl_idname: str, path: str) -> Numbering | None:
    """Adds an item to a new node (of a complete zone) and finds the numbered sockets that appear."""
    holders = _fresh(tree, bl_idname)
    node = holders["self"]
    seen = {
        (h, side, s.identifier) for h, n in holders.items() for side in ("inputs", "outputs") for s in getattr(n, side)
    }
    for number in range(_PROBES):  # the first ones may have names without a number
        item = _new(node, path, getattr(node, path), {"name": f"Probe {number}"})
    if "identifier" in item.bl_rna.properties:
        return Numbering("item", "", "", item.identifier - _PROBES + 1)
    tree.interface_update(bpy.context)
    found: Numbering | None = None
    for holder, owner in holders.items():
        for side in ("inputs", "outputs"):
            for socket in getattr(owner, side):
                match = _NUMBERED.match(socket.identifier)
                if match and (holder, side, socket.identifier) not in seen:
                    last = (holder, side, match.group(1), int(match.group(2)))
                    if found is None or last[3] - _PROBES + 1 > found.first:
                        found = Numbering(*last[:3], last[3] - _PROBES + 1)
    return found


_taken: dict[tuple[type, str], set[str]] = {}
"""What `new` of a collection takes, by the type of its node and its path."""


def _new(node: Any, path: str, collection: Any, entry: dict[str, Any]) -> Any:
    """Adds an item, of the entry's type if `new` takes one."""
    if (taken := _taken.get((type(node), path))) is None:
        parameters = collection.bl_rna.functions["new"].parameters
        taken = _taken[type(node), path] = {p.identifier for p in parameters if not p.is_output}
    if "value" in taken:  # a point of a curve
        return collection.new(*entry.get("location", [0.0, 0.0]))
    if "position" in taken:  # an element of a colour ramp
        return collection.new(entry.get("position", 0.0))
    arguments: list[Any] = []
    if "socket_type" in taken:
        arguments.append(_socket_type(entry))
    if "name" in taken:
        arguments.append(entry.get("name", ""))
    try:
        return collection.new(*arguments)
    except (TypeError, RuntimeError, ValueError) as error:
        raise HostError(
            "invalid_value", f'An item {entry!r} cannot be added to {path} of node "{node.name}": {error}'
        ) from error


# `new` takes socket types; items that store attribute types use other names for some of them.
_SOCKET_TYPE_OF_DATA = {
    "FLOAT_VECTOR": "VECTOR",
    "FLOAT_COLOR": "RGBA",
    "QUATERNION": "ROTATION",
    "FLOAT4X4": "MATRIX",
    "INT32_2D": "VECTOR",
    "INT8": "INT",
    "BYTE_COLOR": "RGBA",
    "FLOAT2": "VECTOR",
}
_SOCKET_TYPE_OF_BASE = {"NodeSocketBool": "BOOLEAN", "NodeSocketColor": "RGBA"}


def _socket_type(entry: dict[str, Any]) -> str:
    given = entry.get("socket_type") or entry.get("data_type") or "FLOAT"
    if given.startswith("NodeSocket"):
        given = _SOCKET_TYPE_OF_BASE.get(given, given.removeprefix("NodeSocket").upper())
    if given == "VALUE":
        given = "FLOAT"
    return _SOCKET_TYPE_OF_DATA.get(given, given)


_shared: dict[str, bool] = {}


def measure(node: Any, paths: list[str]) -> None:
    """Measures the numberings that `write_lists` needs, on scratch trees; must not run inside a suppressed phase."""
    own = [path for path in paths if "." not in path]
    for path in own:
        numbering(node, path)
    if len(own) > 1 and node.bl_idname not in _shared:
        with rna.scratch_tree() as tree:
            _shared[node.bl_idname] = _probe_shared(tree, node.bl_idname, own[:2])


_first: dict[tuple[str, str], list[int]] = {}


def measure_new(kind: str, paths: list[str]) -> None:
    """As `measure`, for `write_lists` of new nodes of that type; types and paths that do not exist are ignored."""
    own = [path for path in paths if "." not in path]
    if all((kind, path) in _first for path in own) and (len(own) < 2 or kind in _shared):
        return
    with rna.scratch_tree() as tree:
        try:
            node = _fresh(tree, kind)["self"]
        except RuntimeError:
            return
        own = [path for path in own if hasattr(node, path)]
        measure(node, own)
        for path in own:
            _first[kind, path] = item_numbers(node, path)


def _probe_shared(tree: Any, bl_idname: str, paths: list[str]) -> bool:
    """Whether two collections share one counter of numbers, as in For Each zones."""
    fresh = _fresh(tree, bl_idname)["self"]
    for path in paths:
        _new(fresh, path, getattr(fresh, path), {"name": "Probe"})
    tree.interface_update(bpy.context)
    known, numbers = numbering(fresh, paths[1]), item_numbers(fresh, paths[1])
    return bool(known and numbers and numbers[-1] > known.first)


def write_lists(node: Any, lists: dict[str, list[dict[str, Any]]], new: bool = False) -> list[str]:
    """Makes the collections of `node` equal to the wanted lists: items with the same number, else with the same name
    and type, are kept. New ones get their wanted number by using up the numbers in between, so that links to `Item_7`
    find it. `new`: the node was made in this suppressed phase, so that its sockets cannot be read; its type was
    measured (`measure_new`).

    Returns the paths that have fields in `LATE`, which `finish_items` sets.
    """
    points = {
        path for path in lists if rna.follow(node, path).bl_rna.identifier in {"ColorRampElements", "CurveMapPoints"}
    }
    if points:
        _write_all_points(node, {path: lists[path] for path in points})
    own = [path for path in lists if path not in points]
    groups = [own] if _shared.get(node.bl_idname) else [[path] for path in own]
    for group in groups:
        _write_group(node, {path: lists[path] for path in group}, new)
    return [path for path in own if any(LATE & entry.keys() for entry in lists[path])]


def _write_group(node: Any, lists: dict[str, list[dict[str, Any]]], new: bool) -> None:
    """Writes collections that share one counter of numbers."""
    order: dict[str, list[int]] = {}  # wanted position of each present item
    missing: list[tuple[int, int, str, int]] = []
    taken = [0]
    for rank, (path, wanted) in enumerate(lists.items()):
        collection = getattr(node, path)
        current = read_items(node, path, _first.get((node.bl_idname, path)) if new else None)
        known = numbering(node, path)
        taken += [known.first] if known is not None else []
        taken += [entry["identifier"] + 1 for entry in current if "identifier" in entry]
        kept = _match(current, wanted)
        for old in reversed(range(len(current))):
            if old not in kept:
                collection.remove(collection[old])
        order[path] = [kept[old] for old in sorted(kept)]
        missing += [
            (entry.get("identifier", 1 << 30), rank, path, position)
            for position, entry in enumerate(wanted)
            if position not in order[path]
        ]
    # Correct for nodes created in this edit; for other nodes no numbers are requested.
    upcoming = max(taken)
    for number, _, path, position in sorted(missing):
        collection, entry = getattr(node, path), lists[path][position]
        while upcoming < number <= upcoming + rna.MAX_BURN and numbering(node, path) is not None:
            collection.remove(_new(node, path, collection, entry))
            upcoming += 1
        _new(node, path, collection, entry)
        upcoming += 1
        order[path].append(position)
    for path, wanted in lists.items():
        _sort_and_fill(getattr(node, path), order[path], wanted)


def _match(current: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> dict[int, int]:
    """Current position → wanted position of the items that are kept."""
    kept: dict[int, int] = {}
    for position, entry in enumerate(wanted):
        old = next((old for old, present in enumerate(current) if old not in kept and _same(present, entry)), None)
        if old is not None:
            kept[old] = position
    return kept


def _sort_and_fill(collection: Any, order: list[int], wanted: list[dict[str, Any]]) -> None:
    for target in range(len(order)):
        source = order.index(target)
        if source != target:
            collection.move(source, target)
            order.insert(target, order.pop(source))
    for item, entry in zip(collection, wanted, strict=True):
        _set_fields(item, entry, late=False)


def finish_items(node: Any, path: str, wanted: list[dict[str, Any]]) -> None:
    """Sets the fields that can only be set after the links."""
    for item, entry in zip(rna.follow(node, path), wanted, strict=False):
        _set_fields(item, entry, late=True)


def _same(present: dict[str, Any], entry: dict[str, Any]) -> bool:
    if "identifier" in entry and "identifier" in present:
        return present["identifier"] == entry["identifier"]
    if present.get("name") != entry.get("name"):
        return False
    for key in ("socket_type", "data_type"):
        if key in present and (entry.get("socket_type") or entry.get("data_type")):
            wanted = _socket_type(entry)
            return _SOCKET_TYPE_OF_DATA.get(present[key], present[key]) == wanted
    return True


def _set_fields(item: Any, entry: dict[str, Any], late: bool) -> None:
    """Sets the fields of this phase."""
    names = item.bl_rna.properties
    for key, value in entry.items():
        if key == "identifier" or key not in names or names[key].is_readonly or (key in LATE) != late:
            continue
        if key == "socket_type":
            value = _socket_type(entry)
        elif key == "data_type" and value not in names[key].enum_items:
            value = next(
                (d for d, s in _SOCKET_TYPE_OF_DATA.items() if s == value and d in names[key].enum_items), value
            )
        if getattr(item, key) != value:
            values.assign(item, key, value)


def _write_all_points(node: Any, lists: dict[str, list[dict[str, Any]]]) -> None:
    """Writes ramp elements and curve points. Every update of a curve mapping with clipping moves a point to the border,
    so clipping is switched off meanwhile, and points that switching it on moves are set again.
    """
    owners = {path.split(".")[0]: rna.follow(node, path.split(".")[0]) for path in lists}
    clipping = [owner for owner in owners.values() if getattr(owner, "use_clip", False)]
    for owner in clipping:
        owner.use_clip = False
    for path, wanted in lists.items():
        _write_points(node, path, rna.follow(node, path), wanted)
    for owner in owners.values():
        if hasattr(owner, "update"):
            owner.update()
    for owner in clipping:
        owner.use_clip = True
    for path, wanted in lists.items():
        for point, entry in zip(rna.follow(node, path), wanted, strict=False):
            for key in entry.keys() & {"location", "handle_type"}:
                if values.to_json(getattr(point, key)) != entry[key]:
                    values.assign(point, key, entry[key])


def _write_points(node: Any, path: str, collection: Any, wanted: list[dict[str, Any]]) -> None:
    """Writes one collection of points: Blender keeps at least one or two of them and sorts them by position."""
    while len(collection) > max(len(wanted), 1):
        try:
            collection.remove(collection[len(collection) - 1])
        except (RuntimeError, TypeError):
            break
    while len(collection) < len(wanted):
        _new(node, path, collection, wanted[len(collection)])
    for number in range(len(collection)):
        entry = wanted[number]
        for key, value in entry.items():
            if key != "identifier":
                values.assign(collection[number], key, value)


def add_probe(node: Any, path: str) -> Any:
    """Adds an item of any type, to inspect it."""
    return _new(node, path, getattr(node, path), {"name": "Probe"})
