# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts RNA values to JSON values and back (FORMATS.md, "Values")."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import bpy

from .errors import HostError, near

# The key of a data-block value is `ID.id_type` in lower case, except for the one whose RNA name differs.
_KIND_OF_ID_TYPE = {"NODETREE": "node_group"}
_IRREGULAR = {
    "mesh": "meshes",
    "library": "libraries",
    "cachefile": "cache_files",
    "movieclip": "movieclips",
    "key": "shape_keys",
    "greasepencil_v3": "grease_pencils",
    "light_probe": "lightprobes",
}


_LARGEST = 3.4028234663852886e38


@lru_cache(maxsize=65536)
def shortest_float(value: float) -> float:
    """The shortest decimal that denotes the same 32-bit float, as a Python float. NaN, which JSON lacks, becomes 0."""
    if value != value:
        return 0.0
    if math.isinf(value):
        return math.copysign(_LARGEST, value)
    if value == int(value) and abs(value) < 1e7:
        return float(value)
    for digits in (6, 7, 8, 9):
        short = float(f"{value:.{digits}g}")
        try:
            if float32(short) == value:
                return short
        except OverflowError:
            continue
    return value


def float32(value: float) -> float:
    """The nearest 32-bit float."""
    return struct.unpack("f", struct.pack("f", value))[0]


def kind_of(id_block: Any) -> str:
    """The key under which a data-block is written: `object`, `material`, `node_group`, ...."""
    id_type = id_block.id_type
    return _KIND_OF_ID_TYPE.get(id_type, id_type.lower())


def block_name(id_block: Any) -> str:
    """The name of a data-block; with its library if a local data-block has the same name."""
    if id_block.library is not None and collection_of(kind_of(id_block)).get((id_block.name, None)) is not None:
        return id_block.name_full
    return id_block.name


def collection_of(kind: str) -> Any:
    """`bpy.data`'s collection for a data-block kind."""
    found = getattr(bpy.data, _IRREGULAR.get(kind, kind + "s"), None)
    if not isinstance(found, bpy.types.bpy_prop_collection):
        raise HostError("invalid_value", f'"{kind}" is not a kind of data-block in this Blender.')
    return found


def resolve(kind: str, name: str) -> Any:
    """The data-block, the local one first. Raises `unknown_<kind>` for objects, else `unknown_data_block`."""
    if not isinstance(kind, str) or not isinstance(name, str):
        raise HostError(
            "invalid_value",
            f"A data-block value needs the kind and the name of the data-block; got {kind!r}: {name!r}.",
        )
    blocks = collection_of(kind)
    block = blocks.get((name, None)) or blocks.get(name)
    if block is None:
        block = next((b for b in blocks if b.name_full == name), None)
    if block is None:
        code = "unknown_object" if kind == "object" else "unknown_data_block"
        label = kind.replace("_", " ")
        raise HostError(code, f'This file has no {label} "{name}". {near(name, [b.name for b in blocks])}')
    return block


_missing: list[list[tuple[str, str]]] = []


@contextmanager
def leaving_empty(missing: list[tuple[str, str]]) -> Iterator[None]:
    """Meanwhile `from_json` gives None for data-blocks that the file does not have, and adds them, as (kind, name), to
    `missing`. Node groups of nodes are not left empty: their nodes would lose their sockets.
    """
    _missing.append(missing)
    try:
        yield
    finally:
        _missing.pop()


def to_json(value: Any) -> Any:
    """Any RNA value as a JSON value. Raises `invalid_value` for a value without a JSON form (a node, an item, …)."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return shortest_float(value)
    if isinstance(value, bpy.types.ID):
        return {kind_of(value): block_name(value)}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if hasattr(value, "__len__"):
        out: list[Any] = []
        for part in value:
            if hasattr(part, "__len__") and not isinstance(part, str):
                out.extend(to_json(part))
            else:
                out.append(to_json(part))
        return out
    raise HostError("invalid_value", f"A {type(value).__name__} has no JSON form.")


def from_json(value: Any, groups: Mapping[str, Any] | None = None) -> Any:
    """A JSON value in the form that RNA setters accept; data-blocks are looked up by name. `groups`: node groups that
    have other names in this file; with it a missing one may be left empty too.
    """
    if isinstance(value, dict):
        if len(value) != 1:
            raise HostError(
                "invalid_value",
                f'A data-block value has one key, for example {{"object": "Cube"}}; got {sorted(value)}.',
            )
        ((kind, name),) = value.items()
        if groups is not None and kind == "node_group" and name in groups:
            return groups[name]
        try:
            return resolve(kind, name)
        except HostError as error:
            if not _missing or kind == "node_group" and groups is None or not error.code.startswith("unknown_"):
                raise
            if (kind, name) not in _missing[-1]:
                _missing[-1].append((kind, name))
            return None
    return value


_forms: dict[tuple[type, str], str | None] = {}
_UNREAD = "not read yet"


def form_of(owner: Any, attribute: str) -> str | None:
    """The form of a property that `store` handles specially, `menu` if its legal values come from links; None if there
    is no such property.

    Cached for each class of owner, since reading RNA costs more than the assignment.
    """
    key = (type(owner), attribute)
    known = _forms.get(key, _UNREAD)
    if known is _UNREAD:
        prop = owner.bl_rna.properties.get(attribute)
        form: str | None = "plain"
        if prop is None:
            form = None
        elif prop.type == "ENUM" and prop.is_enum_flag:
            form = "flags"
        elif prop.type == "ENUM" and not len(prop.enum_items_static):
            form = "menu"
        elif prop.type == "INT":
            form = "int"
        elif prop.type == "BOOLEAN" and not prop.is_array:
            form = "bool"
        elif prop.type == "FLOAT" and prop.subtype in {"COLOR", "COLOR_GAMMA"} and prop.array_length == 4:
            form = "rgba"
        _forms[key] = known = form
    return known


def has_property(owner: Any, attribute: str) -> bool:
    """Whether RNA knows the attribute."""
    return form_of(owner, attribute) is not None


def check_finite(what: str, value: Any) -> None:
    """Raises `non_finite_number` for a number that does not fit a 32-bit float; Blender would store and use it."""
    for part in value if isinstance(value, list | tuple) else (value,):
        if isinstance(part, float) and not -_LARGEST <= part <= _LARGEST:
            raise HostError("non_finite_number", f"{what} cannot be {part!r}: a finite number up to 3.4e38 is needed.")


def assign(owner: Any, attribute: str, value: Any) -> None:
    """Sets `owner.attribute` to a JSON value. Raises `non_finite_number`, or `invalid_value` with Blender's own reason,
    which lists legal items.
    """
    store(owner, attribute, value, form_of(owner, attribute))


def store(owner: Any, attribute: str, value: Any, form: str | None) -> None:
    """As `assign`, for who knows the property's form (`form_of`)."""
    wanted = value
    if isinstance(value, float | list):
        check_finite(attribute, value)
    elif isinstance(value, dict):
        wanted = from_json(value)
    try:
        if form == "flags":
            wanted = set(wanted)
        elif form == "int" and isinstance(wanted, float) and wanted.is_integer():
            wanted = int(wanted)
        elif form == "bool" and isinstance(wanted, int | float):
            wanted = bool(wanted)
        elif isinstance(wanted, list):
            if len(wanted) == 16:
                wanted = [wanted[row : row + 4] for row in (0, 4, 8, 12)]
            elif form == "rgba" and len(wanted) == 3:
                wanted = [*wanted, 1.0]
        setattr(owner, attribute, wanted)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise HostError(
            "invalid_value", f"{attribute} of {_describe(owner)} cannot be {value!r}: {_reason(error)}"
        ) from error


def _describe(owner: Any) -> str:
    name = getattr(owner, "name", "")
    return f'{type(owner).__name__} "{name}"' if name else type(owner).__name__


def _reason(error: Exception) -> str:
    text = str(error)
    return text.removeprefix("bpy_struct: item.attr = val: ").strip()
