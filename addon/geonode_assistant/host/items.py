# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic item collections of nodes: repeat items, menu items, capture items, ramp elements, curve points, …

Read and brought to a wanted list generically, through the collection's own `new`, `remove` and `move`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import bpy

from . import rna, values
from .errors import HostError

_NUMBERED = re.compile(r"^(.*)_(\d+)$")
MAX_BURN = 4096
# Deleted by the next update while unlinked: set once all links are there.
LATE = frozenset({"auto_remove"})


def read_items(node: Any, path: str) -> list[dict[str, Any]]:
    """The items of `node.<path>` as JSON, `identifier` first where Blender numbers them."""
    collection = rna.follow(node, path)
    result = []
    numbers = item_numbers(node, path) if "." not in path else []
    for position, item in enumerate(collection):
        fields = rna.item_fields(item)
        entry: dict[str, Any] = {}
        if position < len(numbers):
            entry["identifier"] = numbers[position]
        for name, value in zip(fields.plain, fields.read_plain(item), strict=True):
            entry[name] = values.shortest(value) if isinstance(value, float) else value
        for name in fields.arrays:
            entry[name] = values.to_json(fields.read_array(item, name))
        result.append(entry)
    return result


@dataclass(frozen=True)
class Numbering:
    """How a collection numbers its items: where their sockets are, with which prefix, and a fresh node's next number."""

    holder: str  # "self", "partner" (the input node of a zone) or "item" (the item itself tells)
    side: str
    prefix: str
    first: int


_numbering: dict[tuple[str, str], Numbering | None] = {}


def numbering(node: Any, path: str) -> Numbering | None:
    """Measured once per node type and collection; None where items have no numbers that can be seen."""
    key = (node.bl_idname, path)
    if key not in _numbering:
        with rna.scratch_tree() as tree:
            _numbering[key] = _probe(tree, node.bl_idname, path)
    return _numbering[key]


def item_numbers(node: Any, path: str) -> list[int]:
    """The number N of each item, as in the identifier `Item_N` of its sockets; empty where items are not numbered."""
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
    for socket in getattr(holder, found.side):
        match = _NUMBERED.match(socket.identifier)
        if match and match.group(1) == prefix:
            numbers.append(int(match.group(2)))
        elif socket.identifier == prefix:  # kept from the time when there was only one
            numbers.append(0)
    return numbers if len(numbers) == len(collection) else []


def zone_input(node: Any) -> Any:
    """The input node of the zone that `node` ends, or None."""
    return next((n for n in node.id_data.nodes if rna.paired_output(n) == node), None)


def _probe(tree: Any, bl_idname: str, path: str) -> Numbering | None:
    """Adds an item to a fresh node (of a whole zone) and looks which numbered sockets are new."""
    node = tree.nodes.new(bl_idname)
    holders = {"self": node}
    if bl_idname.endswith("Output"):
        try:
            start = tree.nodes.new(bl_idname.removesuffix("Output") + "Input")
            if rna.pair(start, node):
                holders["partner"] = start
        except (RuntimeError, HostError):
            pass
    tree.interface_update(bpy.context)
    seen = {(h, side, s.identifier) for h, n in holders.items() for side in ("inputs", "outputs") for s in getattr(n, side)}
    _new(node, path, getattr(node, path), {"name": "Probe"})  # the first may have a name without a number
    item = _new(node, path, getattr(node, path), {"name": "Probe 2"})
    if "identifier" in item.bl_rna.properties:
        return Numbering("item", "", "", item.identifier - 1)
    tree.interface_update(bpy.context)
    found: Numbering | None = None
    for holder, owner in holders.items():
        for side in ("inputs", "outputs"):
            for socket in getattr(owner, side):
                match = _NUMBERED.match(socket.identifier)
                if match and (holder, side, socket.identifier) not in seen:
                    last = (holder, side, match.group(1), int(match.group(2)))
                    if found is None or last[3] > found.first + 1:
                        found = Numbering(*last[:3], last[3] - 1)
    return found


def _new(node: Any, path: str, collection: Any, entry: dict[str, Any]) -> Any:
    """One more item, of the entry's type where `new` takes one."""
    kind = collection.bl_rna.identifier
    if kind == "ColorRampElements":
        return collection.new(entry.get("position", 0.0))
    if kind == "CurveMapPoints":
        return collection.new(*entry.get("location", [0.0, 0.0]))
    taken = [p.identifier for p in collection.bl_rna.functions["new"].parameters if not p.is_output]
    arguments: list[Any] = []
    if "socket_type" in taken:
        arguments.append(_socket_type(entry, collection))
    if "name" in taken:
        arguments.append(entry.get("name", ""))
    try:
        return collection.new(*arguments)
    except (TypeError, RuntimeError, ValueError) as error:
        raise HostError("invalid_value", f'An item {entry!r} cannot be added to {path} of node "{node.name}": {error}') from error


# `new` takes socket types; items that store attribute types name some of them differently.
_SOCKET_TYPE_OF_DATA = {"FLOAT_VECTOR": "VECTOR", "FLOAT_COLOR": "RGBA", "QUATERNION": "ROTATION", "FLOAT4X4": "MATRIX",
                        "INT32_2D": "VECTOR", "INT8": "INT", "BYTE_COLOR": "RGBA", "FLOAT2": "VECTOR"}
_SOCKET_TYPE_OF_BASE = {"NodeSocketBool": "BOOLEAN", "NodeSocketColor": "RGBA"}


def _socket_type(entry: dict[str, Any], collection: Any) -> str:
    given = entry.get("socket_type") or entry.get("data_type") or "FLOAT"
    if given.startswith("NodeSocket"):
        given = _SOCKET_TYPE_OF_BASE.get(given, given.removeprefix("NodeSocket").upper())
    if given == "VALUE":
        given = "FLOAT"
    return _SOCKET_TYPE_OF_DATA.get(given, given)


def write_items(node: Any, path: str, wanted: list[dict[str, Any]]) -> bool:
    """Makes `node.<path>` equal to the wanted list: items of the same number, else of the same name and type, are kept.

    Numbers are matched by using up the ones in between, so links that name `Item_7` find it. Returns whether something of
    `LATE` remains to be set by `finish_items`.
    """
    collection = rna.follow(node, path)
    if collection.bl_rna.identifier in {"ColorRampElements", "CurveMapPoints"}:
        _write_points(node, path, collection, wanted)
        return False
    current = read_items(node, path)
    keep: dict[int, int] = {}  # wanted position → present position
    free = set(range(len(current)))
    for position, entry in enumerate(wanted):
        for old in sorted(free):
            if _same(current[old], entry):
                keep[position] = old
                free.discard(old)
                break
    present = list(range(len(current)))
    for old in sorted(free, reverse=True):
        collection.remove(collection[old])
        present.remove(old)
    back = {old: position for position, old in keep.items()}
    order = [back[old] for old in present]  # wanted position of each present item
    missing = [p for p in range(len(wanted)) if p not in keep]
    missing.sort(key=lambda p: (wanted[p].get("identifier", 1 << 30), p))
    known = numbering(node, path)
    # Right for nodes that were made in this edit; on others nobody asks for numbers.
    upcoming = None if known is None else max([known.first, *(e["identifier"] + 1 for e in current if "identifier" in e)])
    for position in missing:
        upcoming = _add_numbered(node, path, collection, wanted[position], upcoming)
        order.append(position)
    for target in range(len(order)):
        source = order.index(target)
        if source != target:
            collection.move(source, target)
            order.insert(target, order.pop(source))
    late = False
    for item, entry in zip(collection, wanted, strict=True):
        late |= _set_fields(item, entry, late=False)
    return late


def finish_items(node: Any, path: str, wanted: list[dict[str, Any]]) -> None:
    """Sets the fields that must wait for the links."""
    for item, entry in zip(rna.follow(node, path), wanted, strict=False):
        _set_fields(item, entry, late=True)


def _same(present: dict[str, Any], entry: dict[str, Any]) -> bool:
    if "identifier" in entry and "identifier" in present:
        return present["identifier"] == entry["identifier"]
    if present.get("name") != entry.get("name"):
        return False
    for key in ("socket_type", "data_type"):
        if key in present and (entry.get("socket_type") or entry.get("data_type")):
            wanted = _socket_type(entry, None)
            return _SOCKET_TYPE_OF_DATA.get(present[key], present[key]) == wanted
    return True


def _add_numbered(node: Any, path: str, collection: Any, entry: dict[str, Any], upcoming: int | None) -> int | None:
    """Adds an item; numbers in between are used up first. Returns the number that the next one would get."""
    wanted = entry.get("identifier")
    if upcoming is not None and isinstance(wanted, int) and upcoming < wanted <= upcoming + MAX_BURN:
        while upcoming < wanted:
            collection.remove(_new(node, path, collection, entry))
            upcoming += 1
    _new(node, path, collection, entry)
    return None if upcoming is None else upcoming + 1


def _set_fields(item: Any, entry: dict[str, Any], late: bool) -> bool:
    """Sets the fields of the wanted phase; true when some of the other phase were left."""
    left = False
    names = item.bl_rna.properties
    for key, value in entry.items():
        if key == "identifier" or key not in names or names[key].is_readonly:
            continue
        if (key in LATE) != late:
            left = True
            continue
        if key == "socket_type":
            value = _socket_type(entry, None)
        if key == "data_type" and value not in names[key].enum_items:
            value = next((d for d, s in _SOCKET_TYPE_OF_DATA.items() if s == value and d in names[key].enum_items), value)
        if getattr(item, key) != value:
            values.assign(item, key, value)
    return left


def _write_points(node: Any, path: str, collection: Any, wanted: list[dict[str, Any]]) -> None:
    """Ramp elements and curve points: bounded below by one and two, no numbers, sorted by position by Blender."""
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
    parent = rna.follow(node, path.split(".")[0])
    if hasattr(parent, "update"):
        parent.update()


def add_probe(node: Any, path: str) -> Any:
    """One item more, whatever its type: for looking at it."""
    return _new(node, path, getattr(node, path), {"name": "Probe"})
