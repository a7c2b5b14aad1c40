# SPDX-License-Identifier: GPL-3.0-or-later
"""Prompts that the scene can follow as it is, to read and to click."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ..messages import one_line
from .translation import say

# What to make of an object, by its type. Each works without a model, in every language that it is translated to.
_PROMPTS = {
    "MESH": (
        "Scatter 200 rocks on {name}",
        "Array {name} 5 times along x",
        "Displace {name} with noise",
        "Turn {name} into a wireframe",
        "Arrange 12 spheres in a circle",
    ),
    "CURVE": (
        "Make a tube along {name}",
        "Place 20 cubes along {name}",
    ),
}
# Types of objects that can have a Geometry Nodes modifier.
CARRIERS = frozenset(("CURVE", "CURVES", "FONT", "GREASEPENCIL", "MESH", "POINTCLOUD", "SURFACE", "VOLUME"))
# What stands for itself, where no object is chosen.
_NEW = (
    "Stairs with 12 steps",
    "A brick wall 4 m long and 2 m high",
    "A spring with 8 turns",
    "A ring of 12 spheres with a radius of 4 m",
)
_NOTHING = "Select a mesh or a curve, then say what to make of it"
# Characters of a name in a prompt; a longer one is called “it”.
_NAME = 40


def prompts(context: bpy.types.Context, fits: Callable[[str], bool] = lambda _: True) -> list[str]:
    """The examples for the active object, or for none; empty if it cannot carry a result. Where a prompt with the
    object's name does not fit, the object is called “it”.
    """
    active = context.object
    if active is None:
        return [say(prompt) for prompt in _NEW]
    name = active.name if one_line(active.name, _NAME) == active.name else "it"
    known = _PROMPTS.get(active.type, ())
    return [named if fits(named := say(prompt, name=name)) else say(prompt, name="it") for prompt in known]


def first(context: bpy.types.Context) -> str:
    """The example for an empty field, or what is to be done before there can be one."""
    return next(iter(prompts(context)), _NOTHING)
