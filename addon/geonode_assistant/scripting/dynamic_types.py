# SPDX-License-Identifier: GPL-3.0-or-later
"""Types that Blender makes for the inputs of each Geometry Nodes modifier, and makes anew when an interface changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

DYNAMIC = "properties" in bpy.types.NodesModifier.bl_rna.properties
"""Whether this Blender makes types for the inputs of each modifier, and makes them anew when its tree's interface
changes. Its own objects for what has such a type would then look at the former one."""


def is_dynamic(kind: type) -> bool:
    """Whether Blender has made a type for one modifier."""
    return DYNAMIC and kind.__module__ == "bpy.types" and getattr(bpy.types, kind.__name__, None) is not kind


def type_of(thing: Any) -> type:
    """The type of a struct, or of the struct that has this property."""
    return type(thing if isinstance(thing, bpy.types.bpy_struct) else getattr(thing, "data", thing))


def types_of(block: Any) -> Iterator[type]:
    """The types that Blender has made for the modifiers of an object."""
    for modifier in getattr(block, "modifiers", ()):
        waiting = [modifier.properties] if modifier.type == "NODES" else []
        while waiting:
            one = waiting.pop()
            yield type(one)
            for prop in one.bl_rna.properties:
                if prop.type == "POINTER" and prop.identifier != "rna_type":
                    part = getattr(one, prop.identifier)
                    if is_dynamic(type(part)):
                        waiting.append(part)


def changes_interface(kind: type, name: str) -> bool:
    """Whether setting this, or a method of this name, changes the interface of a tree, or which one a modifier has."""
    return DYNAMIC and (
        issubclass(kind, bpy.types.NodeTreeInterfaceItem | bpy.types.NodeTreeInterface)
        or (name == "node_group" and issubclass(kind, bpy.types.Modifier))
    )
