# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the things come from that a recorded script holds; an address leads to the very thing when it is written."""

from __future__ import annotations

from typing import Any

import bpy

from ..host import addresses
from .recorded_values import MATH, NotRecordable

STRUCT = bpy.types.bpy_struct
COLLECTION = bpy.types.bpy_prop_collection
# The most things that are remembered; what was forgotten cannot be recorded.
MOST = 100_000
# The most collections in which something is searched for, and the most items of each.
RECENT, SEARCHED = 64, 5_000

Address = dict[str, Any]


class Provenance:
    """What the script has read from where."""

    def __init__(self) -> None:
        self._structs: dict[Any, tuple[Any, Any]] = {}
        self._others: dict[int, tuple[Any, Any, Any]] = {}
        self._results: dict[Any, Address] = {}
        self._kept: dict[int, tuple[Any, Address]] = {}
        self._recent: dict[int, tuple[Any, type]] = {}

    def note(self, found: Any, parent: Any, step: Any) -> None:
        """``found`` was read from ``parent``."""
        if isinstance(found, STRUCT):
            self._structs.pop(found, None)
            self._structs[found] = (parent, step)
            _shorten(self._structs, MOST)
            return
        self._others.pop(id(found), None)
        self._others[id(found)] = (found, parent, step)
        _shorten(self._others, MOST)
        if isinstance(found, COLLECTION) and isinstance(step, str) and isinstance(parent, STRUCT):
            prop: Any = parent.bl_rna.properties.get(step)
            if prop is not None and prop.type == "COLLECTION":
                self._recent.pop(id(found), None)
                self._recent[id(found)] = (found, getattr(bpy.types, prop.fixed_type.identifier, STRUCT))
                _shorten(self._recent, RECENT)

    def note_result(self, found: Any, number: int) -> None:
        """``found`` is what entry ``number`` returned."""
        root = {"root": {"result": number}, "path": []}
        if isinstance(found, list | tuple):
            for place, one in enumerate(found):
                if isinstance(one, STRUCT):
                    self._results[one] = {**root, "path": [{"item": place}]}
        elif isinstance(found, STRUCT):
            self._results[found] = root
        elif found is not None and not isinstance(found, bool | int | float | str | set):
            self._kept[id(found)] = (found, root)

    def knows(self, thing: Any) -> bool:
        """Whether this came out of the file, without being a data-block or a part of one."""
        return id(thing) in self._others or id(thing) in self._kept

    def address(self, thing: Any) -> Address:
        """Raises ``NotRecordable`` where nothing leads there."""
        try:
            found = self._address(thing)
        except (ReferenceError, RuntimeError, RecursionError) as error:
            raise NotRecordable(f"{type(thing).__name__} is gone") from error
        if found is None:
            raise NotRecordable(f"no path leads to a {type(thing).__name__}")
        return found

    def last_step(self, thing: Any) -> tuple[Any, Any]:
        """What a vector or matrix of the file is an attribute or item of, and of what name or key."""
        known = self._others.get(id(thing))
        if known is None:
            raise NotRecordable(f"no path leads to a {type(thing).__name__}")
        return known[1], known[2]

    def _address(self, thing: Any) -> Address | None:
        if addresses.is_data(thing):
            return {"root": "data", "path": []}
        if isinstance(thing, bpy.types.Context):
            return {"root": "context", "path": []}
        if isinstance(thing, bpy.types.ID):
            found = self._block(thing)
            return found if found is not None else self._read(thing)
        if isinstance(thing, STRUCT):
            return self._path(thing) or self._read(thing) or self._search(thing)
        return self._path(thing) if isinstance(thing, bpy.types.bpy_prop) and self._path(thing) else self._read(thing)

    def _block(self, block: Any) -> Address | None:
        if getattr(block, "is_embedded_data", False):
            found = addresses.owner(block)
            if found is None:
                return None
            outer = self._address(found[0])
            return None if outer is None else {**outer, "path": [*outer["path"], found[1]]}
        name = addresses.name_of(block)
        if name["kind"] is None or addresses.find(**name) != block:
            return None
        return {"root": {"block": name}, "path": []}

    def _path(self, thing: Any) -> Address | None:
        block = thing.id_data
        if block is None:
            return None
        try:
            path = thing.path_from_id()
            if not path or block.path_resolve(path, False) != thing and block.path_resolve(path) != thing:
                return None
        except (ValueError, AttributeError, TypeError):
            return None
        outer, found = self._address(block), addresses.steps(path)
        if outer is None or found is None or _walk(block, found) != thing:
            return None
        return {**outer, "path": [*outer["path"], *found]}

    def _read(self, thing: Any) -> Address | None:
        """As it was read, or returned."""
        struct = isinstance(thing, STRUCT)
        known = self._structs.get(thing) if struct else self._others.get(id(thing), (None,) * 3)[1:]
        if known and known[0] is not None:
            parent, step = known
            if not struct or _walk(parent, [step]) == thing:
                outer = self._address(parent)
                if outer is not None:
                    return {**outer, "path": [*outer["path"], step]}
        if struct:
            return self._results.get(thing)
        return self._kept.get(id(thing), (None, None))[1]

    def _search(self, thing: Any) -> Address | None:
        """In the collections that the script read last: Python walks through them without telling."""
        for collection, type_ in reversed(self._recent.values()):
            if not isinstance(thing, type_) or len(collection) > SEARCHED:
                continue
            for place, one in enumerate(collection):
                if one == thing:
                    outer = self._address(collection)
                    return None if outer is None else {**outer, "path": [*outer["path"], {"item": place}]}
        return None


def _walk(thing: Any, path: list[Any]) -> Any:
    try:
        for step in path:
            thing = getattr(thing, step) if isinstance(step, str) else thing[step["item"]]
    except (AttributeError, KeyError, IndexError, TypeError):
        return None
    return thing


def _shorten(held: dict[Any, Any], most: int) -> None:
    if len(held) > most:
        del held[next(iter(held))]


def of_file(thing: Any) -> bool:
    """Whether a value of mathutils is a part of the file, so that changing it changes the file."""
    while isinstance(thing, MATH):
        thing = thing.owner
    return isinstance(thing, STRUCT | bpy.types.bpy_prop)
