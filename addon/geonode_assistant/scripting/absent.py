# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's methods that use an argument without looking whether there is one: ``objects.unlink(None)`` crashes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import bpy

_MEANT = frozenset({
    ("BlendDataObjects", "new"), ("GreasePencilv3LayerGroup", "move_to_layer_group"),
    ("GreasePencilv3Layers", "move_to_layer_group"), ("IDMaterials", "append"), ("NodeTreeInterface", "move_to_parent"),
})  # fmt: skip
"""Methods of a type to which nothing may be given: an object without data, a slot without a material, the outermost."""


@cache
def required(kind: str, name: str) -> tuple[tuple[int, str], ...]:
    """The places and names of a method's arguments that must be there, and that Blender does not look at itself."""
    described: Any = getattr(getattr(bpy.types, kind, None), "bl_rna", None)
    function = described.functions.get(name) if described is not None else None
    if function is None or (kind, name) in _MEANT:
        return ()
    given = [one for one in function.parameters if not one.is_output]
    return tuple(
        (place, one.identifier)
        for place, one in enumerate(given)
        if one.is_required and one.type == "POINTER" and not one.is_never_none
    )


def checked(method: Callable[..., Any], kind: str, name: str) -> Callable[..., Any]:
    """A method of a type of Blender's, as a function of the object, that is given what it needs."""
    needed = required(kind, name)
    if not needed:
        return method

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        for place, argument in needed:
            if (args[place] if place < len(args) else kwargs.get(argument, method)) is None:
                raise TypeError(f"{name}() needs something as {argument!r}, not None")
        return method(thing, *args, **kwargs)

    return called
