# SPDX-License-Identifier: GPL-3.0-or-later
"""Colour ramps and curve mappings of nodes, as the catalogue describes them: properties and lists by dotted paths.

Texture nodes have a mapping of their own besides (`texture_mapping`, `color_mapping`), which geometry trees do not
evaluate: it is not described.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import items, rna, values

_OWNERS = ("color_ramp", "mapping")
# More points than anyone asks for: a list that takes them has no limit.
_MANY = 64
_KIND = {"ENUM": "enum", "BOOLEAN": "bool", "FLOAT": "float", "INT": "int"}


def properties(node: Any) -> Iterator[tuple[str, Any, Any]]:
    """The settable properties as (dotted path, struct, property)."""
    own = (prop for prop in rna.state_properties(node) if prop.type == "POINTER" and prop.identifier in _OWNERS)
    for owner in filter(rna.is_embedded, own):
        struct = getattr(node, owner.identifier)
        for prop in rna.state_properties(struct):
            if prop.type in _KIND and not prop.is_readonly:
                yield f"{owner.identifier}.{prop.identifier}", struct, prop


def collections(node: Any, paths: tuple[str, ...]) -> dict[str, Any]:
    """The lists of stops and points among `paths`: fields, what a new node has, how few and how many there may be."""
    own = [path for path in paths if path.split(".")[0] in _OWNERS and "." in path]
    return {path: _described(node, path) for path in own}


def _described(node: Any, path: str) -> dict[str, Any]:
    collection = rna.follow(node, path)
    fresh = items.read_items(node, path)
    names = [name for name in fresh[0] if name != "identifier"]
    fields = {name: _field(collection[0].bl_rna.properties[name]) for name in names}
    least, most = _bounds(collection)
    limits = {"least": least} | ({} if most is None else {"most": most})
    return {"fields": fields, "sockets": [], "fresh": fresh, **limits}


def _field(prop: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"type": _KIND[prop.type]}
    if prop.type == "ENUM":
        out["items"] = [item.identifier for item in prop.enum_items]
    elif prop.type == "FLOAT" and prop.is_array:
        is_color = prop.subtype in {"COLOR", "COLOR_GAMMA"} and prop.array_length == 4
        out |= {"type": "color"} if is_color else {"type": "vector", "size": prop.array_length}
    elif prop.type == "FLOAT":
        out |= {"min": values.to_json(prop.hard_min), "max": values.to_json(prop.hard_max)}
    return out


def _bounds(collection: Any) -> tuple[int, int | None]:
    """The fewest and the most entries that Blender accepts; leaves the fewest."""
    try:
        while True:
            collection.remove(collection[len(collection) - 1])
    except (RuntimeError, TypeError):
        least = len(collection)
    place = (0.5, 0.5) if collection.bl_rna.identifier == "CurveMapPoints" else (0.5,)
    try:
        while len(collection) < _MANY:
            collection.new(*place)
    except (RuntimeError, TypeError):
        return least, len(collection)
    return least, None
