# SPDX-License-Identifier: GPL-3.0-or-later
"""The inputs of a Geometry Nodes modifier as its panel shows them, for other panels to draw."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import bpy

from . import modifiers

# Up to 5.0 a data-block is chosen from one of these lists of `bpy.data`; later its property knows them.
_LISTS = {
    "NodeSocketObject": "objects",
    "NodeSocketCollection": "collections",
    "NodeSocketMaterial": "materials",
    "NodeSocketImage": "images",
    "NodeSocketTexture": "textures",
    "NodeSocketFont": "fonts",
}

# Seeds are drawn from so many numbers: small enough to be read and typed.
_SEEDS = 10_000


class Slider(NamedTuple):
    """One input: what ``UILayout.prop`` takes, and its name in the interface of the tree."""

    owner: Any
    path: str
    name: str
    lists: Any = None
    """With ``list_of`` what ``UILayout.prop_search`` takes, where the property does not know its data-blocks."""
    list_of: str = ""
    is_seed: bool = False
    """Whether it starts random numbers: any value is as good as another."""
    is_vector: bool = False
    """Whether it has a number for each axis."""
    identifier: str = ""
    """Of its socket, which no renaming changes."""

    @property
    def value(self) -> Any:
        """What it holds, as plain data that outlives an undo."""
        held = getattr(self.owner, "value", None) if self.path == "value" else self.owner.get(self.path[2:-2])
        if isinstance(held, bpy.types.ID):
            return held.session_uid
        return held if isinstance(held, bool | int | float | str | None) else tuple(held)


def of(modifier: Any) -> list[Slider]:
    """The inputs that hold a value and are visible, in the order of the interface."""
    if modifier.node_group is None:
        return []
    read = _by_rna if "properties" in modifier.bl_rna.properties else _by_key
    return [slider for item in modifiers.inputs_of(modifier.node_group) if (slider := read(modifier, item))]


def randomize(modifier: Any) -> int:
    """Gives each seed of the modifier another value; returns how many it has."""
    seeds = [slider for slider in of(modifier) if slider.is_seed]
    for slider in seeds:
        value = random.randrange(_SEEDS)
        if slider.path == "value":
            slider.owner.value = value
        else:
            slider.owner[slider.path[2:-2]] = value
    if seeds:
        modifier.id_data.update_tag()
    return len(seeds)


# Of any number of dimensions and any unit.
_VECTORS = ("NodeSocketVector", "NodeSocketRotation")


def _kind(item: Any) -> tuple[bool, bool]:
    """Whether an input is a seed, and whether it is a vector."""
    return _is_seed(item), item.socket_type.startswith(_VECTORS)


def _is_seed(item: Any) -> bool:
    return item.socket_type == "NodeSocketInt" and "seed" in item.name.casefold().split()


def _by_rna(modifier: Any, item: Any) -> Slider | None:
    held = getattr(modifier.properties.inputs, item.identifier, None)
    shown = not item.hide_in_modifier and modifier.is_input_visible(item.identifier)
    if held is None or not hasattr(held, "value") or not shown:
        return None
    if getattr(held, "type", "VALUE") == "ATTRIBUTE":
        return None
    return Slider(held, "value", item.name, None, "", *_kind(item), item.identifier)


def _by_key(modifier: Any, item: Any) -> Slider | None:
    key = item.identifier
    if key not in modifier or item.hide_in_modifier or modifier.get(f"{key}_use_attribute"):
        return None
    blocks = _LISTS.get(item.socket_type, "")
    return Slider(modifier, f'["{key}"]', item.name, bpy.data if blocks else None, blocks, *_kind(item), key)
