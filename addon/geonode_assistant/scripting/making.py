# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts make by classes of Python's that would trust them too much: dates of pickled bytes, properties of
properties without an end, dictionaries that are emptied while C compares their keys.
"""

from __future__ import annotations

import collections
import contextlib
import datetime
import reprlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from .errors import Guarded

_DESCRIPTORS = (property, classmethod, staticmethod)
MADE = frozenset({datetime.date, datetime.datetime, datetime.time, *_DESCRIPTORS})
"""Classes that are made of some values only: dates of numbers, since their form for pickled data is not checked, and
properties of functions, since Python asks one within the other whether it is abstract, without a limit.
"""
ASKED = (*MADE, types.SimpleNamespace)
"""Classes about which the membrane decides whoever makes objects by them, a library on behalf of a script too."""
NESTED = 100
"""The most types in brackets within each other, and descriptors within each other."""


def made(kind: Any, args: tuple[Any, ...], names: dict[str, Any] | None) -> Any:
    """An object of a class in ``MADE``."""
    if kind in _DESCRIPTORS:
        if any(_depth(one, _inside) >= NESTED for one in (*args, *(names or {}).values())):
            raise Guarded(f"{kind.__name__}() of so many others within each other would crash Blender.")
    elif any(isinstance(one, str | bytes | bytearray) for one in args):
        raise Guarded(f"{kind.__name__}() takes numbers; for a text use {kind.__name__}.fromisoformat().")
    # As calling it does, about which the membrane would be asked again.
    one = kind.__new__(kind, *args, **(names or {}))
    kind.__init__(one, *args, **(names or {}))
    return one


def _inside(one: Any) -> tuple[Any, ...]:
    if type(one) is property:
        return one.fget, one.fset, one.fdel
    return (one.__func__,) if type(one) in _DESCRIPTORS else ()


def shallow(alias: Any) -> Any:
    """A type, or one in brackets (``list[int]``), unless too many are within each other, which Python walks through."""
    if _depth(alias, lambda one: one.__args__ if type(one) is types.GenericAlias else ()) > NESTED:
        raise Guarded("So many types in brackets within each other would crash Blender.")
    return alias


def _depth(value: Any, inside: Callable[[Any], tuple[Any, ...]]) -> int:
    """How many values are within each other, at most one more than ``NESTED``; each is looked at once in a level."""
    level = {id(value): value}
    for depth in range(NESTED + 1):
        level = {id(inner): inner for one in level.values() for inner in inside(one)}
        if not level:
            return depth
    return NESTED + 1


class OrderedDict(dict[Any, Any]):
    """``collections.OrderedDict`` upon ``dict``, which is ordered too: Python's own holds items that comparing them
    may take out.
    """

    __slots__ = ()

    def move_to_end(self, key: Any, last: bool = True) -> None:
        """Moves an item to the end, or to the beginning."""
        value = self.pop(key)
        rest = {} if last else dict(self)
        if not last:
            self.clear()
        self[key] = value
        self.update(rest)

    def popitem(self, last: bool = True) -> tuple[Any, Any]:
        """Takes the last item out, or the first."""
        if not self:
            raise KeyError("dictionary is empty")
        if last:
            return super().popitem()
        key = next(iter(self))
        return key, self.pop(key)

    def copy(self) -> OrderedDict:
        """Another one with the same items."""
        return OrderedDict(self)

    @classmethod
    def fromkeys(cls, keys: Any, value: Any = None) -> OrderedDict:
        """One with these keys and the same value for each."""
        return OrderedDict((key, value) for key in keys)

    def __or__(self, other: Any) -> Any:
        return OrderedDict(dict.__or__(self, other)) if isinstance(other, dict) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return OrderedDict(dict.__or__(other, self)) if isinstance(other, dict) else NotImplemented

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, OrderedDict):
            return list(self.items()) == list(other.items())
        return dict.__eq__(self, other)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = None

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        """As each Python writes it."""
        items: Any = dict(self) if sys.version_info >= (3, 12) else list(self.items())
        return f"OrderedDict({items if items else ''})"


_WITHOUT_CODE = frozenset({str, bytes, int, float, bool, type(None)})
_COUNT = "_count_elements"


@contextlib.contextmanager
def counting() -> Iterator[None]:
    """While it lasts, ``Counter`` counts in C only what runs no code of the script: C holds a count, and adds to it,
    after the counter has lost it.
    """
    module = vars(collections)
    in_c = module[_COUNT]

    def count(counter: Any, items: Any) -> None:
        plain = type(items) in (str, bytes, range) or type(items) in (list, tuple) and _are_plain(items)
        if plain and _are_plain(counter) and all(type(one) is int for one in counter.values()):
            in_c(counter, items)
            return
        get = counter.get
        for one in items:
            counter[one] = get(one, 0) + 1

    module[_COUNT] = count
    try:
        yield
    finally:
        module[_COUNT] = in_c


def _are_plain(items: Any) -> bool:
    return _WITHOUT_CODE.issuperset(map(type, items))


def overload(function: Any) -> Any:
    """``typing.overload``, which keeps nothing: only the last definition is called."""
    return function
