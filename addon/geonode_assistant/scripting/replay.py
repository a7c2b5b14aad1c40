# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out the record of a script's trial instead of the script, through the same guards that a script has.

The core has checked the record (``rust/script/src/record``). Nothing in it is code: each entry reaches something by its
address and calls or sets what is listed. An entry that does not fit ends it; the caller then restores the file.
"""

from __future__ import annotations

import json
from typing import Any

import bpy

from .. import native
from ..host import addresses, census, mesh_data
from ..messages import AssistantError
from . import instrument, names, policy, sizes, with_blocks
from .output import Output
from .recorded_values import decode

FIX = "Everything was taken back. Run it again, so that it is tried on the file as it is now."


class Misfit(Exception):
    """An entry that does not fit the file."""


class Replay:
    """One record, to be carried out once."""

    def __init__(self, record: dict[str, Any]) -> None:
        self._record = record
        table = names.table(frozenset(), Output())
        self._guarded_load, self._item = table[instrument.LOAD], table[instrument.ITEM]
        self._store, self._store_item = table[instrument.STORE], table[instrument.STORE_ITEM]
        self._inside = table[instrument.INSIDE]
        self._operators = table["__import__"]("bpy.ops", None, None, ("ops",), 0)
        self._results: dict[int, Any] = {}
        self._entered: list[Any] = []
        self._there = census.everything().keys()
        self._named: set[int] = set()
        self.failure: str | None = None
        """Why it did not fit; None when everything was carried out."""

    def carry_out(self) -> None:
        """Carries out the entries in their order, up to the first that does not fit."""
        number = 0
        try:
            now = addresses.situation()
            if now != self._record["situation"]:
                other = [name.replace("_", " ") for name in now if now[name] != self._record["situation"].get(name)]
                raise Misfit(f"The {' and the '.join(other)} are others than in the trial.")
            for entry in self._record["entries"]:
                self._note_named(entry)
            for number, entry in enumerate(self._record["entries"]):
                self._one(number, entry)
        except Exception as error:
            self.failure = f"Entry {number + 1} ({_what(self._record, number)}): {error}"
        finally:
            while self._entered:
                self._entered.pop().__exit__(None, None, None)

    def check(self) -> None:
        """``record_mismatch`` when it did not fit."""
        if self.failure is not None:
            raise AssistantError(
                "record_mismatch", f"What the script did in its trial does not fit. {self.failure}", FIX
            )

    def _one(self, number: int, entry: dict[str, Any]) -> None:
        if "numbering" in entry:
            self._check_numbering(entry)
        match entry["do"]:
            case "set":
                of = self._changed(entry["of"])
                self._store(self._value(entry["value"]), of, entry["name"])
            case "set_item":
                of = self._changed(entry["of"])
                self._store_item(self._value(entry["value"]), of, self._value(entry["key"]))
            case "delete_item":
                del self._inside(self._changed(entry["of"]))[self._value(entry["key"])]
            case "call":
                function = self._load(self._changed(entry["of"]), entry["name"])
                args = [self._value(one) for one in entry["args"]]
                given = {name: sizes.bounded(name, self._value(one)) for name, one in entry["named"].items()}
                self._call(number, entry, lambda: function(*args, **given))
            case "operator":
                if entry["name"] not in policy.policy().operators:
                    raise Misfit("it is not allowed")
                group, _, name = entry["name"].partition(".")
                operator = getattr(getattr(self._operators, group), name)
                context = [entry["context"]] if entry["context"] else []
                given = {name: self._value(one) for name, one in entry["named"].items()}
                self._call(number, entry, lambda: operator(*context, **given))
            case "mesh":
                mesh = self._changed(entry["of"])
                if not isinstance(mesh, bpy.types.Mesh):
                    raise Misfit("it is not a mesh")
                why = native.core().unfit_mesh(json.dumps(entry["mesh"]))
                if why is not None:
                    raise Misfit(f"the mesh does not fit in itself: {why}")
                mesh_data.write(mesh, entry["mesh"])
            case "enter":
                found = with_blocks.managed(self._find(entry["of"]))
                found.__enter__()
                self._entered.append(found)
            case "exit":
                self._entered.pop().__exit__(None, None, None)
            case other:
                raise Misfit(f"{other!r} is unknown")

    def _check_numbering(self, entry: dict[str, Any]) -> None:
        block = self._find({**entry["of"], "path": []})
        mesh = block if isinstance(block, bpy.types.Mesh) else getattr(block, "data", None)
        if (
            not isinstance(mesh, bpy.types.Mesh)
            or mesh_data.numbering(mesh, entry["of"]["path"][:1] in (["edges"], ["attributes"])) != entry["numbering"]
        ):
            raise Misfit("the mesh numbers its elements otherwise than in the trial")

    def _call(self, number: int, entry: dict[str, Any], act: Any) -> None:
        try:
            found = act()
        except Exception:
            if entry.get("fails"):
                return
            raise
        if entry.get("fails"):
            raise Misfit("it failed in the trial and works here")
        self._results[number] = found
        wanted = entry.get("makes")
        given = addresses.name_of(found) if isinstance(found, bpy.types.ID) else None
        if given != wanted:
            raise Misfit(f"it gives {_named(given)} and not {_named(wanted)}")

    def _load(self, thing: Any, name: str) -> Any:
        if name.startswith("_"):
            raise Misfit(f"{name!r} is not allowed")
        return self._guarded_load(thing, name)

    def _note_named(self, entry: dict[str, Any]) -> None:
        """The data-block at the root of what an entry changes: the artist is shown all of these by name."""
        if entry["do"] in ("set", "set_item", "delete_item", "call", "mesh") and "block" in entry["of"]["root"]:
            block = self._find({**entry["of"], "path": []}, missing=True)
            if block is not None:
                self._named.add(block.session_uid)

    def _changed(self, address: dict[str, Any]) -> Any:
        """What an entry changes; it may not belong to a data-block that was there and that no entry names."""
        found = self._find(address)
        owner = self._owner
        if owner is not None and getattr(owner, "is_embedded_data", False):
            owner = (addresses.owner(owner) or (None,))[0]
        if owner is None or owner.is_evaluated or owner.session_uid not in self._there:
            return found
        root = address["root"]
        if "block" in root:
            self._named.add(self._find({**address, "path": []}).session_uid)
        of_layer = root == "context" and address["path"][:1] == ["view_layer"] and isinstance(owner, bpy.types.Scene)
        if owner.session_uid not in self._named and not of_layer:
            raise Misfit(f"it does not name {owner.name!r}, which it changes")
        return found

    def _find(self, address: dict[str, Any], missing: bool = False) -> Any:
        """What lies there, and in ``_owner`` the data-block that it belongs to. ``missing``: None for no data-block."""
        root = address["root"]
        if root == "data":
            found: Any = addresses.data()
        elif root == "context":
            found = bpy.context
        elif "result" in root:
            if root["result"] not in self._results:
                raise Misfit(f"entry {root['result'] + 1} gave nothing")
            found = self._results[root["result"]]
        else:
            block = root["block"]
            found = addresses.find(block["kind"], block["name"], block["library"])
            if found is None and not missing:
                raise Misfit(f"there is no {block['name']!r} among the {block['kind']}")
        owner = _block_of(found)
        for step in address["path"]:
            found = self._load(found, step) if isinstance(step, str) else self._item(found, step["item"])
            owner = _block_of(found) or owner
        self._owner = owner
        return found

    def _value(self, value: Any) -> Any:
        return decode(value, self._find)


def _block_of(thing: Any) -> Any:
    """The data-block that something of Blender's is, or is a part of."""
    if isinstance(thing, bpy.types.ID):
        return thing
    return thing.id_data if isinstance(thing, bpy.types.bpy_struct | bpy.types.bpy_prop) else None


def _named(block: Any) -> str:
    return "no data-block" if block is None else f"{block['name']!r}"


def _what(record: dict[str, Any], number: int) -> str:
    """An entry in a few words."""
    try:
        entry = record["entries"][number]
        return f"{entry['do'].replace('_', ' ')} {entry.get('name') or entry.get('key') or ''}".strip()
    except (LookupError, AttributeError, TypeError):
        return "the first"
