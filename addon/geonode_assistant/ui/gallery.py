# SPDX-License-Identifier: GPL-3.0-or-later
"""The presets as the gallery offers them, those that ship and the user's own: read beside the window, searched,
favourites and recent ones first.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import bpy

from ..messages import AssistantError
from ..run import background, presets
from . import polling
from .translation import told

# Recent presets come first in the list; more than these are no longer recent.
MOST_RECENT = 4
# Types of objects that carry geometry, where a preset names none.
_GEOMETRY = frozenset({"MESH", "CURVE", "CURVES", "FONT", "POINTCLOUD", "VOLUME", "GREASEPENCIL"})
# Characters of a name in a prompt; a longer one is called “it”.
_NAME = 40
# How often it is looked whether the presets are there.
INTERVAL_S = 0.05


class Preset(NamedTuple):
    """One preset as it is offered."""

    id: str
    title: str
    description: str
    kinds: tuple[str, ...] = ()
    example: str = ""
    own: bool = False
    asks: bool = False
    """Whether a second object has to be chosen."""
    makes: bool = False
    """Whether it makes an object of its own where there is none."""
    parameters: tuple[dict[str, Any], ...] = ()
    picture: str | None = None
    """The file of its picture."""

    def fits(self, kind: str) -> bool:
        """Whether it can be used on an object of this type, or on none (``""``)."""
        return self.makes if not kind else kind in (self.kinds or _GEOMETRY)

    @property
    def shown(self) -> str:
        """Its title in the language of the interface; the user's own are as they were typed."""
        return self.title if self.own else told(self.title)

    @property
    def words(self) -> str:
        """What a search looks through."""
        return f"{self.title} {self.shown} {self.description} {self.example}".casefold()


loaded: list[Preset] = []
"""Every preset; empty until ``load``."""
unreadable: list[dict[str, Any]] = []
"""The user's files that are no presets: ``file, code, message``."""
recent: list[str] = []
"""IDs of the presets that were used last in this process, the newest first."""
_reading: background.Check[None] | None = None
_failed: AssistantError | None = None


def load() -> None:
    """Brings the list up to date: at once where that is quick or nobody watches, else beside the window."""
    global _reading, _failed
    if _reading is not None and not bpy.app.background:
        return
    _failed = None
    try:
        _reading = _reading or presets.begin_reading()
    except Exception as error:
        _failed = AssistantError.of(error)
        return
    if _reading is None:
        _take()
    elif bpy.app.background:
        finish()
    elif not bpy.app.timers.is_registered(_follow):
        # Another file may be loaded meanwhile; the presets are there all the same.
        bpy.app.timers.register(_follow, first_interval=INTERVAL_S, persistent=True)


def finish() -> None:
    """Waits until the list is up to date."""
    global _reading, _failed
    if _reading is None:
        return
    try:
        _reading.result()
        _take()
    except Exception as error:
        _failed = AssistantError.of(error)
    _reading = None


def failure() -> AssistantError | None:
    """Why there is no list."""
    return _failed


def is_reading() -> bool:
    """Whether the presets are being read."""
    return _reading is not None


def close() -> None:
    """Stops waiting: the add-on is being switched off."""
    if bpy.app.timers.is_registered(_follow):
        bpy.app.timers.unregister(_follow)
    finish()


def _follow() -> float | None:
    if _reading is not None and not _reading.finished:
        return INTERVAL_S
    finish()
    polling.redraw()
    return None


def _take() -> None:
    known = [one for one in presets.list() if tuple(one["since"] or ()) <= bpy.app.version[:2]]
    found = [
        Preset(
            one["id"],
            one["title"],
            one["description"],
            tuple(one["targets"]),
            one["example"],
            one["own"],
            one["asks"],
            one["makes"],
            tuple(one["parameters"]),
            one["picture"],
        )
        for one in known
    ]
    loaded[:] = sorted(found, key=lambda preset: (not preset.own, preset.title.casefold()))
    unreadable[:] = presets.unreadable()


def named(preset_id: str) -> Preset | None:
    """The preset with this ID."""
    return next((preset for preset in loaded if preset.id == preset_id), None)


def offered(kind: str, search: str, favourites: Iterable[str]) -> list[Preset]:
    """The presets for an object of this type, or for none (``""``), in which all words of the search occur: favourites
    first, then recent ones, then the user's own, then by title.
    """
    words = search.casefold().split()
    first = [*favourites, *recent]
    places = {preset_id: place for place, preset_id in reversed([*enumerate(first)])}
    found = [preset for preset in loaded if preset.fits(kind) and all(word in preset.words for word in words)]
    # By what is read, which sorts differently in each language.
    return sorted(
        found, key=lambda preset: (places.get(preset.id, len(first)), not preset.own, preset.shown.casefold())
    )


@cache
def _pattern(preset_id: str) -> str | None:
    return presets.prompt(preset_id)


def prompt(preset: Preset, name: str) -> str | None:
    """The prompt of a preset that ships for the object of this name; None for one that words alone cannot call."""
    pattern = None if preset.own else _pattern(preset.id)
    if pattern is None:
        return None
    plain = name.isprintable() and len(name) <= _NAME and " ".join(name.split()) == name
    return pattern.replace("{object}", name if plain else "it")


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
