# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacements for Python's own functions while a script runs: attributes by text, types, formats, numbers, iterators.

The watchdog limits time and its hook limits memory, so the guards here cover only what neither can stop: a single call
of a library, or of an iterator in C, that does not return. ``methods`` does so for methods, ``library`` for modules.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
import secrets
import string
import types
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from . import policy
from .errors import Guarded, NotAllowed
from .sizes import as_number


class Attributes:
    """``getattr`` and similar functions, through the guards of a script."""

    def __init__(self, native: dict[str, Callable[..., Any]]) -> None:
        self._load, self._store, self._at = native["load"], native["store"], native["at"]

    def _check(self, name: Any) -> None:
        if type(name) is not str or name.startswith("__"):
            raise NotAllowed(f"The attribute {name!r} is not allowed in safe mode.")

    def getattr(self, thing: Any, name: str, /, *default: Any) -> Any:
        """As Python's, for allowed names; any other does not exist."""
        if not default:
            self._check_read(name)
            return self._load(thing, name)
        try:
            self._check_read(name)
            return self._load(thing, name)
        except AttributeError:
            return default[0]

    def _check_read(self, name: Any) -> None:
        if type(name) is not str or name == "__class__":
            raise NotAllowed(f"The attribute {name!r} is not allowed in safe mode.")

    def hasattr(self, thing: Any, name: str, /) -> bool:
        """As Python's, for allowed names; any other does not exist."""
        try:
            self.getattr(thing, name)
        except AttributeError:
            return False
        return True

    def setattr(self, thing: Any, name: str, value: Any, /) -> None:
        """As Python's, for allowed names and within the limits of the policy."""
        self._check(name)
        self._store(value, thing, name)

    def delattr(self, thing: Any, name: str, /) -> None:
        """As Python's, for allowed names."""
        self._check(name)
        del self._at(thing)[name]

    def attrgetter(self, *names: str) -> Callable[[Any], Any]:
        """As `operator.attrgetter`, for allowed names."""

        def one(thing: Any, path: str) -> Any:
            for name in path.split("."):
                thing = self.getattr(thing, name)
            return thing

        if len(names) == 1:
            return lambda thing: one(thing, names[0])
        return lambda thing: tuple(one(thing, path) for path in names)

    def methodcaller(self, name: str, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        """As `operator.methodcaller`, for allowed names."""
        return lambda thing: self.getattr(thing, name)(*args, **kwargs)


IN_PLACE_OF: dict[type, type] = {}
"""Classes that a script gets instead of others."""


def type_of(thing: Any, /) -> type:
    """``type(x)``, which creates no types and returns none that can."""
    kind = type(thing)
    if issubclass(kind, type):
        raise NotAllowed("Scripts cannot use the type of a class.")
    return IN_PLACE_OF.get(kind, kind)


class ClassOf:
    """The class of an object that is not the script's: only its name. The class itself could make any object."""

    __slots__ = ("__name__",)

    def __init__(self, kind: type) -> None:
        self.__name__ = kind.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotAllowed(f"{self.__name__} is not allowed to be made from one of its objects in safe mode.")


_KEY = secrets.token_bytes(16)


def identity(thing: Any, /) -> int:
    """``id``: a number of this object alone, which is not its address."""
    address = id(thing).to_bytes(8, "little")
    return int.from_bytes(hashlib.blake2b(address, digest_size=7, key=_KEY).digest(), "little")


def hashed(thing: Any, /) -> int:
    """``hash``: for an object that is compared by where it is, a number that does not tell where."""
    found = hash(thing)
    if isinstance(thing, _COMPARED) or isinstance(type(thing).__hash__, FunctionType):
        return found
    digits = found.to_bytes(8, "little", signed=True)
    return int.from_bytes(hashlib.blake2b(digits, digest_size=7, key=_KEY).digest(), "little")


_COMPARED = (int, float, complex, str, bytes, tuple, frozenset, range)


def delegated(thing: Any, /) -> Any:
    """What `yield from` walks through: an own object as an iterator without a `close`, which Python would call when the
    generator is freed, at any time and without limits.
    """
    return thing if type(thing) is types.GeneratorType else itertools.chain(thing)


def kinds(value: Any, /) -> Any:
    """What ``type(x)`` is compared with: only types, since an object of the script would receive the type."""
    inner = value if type(value) in (tuple, list, set, frozenset, dict) else (value,)
    if not all(issubclass(type(one), type) or type(one) in _PLAIN for one in inner):
        raise NotAllowed("type(x) may only be compared with types in safe mode.")
    return value


_PLAIN = (type(None), bool, int, float, str, types.UnionType)


def range_of(*args: Any) -> range:
    """``range`` outside of a loop: C functions that iterate over it cannot be stopped."""
    found = range(*args)
    # len() fails above the size of a machine word.
    if found and (found[-1] - found[0]) // found.step >= policy.policy().items:
        raise Guarded(f"This range has more than {policy.policy().items:,} items.")
    return found


def rounded(number: Any, ndigits: Any = None) -> Any:
    """``round`` with at most 400 digits."""
    if abs(as_number(ndigits)) > 400:
        raise Guarded(f"round(x, {ndigits}) has no meaning; use at most 400 digits.")
    return round(number) if ndigits is None else round(number, ndigits)


def formatted(value: Any, spec: str = "", /) -> str:
    """``format`` with a short specification."""
    if not _is_short(spec):
        digits = policy.policy().width_digits
        raise Guarded(f"A width or precision in this format has more than {digits} digits.")
    return format(value, spec)


def _is_short(spec: str) -> bool:
    """Whether widths and precisions in a format have few digits."""
    digits = policy.policy().width_digits
    return len(spec) <= 40 and all(
        len(part) <= digits for part in "".join(c if c.isdigit() else " " for c in spec).split()
    )


class _Texts(string.Formatter):
    """`str.format` without attributes and items, and with short widths."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        if "." in field_name or "[" in field_name:
            raise Guarded("A format field cannot read attributes or items; compute the value first.")
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> Any:
        return formatted(value, format_spec)


@functools.lru_cache(1024)
def _has_plain_fields(text: str) -> bool:
    """Whether a format reads no attributes or items, and says all widths itself, as `formatted` allows them."""
    try:
        fields = [(field, spec) for _, field, spec, _ in string.Formatter().parse(text) if field is not None]
    except ValueError:
        return False
    if any(mark in field for field, _ in fields for mark in ".[{"):
        return False
    return all("{" not in (spec or "") and _is_short(spec or "") for _, spec in fields)


def percent(text: Any, values: Any, /) -> Any:
    """``text % values`` with short widths."""
    if isinstance(text, str | bytes):
        if isinstance(text, bytes):
            spec = bytes.decode(text, "latin-1")
        else:
            spec = str.__str__(text)
        digits = policy.policy().width_digits
        for one in _PERCENT.findall(spec):
            if "*" in one or any(len(part.lstrip("0")) > digits for part in re.findall(r"\d+", one)):
                raise Guarded(f"A width or precision in this format is not a number of at most {digits} digits.")
    return text % values


_PERCENT = re.compile(r"%(?:\([^)]*\))?([-+ #0-9.*]*)")


def format_of(thing: str) -> Any:
    """``thing.format``, with limits."""
    text = str.__str__(thing)  # a text of an own class could say otherwise the next time
    if _has_plain_fields(text):
        return text.format
    return lambda *args, **kwargs: _Texts().vformat(text, args, kwargs)


def iterated(thing: Any, *sentinel: Any) -> Any:
    """``iter``; with a sentinel it is a generator, which the watchdog can stop."""
    if not sentinel:
        return iter(thing)
    return walk(iter(thing, *sentinel))


def walk(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:  # noqa: UP028  `yield from` cannot be interrupted
        yield item
