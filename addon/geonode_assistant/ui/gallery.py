# SPDX-License-Identifier: GPL-3.0-or-later
"""The presets of the offline planner, to search and to click: those for an object, favourites and recent ones first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import bpy

from .. import native

# Recent presets come first in the list; more than these are no longer recent.
MOST_RECENT = 4
# Types of objects that carry geometry, where a preset names none.
_GEOMETRY = frozenset({"MESH", "CURVE", "CURVES", "FONT", "POINTCLOUD", "VOLUME", "GREASEPENCIL"})
# Characters of a name in a prompt; a longer one is called “it”.
_NAME = 40


class Preset(NamedTuple):
    """One preset as it is offered."""

    id: str
    title: str
    description: str
    kinds: tuple[str, ...]
    pattern: str

    def fits(self, kind: str) -> bool:
        """Whether it can be used on an object of this type."""
        return kind in (self.kinds or _GEOMETRY)

    def prompt(self, name: str) -> str:
        """Its prompt for the object of this name."""
        plain = name.isprintable() and len(name) <= _NAME and " ".join(name.split()) == name
        return self.pattern.replace("{object}", name if plain else "it")


loaded: list[Preset] = []
"""Every preset; empty until ``load``."""
recent: list[str] = []
"""IDs of the presets that were used last in this process, the newest first."""


def load() -> None:
    """Reads the library, once. Not while a panel is drawn: the first time takes a while."""
    if not loaded:
        for one in native.core().preset_cards():
            if tuple(one["since"] or ()) > bpy.app.version[:2]:
                continue
            kinds = tuple(one["kinds"])
            loaded.append(Preset(one["id"], one["title"], one["description"], kinds, one["prompt"]))


def named(preset_id: str) -> Preset | None:
    """The preset with this ID."""
    return next((preset for preset in loaded if preset.id == preset_id), None)


def offered(kind: str, search: str, favourites: Iterable[str]) -> list[Preset]:
    """The presets for an object of this type in which all words of the search occur: favourites first, then recent
    ones, then by title.
    """
    words = search.casefold().split()
    first = [*favourites, *recent]
    places = {preset_id: place for place, preset_id in reversed([*enumerate(first)])}
    found = [
        preset
        for preset in loaded
        if preset.fits(kind) and all(word in f"{preset.title} {preset.description}".casefold() for word in words)
    ]
    return sorted(found, key=lambda preset: places.get(preset.id, len(first)))


def use(preset_id: str) -> None:
    """Notes that this preset was used."""
    recent[:] = [preset_id, *(one for one in recent if one != preset_id)][:MOST_RECENT]


def favourites(stored: Any) -> list[str]:
    """IDs of the favourites that the preferences keep."""
    return [one for one in stored.favourites.split(",") if one] if stored is not None else []


def toggle_favourite(stored: Any, preset_id: str) -> None:
    """Makes this preset a favourite, or an ordinary one again."""
    kept = favourites(stored)
    stored.favourites = ",".join([o for o in kept if o != preset_id] if preset_id in kept else [*kept, preset_id])
