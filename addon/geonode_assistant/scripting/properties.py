# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists and groups in custom properties as a script has them: by the way that leads there.

Blender's own objects for them keep the address of the value, which another value at the same place frees. These look
the value up each time, so a script that keeps one sees what is there now.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from .. import native
from .errors import Guarded

_RAW = ("IDPropertyArray", "IDPropertyGroup")
"""Blender's own objects, which a script has no use of (``rust/python/src/properties.rs``)."""
_NOT_RAW = 'A list or group of a custom property is copied with .to_list() or .to_dict(): write obj["name"] out.'
DEEPEST = 100
"""The most dictionaries within each other in a custom property: Blender walks through them one within the other."""


class Part:
    """A value of a custom property that has parts."""

    __slots__ = ("__key__", "__of__")

    def __init__(self, of: Any, key: Any) -> None:
        self.__of__, self.__key__ = of, key

    def __len__(self) -> int:
        return len(real(self))

    def __repr__(self) -> str:
        return repr(plain(self))

    def __eq__(self, other: Any) -> bool:
        return self is other

    __hash__ = object.__hash__


class Values(Part):
    """A list of numbers."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        # The place may ask the script for its number too.
        found = native.core().call_enclosed(operator.getitem, real(self), place)
        return found if isinstance(found, int | float | tuple | list) else list(found)

    def __setitem__(self, place: Any, value: Any) -> None:
        # The value may ask the script for its number, and the script may remove the list meanwhile.
        native.core().call_enclosed(_set, real(self), place, value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    def to_list(self) -> list[Any]:
        """The numbers."""
        found: list[Any] = real(self).to_list()
        return found

    @property
    def typecode(self) -> str:
        """Their type, as of `array`."""
        return str(real(self).typecode)


class Group(Part):
    """Names with values."""

    __slots__ = ()

    def __getitem__(self, key: str) -> Any:
        return part(self, key, real(self)[key])

    def __setitem__(self, key: str, value: Any) -> None:
        native.core().call_enclosed(_set, real(self), key, plain(value), DEEPEST - depth(self))

    def __delitem__(self, key: str) -> None:
        del real(self)[key]

    def __contains__(self, key: Any) -> bool:
        return key in real(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """The names."""
        return list(real(self).keys())

    def values(self) -> list[Any]:
        """The values."""
        return [self[key] for key in self.keys()]  # noqa: SIM118

    def items(self) -> list[tuple[str, Any]]:
        """Names and values."""
        return [(key, self[key]) for key in self.keys()]  # noqa: SIM118

    def get(self, key: str, default: Any = None) -> Any:
        """A value, or the default."""
        return self[key] if key in real(self) else default

    def pop(self, key: str, *default: Any) -> Any:
        """Removes a value and returns it."""
        return real(self).pop(key, *default)

    def clear(self) -> None:
        """Removes all values."""
        real(self).clear()

    def update(self, other: Any) -> None:
        """Sets the values of a dictionary."""
        for key, value in plain(other).items():
            self[key] = value

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        found: dict[str, Any] = real(self).to_dict()
        return found

    @property
    def name(self) -> str:
        """Its name."""
        return str(real(self).name)


class Shown:
    """How Blender shows a custom property: its bounds, its default, what it is called."""

    __slots__ = ("__key__", "__of__")

    def __init__(self, of: Any, key: str) -> None:
        self.__of__, self.__key__ = of, key
        of.id_properties_ui(key)  # raises where there is none

    def as_dict(self) -> dict[str, Any]:
        """All of it."""
        found: dict[str, Any] = self.__of__.id_properties_ui(self.__key__).as_dict()
        return found

    def clear(self) -> None:
        """Sets it back."""
        self.__of__.id_properties_ui(self.__key__).clear()

    def update(self, **how: Any) -> None:
        """Changes some of it."""
        native.core().call_enclosed(self.__of__.id_properties_ui(self.__key__).update, **how)


def real(of: Any) -> Any:
    """Blender's own object, for one access."""
    if not isinstance(of, Part):
        return of
    if of.__key__ is None:
        return of.__of__.id_properties_ensure()
    return real(of.__of__)[of.__key__]


def depth(of: Any) -> int:
    """How many groups it is in."""
    found = 0
    while isinstance(of, Part):
        of, found = of.__of__, found + 1
    return found


def part(of: Any, key: Any, found: Any) -> Any:
    """What an item of Blender's data gives to a script."""
    kind = type(found).__name__
    if kind == _RAW[0]:
        return Values(of, key)
    if kind == _RAW[1]:
        return Group(of, key)
    if isinstance(found, list) and found and type(found[0]).__name__ == _RAW[1]:
        return [one.to_dict() for one in found]
    return found


def _set(of: Any, key: Any, value: Any, deepest: int = 1) -> None:
    check_depth(value, deepest)
    of[key] = value


def plain(value: Any) -> Any:
    """A value without objects that look others up."""
    if isinstance(value, Values):
        return value.to_list()
    if isinstance(value, Group):
        return value.to_dict()
    return value


def check_depth(value: Any, deepest: int = DEEPEST, most: int = 200_000) -> None:
    """Raises for a value that is nested too deeply for a custom property, or has Blender's own objects in it."""
    from idprop.types import IDPropertyArray, IDPropertyGroup

    raw = IDPropertyArray, IDPropertyGroup
    inner = [value]
    for _ in range(max(deepest, 0)):
        if any(isinstance(one, raw) for one in inner):
            raise Guarded(_NOT_RAW)
        inner = [
            part
            for one in inner
            if isinstance(one, dict | list | tuple)
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, (dict, list, tuple, *raw))
        ]
        if not inner:
            return
        if len(inner) > most:
            break
    raise Guarded("This value is nested too deeply, or has too many parts, for a custom property.")


def _get(thing: Any, key: str, default: Any = None) -> Any:
    return part(thing, key, thing.get(key, default))


METHODS: dict[str, Callable[..., Any]] = {
    "get": _get,
    "keys": lambda thing: dict.fromkeys(thing.keys()).keys(),  # Blender's own view keeps the address of the group
    "items": lambda thing: [(key, part(thing, key, value)) for key, value in thing.items()],
    "values": lambda thing: [part(thing, key, value) for key, value in thing.items()],
    "id_properties_ensure": lambda thing: Group(thing, None),
    "id_properties_ui": Shown,
}
"""Methods of Blender's data that give custom properties, as functions of the object."""
