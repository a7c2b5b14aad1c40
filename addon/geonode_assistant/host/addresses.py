# SPDX-License-Identifier: GPL-3.0-or-later
"""Where something lies in the open file: a root (a data-block, ``bpy.data``, the context) and a path from there."""

from __future__ import annotations

import functools
import re
from typing import Any

import bpy

Step = Any
"""The name of an attribute, or ``{"item": key}``."""

_PART = re.compile(r'\.?([A-Za-z_]\w*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')
_ESCAPED = re.compile(r"\\(.)")
# Data-blocks that lie within another one, and the attribute that leads to them.
_EMBEDDED = (
    ("materials", "node_tree"),
    ("worlds", "node_tree"),
    ("lights", "node_tree"),
    ("linestyles", "node_tree"),
    ("textures", "node_tree"),
    ("scenes", "node_tree"),
    ("scenes", "collection"),
)


@functools.cache
def _kinds() -> list[tuple[type, str]]:
    """The types of data-blocks with the collection of ``bpy.data`` that has them."""
    found = []
    lists: Any = bpy.data.bl_rna.properties
    for prop in lists:
        if prop.type == "COLLECTION" and prop.fixed_type.identifier != "ID":
            found.append((getattr(bpy.types, prop.fixed_type.identifier), prop.identifier))
    return found


def data() -> Any:
    """The root of all data-blocks."""
    return bpy.data


def is_data(thing: Any) -> bool:
    """Whether this is the root of all data-blocks."""
    return isinstance(thing, bpy.types.BlendData)


def kind_of(block: Any) -> str | None:
    """The collection of ``bpy.data`` for blocks of this type."""
    return next((kind for type_, kind in _kinds() if isinstance(block, type_)), None)


def name_of(block: Any) -> dict[str, Any]:
    """Kind, name and library of a data-block."""
    library = block.library
    return {"kind": kind_of(block), "name": block.name, "library": None if library is None else library.filepath}


def find(kind: str, name: str, library: str | None) -> Any:
    """The data-block of this name, or None."""
    if all(kind != known for _, known in _kinds()):
        return None
    return getattr(bpy.data, kind).get((name, library))


def owner(embedded: Any) -> tuple[Any, str] | None:
    """The data-block that contains this one, with the attribute that leads there."""
    for kind, attribute in _EMBEDDED:
        for block in getattr(bpy.data, kind):
            if getattr(block, attribute, None) == embedded:
                return block, attribute
    return None


def steps(path: str) -> list[Step] | None:
    """The steps of a path as Blender writes it; None for another form."""
    found: list[Step] = []
    at = 0
    while at < len(path):
        part = _PART.match(path, at)
        if part is None:
            return None
        name, number, text = part.groups()
        if name is not None:
            found.append(name)
        else:
            found.append({"item": int(number) if number is not None else _ESCAPED.sub(r"\1", text)})
        at = part.end()
    return found


def situation() -> dict[str, Any]:
    """What operators and `bpy.context` start from."""
    context: Any = bpy.context
    layer, active = context.view_layer, context.view_layer.objects.active if context.view_layer else None
    return {
        "scene": context.scene.name if context.scene else None,
        "view_layer": layer.name if layer else None,
        "active": active.name if active else None,
        "mode": context.mode,
        "selected": sorted(obj.name for obj in layer.objects if obj.select_get(view_layer=layer)) if layer else [],
    }
