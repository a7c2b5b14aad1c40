# SPDX-License-Identifier: GPL-3.0-or-later
"""Prompts that the scene can follow as it is, to read and to click."""

from __future__ import annotations

import bpy

from ..messages import one_line

# What to make of an object, by its type. Each works without a model.
_PROMPTS = {
    "MESH": (
        "Scatter 200 rocks on {name}",
        "Array {name} 5 times along x with 3 m spacing",
        "Displace {name} with noise, strength 0.5 m and scale 2",
        "Turn {name} into a wireframe with a thickness of 5 cm",
        "Arrange 12 spheres in a circle with a radius of 5 m",
    ),
    "CURVE": (
        "Make a tube along {name}",
        "Place 20 cubes along {name}",
    ),
}
_NOTHING = "Select a mesh or a curve, then say what to make of it"
# Characters of a name in a prompt; a longer one is called “it”.
_NAME = 40


def prompts(context: bpy.types.Context) -> list[str]:
    """The examples for the active object; none if it cannot carry a result."""
    active = context.object
    if active is None:
        return []
    name = active.name if one_line(active.name, _NAME) == active.name else "it"
    return [prompt.format(name=name) for prompt in _PROMPTS.get(active.type, ())]


def first(context: bpy.types.Context) -> str:
    """The example for an empty field, or what is to be done before there can be one."""
    return next(iter(prompts(context)), _NOTHING)
