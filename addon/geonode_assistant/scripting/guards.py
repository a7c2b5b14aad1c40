# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacements for Python's functions while a script runs.

The watchdog limits time and its hook limits memory, so the guards here cover only what neither can stop: a single call
of a library, or of an iterator in C, that does not return.
"""

from __future__ import annotations

import collections
import copy
import enum
import functools
import hashlib
import itertools
import json
import math
import random
import re
import secrets
import string
import types
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from mathutils import Vector, geometry, kdtree, noise

from .. import native
from . import costs, crossings, making, mesh_removals, policy, products, removals
from .errors import Guarded, NotAllowed
from .sizes import as_number
from .watches import Watch

# -- attributes by text
# ------------------------------------------------------------------------------------------------


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

# -- methods that take longer than linear time
# ------------------------------------------------------------------------------------------------

TEXT_STEPS = 1e9
"""The most characters that a search in a text compares."""
SORT_STEPS = 1e8
"""The most comparisons of a sort."""
SORT_CHARACTERS = 4e9
"""The most characters that a sort of texts compares."""


def _searching(kind: type, name: str) -> Callable[..., Any]:
    """Limits a method of texts that compares its first argument at each place."""
    method = getattr(kind, name)

    def called(text: Any, *args: Any, **kwargs: Any) -> Any:
        for sought in (*args[:1], *kwargs.values()):
            if isinstance(sought, str | bytes | bytearray) and len(text) * len(sought) > TEXT_STEPS:
                raise Guarded(f"{name}() of a text this long for another this long would freeze Blender.")
        return method(text, *args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


STARTS = 1_000
"""The most texts that one call compares with the beginning or the end of another without counting characters."""


def _starting(kind: type, name: str) -> Callable[..., Any]:
    """Limits `startswith` and `endswith`, which compare with each text of a tuple."""
    method = getattr(kind, name)

    def called(text: Any, *args: Any) -> Any:
        sought = args[0] if args else ()
        if isinstance(sought, tuple) and len(sought) > STARTS:
            length = sum(min(len(one), len(text)) for one in sought if isinstance(one, str | bytes | bytearray))
            if length > TEXT_STEPS:
                raise Guarded(f"{name}() of so many texts this long would freeze Blender.")
        return method(text, *args)

    called.__name__ = called.__qualname__ = name
    return called


MERGED = 50_000_000
"""The most items that one call merges into a set or compares with it."""


def _merging(kind: type, name: str) -> Callable[..., Any]:
    """Limits a method of sets by the items of all its arguments, of which the same may stand there many times."""
    method = getattr(kind, name)

    def called(items: Any, *args: Any) -> Any:
        if len(args) > 1:
            count = sum(max(len(one), len(items)) for one in args if isinstance(one, _SIZED))
            if count > MERGED:
                raise Guarded(f"{name}() of {count:,} items would freeze Blender.")
        return method(items, *args)

    called.__name__ = called.__qualname__ = name
    return called


_SIZED = (set, frozenset, dict, list, tuple, str, bytes, bytearray, range)


class ChainMap(collections.ChainMap[Any, Any]):
    """As Python's, which merges the keys of all its maps to count them."""

    def __len__(self) -> int:
        _merging(set, "union")(set(), *self.maps, ())
        return super().__len__()

    def __iter__(self) -> Iterator[Any]:
        _merging(set, "union")(set(), *self.maps, ())
        return super().__iter__()


def _sort_elements(elements: Any, *, key: Any = None, reverse: Any = False) -> None:
    """``sort`` of the elements of a BMesh; the keys are asked for before, while nothing in C is in the middle of it."""
    sorted_ones = list(elements)  # raises if their mesh is gone
    if key is None:
        elements.sort(reverse=reverse)
        return
    keys = iter([key(one) for one in sorted_ones])
    if not all(one.is_valid for one in sorted_ones):
        raise Guarded("The key of sort() may not remove what is sorted.")
    elements.sort(key=lambda _: next(keys), reverse=reverse)


def _resizing(name: str) -> Callable[..., Any]:
    """Limits a method by which a vector gets other memory."""
    method = getattr(Vector, name)

    def called(vector: Any, *args: Any) -> Any:
        return removals.outside(method)(vector, *args)

    called.__name__ = called.__qualname__ = name
    return called


class _Measured:
    """A key of a sort that counts the characters of what it returns."""

    def __init__(self, key: Callable[[Any], Any], count: int) -> None:
        self._key = key
        self._left = SORT_CHARACTERS / max(count.bit_length(), 1)

    def __call__(self, value: Any) -> Any:
        found = self._key(value)
        first = found[0] if type(found) is tuple and found else found
        if isinstance(first, str):
            self._left -= len(first)
            if self._left < 0:
                raise Guarded("Sorting texts this long would freeze Blender.")
        return found


def _check_sort(items: list[Any]) -> None:
    """Raises if sorting these takes too long: Python compares plain numbers and texts without looking at signals."""
    count = len(items)
    if count * count.bit_length() > SORT_STEPS:
        raise Guarded(f"Sorting {count:,} items would freeze Blender.")
    first = items[0] if items else None
    if type(first) is tuple and first:
        first = first[0]
        length = sum(len(one[0]) for one in items if type(one) is tuple and one and isinstance(one[0], str))
    elif isinstance(first, str):
        length = sum(len(one) for one in items if isinstance(one, str))
    if isinstance(first, str) and length * count.bit_length() > SORT_CHARACTERS:
        raise Guarded("Sorting texts this long would freeze Blender.")


def sort_list(items: list[Any], /, *, key: Any = None, reverse: Any = False) -> None:
    """``list.sort``."""
    if key is None:
        _check_sort(items)
        list.sort(items, reverse=reverse)
    else:
        if len(items) * len(items).bit_length() > SORT_STEPS:
            raise Guarded(f"Sorting {len(items):,} items would freeze Blender.")
        list.sort(items, key=_Measured(key, len(items)), reverse=reverse)


def sorted_of(items: Iterable[Any], /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    """``sorted``."""
    found = list(items)
    sort_list(found, key=key, reverse=reverse)
    return found


NEIGHBOURS = 2_000
"""The most that `KDTree.find_n` looks for: it keeps them in order, one by one."""


def _find_n(tree: Any, *args: Any, **kwargs: Any) -> Any:
    wanted = kwargs.get("n", args[1] if len(args) > 1 else 0)
    if as_number(wanted) > NEIGHBOURS:
        raise Guarded(f"find_n() of {wanted:,} points would freeze Blender; use at most {NEIGHBOURS:,}.")
    return tree.find_n(*args, **kwargs)


def _find(tree: Any, co: Any, *args: Any, **kwargs: Any) -> Any:
    """``KDTree.find``, which may call the script: not to learn where it has to look."""
    return tree.find(native.core().call_enclosed(Vector, co), *args, **kwargs)


def _of_stroke(name: str) -> Callable[..., Any]:
    """A method of a stroke of Grease Pencil, which is written in Python and changes arrays of its drawing."""

    def called(stroke: Any, *args: Any) -> Any:
        with Watch(stroke.drawing.id_data):
            return getattr(stroke, name)(*args)

    called.__name__ = called.__qualname__ = name
    return called


_OF_STROKES = ("add_points", "remove_points")
_MERGES = ("union", "intersection", "difference")
_RESIZES = ("resize", "resize_2d", "resize_3d", "resize_4d")
_STARTS = ("startswith", "endswith")
_SEARCHES = ("strip", "lstrip", "rstrip", "rfind", "rindex", "rsplit", "rpartition")
LIMITED: dict[str, dict[str, Callable[..., Any]]] = {
    **{
        f"builtins.{kind.__name__}": {
            **{name: _searching(kind, name) for name in _SEARCHES},
            **{name: _starting(kind, name) for name in _STARTS},
        }
        for kind in (str, bytes, bytearray)
    },
    "builtins.list": {"sort": sort_list},
    "builtins.generator": {"close": lambda generator: close(generator)},
    **{
        name: {"sort": _sort_elements, "remove": lambda elements, *args: mesh_removals.removing(elements)(*args)}
        for name in mesh_removals.SEQUENCES
    },
    **{f"builtins.{kind.__name__}": {name: _merging(kind, name) for name in _MERGES} for kind in (set, frozenset)},
    "_bpy_internal.grease_pencil.stroke.GreasePencilStroke": {name: _of_stroke(name) for name in _OF_STROKES},
    "builtins.Vector": {name: _resizing(name) for name in _RESIZES},
    "builtins.KDTree": {"find": _find, "find_n": _find_n},
    "builtins.BVHTree": {
        "FromPolygons": crossings.from_polygons,
        "FromBMesh": crossings.from_bmesh,
        "FromObject": crossings.from_object,
        "overlap": crossings.overlap,
    },
    "builtins.BMesh": {
        "to_mesh": lambda mesh, *args, **kwargs: mesh_removals.to_mesh(mesh)(*args, **kwargs),
        "from_mesh": mesh_removals.from_mesh,
        "from_object": mesh_removals.from_object,
        "copy": mesh_removals.copied,
        "free": lambda mesh: removals.outside(mesh.free)(),
        "clear": lambda mesh: mesh_removals.emptying(mesh)(),
    },
}
"""By the name of a type its methods that have a limit, as functions of the object; ``numeric`` adds those of numpy."""
LIMITED_NAMES = frozenset({
    *_SEARCHES, *_STARTS, *_MERGES, *_OF_STROKES, *_RESIZES, "free", "clear", "remove",
    "close", "sort", "argsort", "searchsorted", "dot", "find", "find_n", "to_mesh", "zipf", "multivariate_normal",
    "FromPolygons", "FromBMesh", "FromObject", "overlap",
    "from_mesh", "from_object", "copy", "tolist", "astype", "at", "reduceat", "outer",
    *(name for kind in costs.METHODS for cost in costs.LARGEST for name in costs.methods(kind, cost)),
})  # fmt: skip


# -- numbers and iterators
# ---------------------------------------------------------------------------------------------


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


def _matching(name: str) -> Callable[..., Any]:
    """A function of `re`, for patterns that a watchdog can wait for; those in the text of a script were looked at."""
    function = getattr(re, name)

    def called(pattern: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(pattern, str | bytes):
            text = str.__str__(pattern) if isinstance(pattern, str) else bytes.decode(pattern, "latin-1")
            if not native.core().pattern_is_quick(text):
                raise Guarded(
                    "This pattern repeats a repetition, or is very long: matching it could take practically forever."
                )
            pattern = text if isinstance(pattern, str) else text.encode("latin-1")
        return function(pattern, *args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


def format_of(thing: str) -> Any:
    """``thing.format``, with limits."""
    text = str.__str__(thing)  # a text of an own class could say otherwise the next time
    if _has_plain_fields(text):
        return text.format
    return lambda *args, **kwargs: _Texts().vformat(text, args, kwargs)


def resized(array: Any) -> Callable[..., None]:
    """``array.resize``, but not while views use the same memory."""

    def resize(*shape: Any, refcheck: bool = True) -> None:
        if not refcheck:
            raise Guarded("resize() with refcheck=False leaves views of the array without memory; omit refcheck.")
        array.resize(*shape)

    return removals.outside(resize)


def wraps(wrapped: Any, assigned: Any = None, updated: Any = None) -> Callable[[Any], Any]:
    """As ``functools.wraps``, but copies only the name and the docstring."""
    if assigned is not None or updated is not None:
        raise Guarded("wraps() takes only the function.")

    def decorated(function: Any) -> Any:
        if type(function) is FunctionType and type(wrapped) is FunctionType:
            function.__name__, function.__qualname__ = wrapped.__name__, wrapped.__qualname__
            function.__doc__ = wrapped.__doc__
        return function

    return decorated


class SimpleNamespace(types.SimpleNamespace):
    """As Python's, for public names: numpy reads names with two underscores from any object, one of them an address."""

    def __init__(self, /, *mapping: Any, **names: Any) -> None:
        given = dict(*mapping, **names)
        # A text of another class could tell otherwise each time.
        if any(type(name) is not str or name.startswith("__") for name in given):
            raise Guarded("A SimpleNamespace cannot have names with double underscores.")
        super().__init__(**given)


class _Copied(dict[int, Any]):
    """What a deep copy has copied so far. No script ever has one: the dictionaries of the copied objects are in it."""


class Memo:
    """What the ``__deepcopy__`` of a script's class is given, to pass it on to ``deepcopy``. What is stored in it is
    forgotten: ``deepcopy`` itself keeps what such a method returns."""

    __slots__ = ("__copied__",)

    def __init__(self, copied: Any) -> None:
        self.__copied__ = copied if type(copied) is _Copied else _Copied()

    def get(self, key: Any, default: Any = None) -> Any:
        """The default: a script finds nothing here."""
        return default

    def __contains__(self, key: Any) -> bool:
        return False

    def __getitem__(self, key: Any) -> Any:
        raise KeyError(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


def deepcopy(x: Any, memo: Any = None) -> Any:
    """As ``copy.deepcopy``, but with no memo of the script's: names of attributes would be looked up in it."""
    if type(memo) is Memo:
        return copy.deepcopy(x, memo.__copied__)
    if memo is not None and not (type(memo) is dict and not memo):
        raise Guarded("deepcopy() takes only the value, or the memo that __deepcopy__ was given; leave the memo out.")
    return copy.deepcopy(x, _Copied())


def copying(method: FunctionType) -> Callable[[Any, Any], Any]:
    """The ``__deepcopy__`` of a script's class, which receives a ``Memo``."""

    def __deepcopy__(self: Any, memo: Any = None) -> Any:
        return method(self, memo if type(memo) is Memo else Memo(memo))

    return __deepcopy__


class _Absent:
    """An attribute that objects of a class do not have, whatever their dictionary contains."""

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        raise AttributeError("Objects of scripts do not tell numpy where they are in memory.")

    def __set__(self, thing: Any, value: Any) -> None:
        raise AttributeError("Objects of scripts do not tell numpy where they are in memory.")


_ABSENT = _Absent()


def hide_memory(kind: type) -> None:
    """Ensures that numpy never takes an address from an object of this class, of which it asks the object itself."""
    for name in ("__array_interface__", "__array_struct__", "__array__", "__array_wrap__", "__dlpack__"):
        type.__setattr__(kind, name, _ABSENT)


hide_memory(SimpleNamespace)


class _OneValue(enum.EnumType):
    """The type of a script's enums: calling one looks up a value and never creates another enum."""

    def __call__(cls, value: Any) -> Any:  # type: ignore[override]
        return super().__call__(value)


class Enum(enum.Enum, metaclass=_OneValue):
    """As Python's, without its functional form."""


class IntEnum(enum.IntEnum, metaclass=_OneValue):
    """As Python's, without its functional form."""


class Flag(enum.Flag, metaclass=_OneValue):
    """As Python's, without its functional form."""


class IntFlag(enum.IntFlag, metaclass=_OneValue):
    """As Python's, without its functional form."""


class StrEnum(enum.StrEnum, metaclass=_OneValue):
    """As Python's, without its functional form."""


def iterated(thing: Any, *sentinel: Any) -> Any:
    """``iter``; with a sentinel it is a generator, which the watchdog can stop."""
    if not sentinel:
        return iter(thing)
    return _walk(iter(thing, *sentinel))


def _walk(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:  # noqa: UP028  `yield from` cannot be interrupted
        yield item


def stoppable(function: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    """Wraps a C iterator that may be endless in a generator, which the watchdog can stop wherever it is consumed."""

    def walked(*args: Any, **kwargs: Any) -> Iterator[Any]:
        return _walk(function(*args, **kwargs))

    walked.__name__ = walked.__qualname__ = function.__name__
    return walked


def groupby(iterable: Iterable[Any], key: Callable[[Any], Any] | None = None) -> Iterator[tuple[Any, Iterator[Any]]]:
    """``itertools.groupby``, which holds keys that comparing them may take away."""
    items = iter(iterable)
    ahead: list[tuple[Any, Any]] = []

    def following() -> list[tuple[Any, Any]]:
        for item in items:
            return [(item if key is None else key(item), item)]
        return []

    def group(of: Any, first: Any) -> Iterator[Any]:
        yield first
        while found := following():
            if of is not found[0][0] and not of == found[0][0]:
                ahead[:] = found
                return
            yield found[0][1]

    def walked() -> Iterator[tuple[Any, Iterator[Any]]]:
        ahead[:] = following()
        while ahead:
            of, first = ahead.pop()
            inside = group(of, first)
            yield of, inside
            for _ in inside:
                pass

    return walked()


CHAIN = 100
"""The most generators that wait for each other: closing one closes the next within it, in C and without a limit."""


def close(generator: Any) -> None:
    """``close`` of a generator."""
    inner: Any = generator
    for _ in range(CHAIN):
        inner = inner.gi_yieldfrom
        if type(inner) is not types.GeneratorType:
            return generator.close()
    raise Guarded("So many generators that wait for each other cannot be closed without crashing Blender.")


def product_of(numbers: Iterable[Any], *, start: Any = 1) -> Any:
    """``math.prod``, stoppable between its factors."""
    return math.prod(_walk(numbers), start=start)


def choices(population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
    """``random.choices``, with at most as many draws as a list of a script may have items."""
    if k > policy.policy().items:
        raise Guarded(f"choices() of {k:,} items takes too much memory or time.")
    return random.choices(population, weights, cum_weights=cum_weights, k=k)


BITS = 1_000_000
"""The most bits of a random number."""


def getrandbits(k: int) -> int:
    """``random.getrandbits``, with at most a million bits."""
    if as_number(k) > BITS:
        raise Guarded(f"getrandbits() of {k:,} bits takes too much memory; use at most {BITS:,}.")
    return random.getrandbits(k)


def _up_to(name: str, largest: int) -> Callable[..., Any]:
    """Limits a function of `math` whose result grows very fast with its arguments."""
    function = getattr(math, name)

    def called(*args: Any) -> Any:
        if any(as_number(one) > largest for one in args):
            raise Guarded(f"{name}() of numbers above {largest:,} takes too long.")
        return function(*args)

    called.__name__ = name
    return called


DIGITS = 2e9
"""The most steps of a common divisor of whole numbers: the product of their bits."""


def _divisor(name: str) -> Callable[..., Any]:
    function = getattr(math, name)

    def called(*args: Any) -> Any:
        bits = sorted((one.bit_length() for one in args if isinstance(one, int)), reverse=True)
        if len(bits) > 1 and float(sum(bits[:-1])) * bits[1] > DIGITS:
            raise Guarded(f"{name}() of numbers this large would freeze Blender.")
        return function(*args)

    called.__name__ = name
    return called


class Tree:
    """A large ``KDTree``. Balancing points that are in order takes the square of their number, so it mixes them."""

    LARGEST = 20_000
    """The most points for which this does not matter."""
    __slots__ = ("__points__", "__real__")

    def __init__(self, size: int) -> None:
        self.__real__ = kdtree.KDTree(size)
        self.__points__: list[tuple[Any, int]] | None = []

    def insert(self, co: Any, index: int) -> None:
        """Inserts a point."""
        if self.__points__ is None:
            raise Guarded("Insert all points of a large KDTree before you balance it.")
        self.__points__.append((tuple(co), index))

    def balance(self) -> None:
        """Balances the tree."""
        if self.__points__ is not None:
            random.Random(1).shuffle(self.__points__)  # noqa: S311
            for co, index in self.__points__:
                self.__real__.insert(co, index)
            self.__points__ = None
        self.__real__.balance()

    def find(self, *args: Any, **kwargs: Any) -> Any:
        """The nearest point."""
        return _find(self.__real__, *args, **kwargs)

    def find_n(self, *args: Any, **kwargs: Any) -> Any:
        """The nearest points."""
        return _find_n(self.__real__, *args, **kwargs)

    def find_range(self, *args: Any, **kwargs: Any) -> Any:
        """The points within a distance."""
        return self.__real__.find_range(*args, **kwargs)


def _tree(size: Any = 0) -> Any:
    """``KDTree``, with at most as many points as a mesh may have."""
    if as_number(size) > policy.policy().items:
        raise Guarded(f"KDTree() of {size:,} points takes too much memory; use at most {policy.policy().items:,}.")
    return Tree(size) if as_number(size) > Tree.LARGEST else kdtree.KDTree(size)


JSON_CHARACTERS = 50_000_000
"""The most characters of all texts in what is written as JSON: each may take six."""


def _plain(value: Any, default: Callable[[Any], Any] | None, left: list[int]) -> Any:
    """A copy of what is to be written, which nobody can change meanwhile; raises for too much of it."""
    if isinstance(value, str):
        left[0] -= len(value)
        if left[0] < 0:
            raise Guarded("So much text takes too long to be written as JSON.")
        return value
    left[0] -= 20
    if left[0] < 0:
        raise Guarded("This value is too large, or nested too deeply, to be written as JSON.")
    if isinstance(value, dict):
        return {
            _plain(key, None, left) if isinstance(key, str) else key: _plain(one, default, left)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(one, default, left) for one in value]
    if default is None or value is None or isinstance(value, int | float):
        return value
    return _plain(default(value), default, left)


def dumps(value: Any, *, default: Callable[[Any], Any] | None = None, **how: Any) -> str:
    """``json.dumps``, of a copy: writing is done in C, which nothing can stop, and which holds what it writes."""
    try:
        copied = _plain(value, default, [JSON_CHARACTERS])
    except RecursionError:
        raise Guarded("This value is nested too deeply to be written as JSON.") from None
    return json.dumps(copied, **how)


def _at_most(name: str, limit: int, count: Callable[..., int]) -> Callable[..., Any]:
    """Limits a function of ``mathutils.geometry`` that cannot be stopped and takes more than linear time."""
    function = getattr(geometry, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        points = count(*args)
        if points > limit:
            raise Guarded(f"{name}() of {points:,} points takes too long; use at most {limit:,}.")
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


CROSSINGS = 100_000
"""The most points at which the edges of an outline may cross: each makes a point and two edges."""


def _triangulated(*args: Any, **kwargs: Any) -> Any:
    """``delaunay_2d_cdt``, limited by its points and by how often its edges cross, estimated from a few of them."""
    points, edges, faces = args[:3]
    sides = [(face[at - 1], face[at]) for face in faces for at in range(len(face))]
    lines = [(points[a], points[b]) for a, b in (*edges, *sides)]
    few = lines[:: max(len(lines) // max(50_000 // max(len(lines), 1), 8), 1)]
    found = sum(_crosses(*one, *other) for one in few for other in lines)
    if found * len(lines) / max(len(few), 1) / 2 > CROSSINGS:
        raise Guarded(f"The edges cross about {found * len(lines) / len(few) / 2:,.0f} times, which takes too long.")
    return _at_most("delaunay_2d_cdt", 50_000, lambda points, edges, *_: len(points) + len(edges))(*args, **kwargs)


def _crosses(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Whether two lines cross, not counting their ends."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = a[:2], b[:2], c[:2], d[:2]
    one = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    two = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    if one * two >= 0:
        return False
    three = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    four = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    return bool(three * four < 0)


def _few(name: str, place: int, keyword: str, largest: int) -> Callable[..., Any]:
    """Limits a function of ``mathutils.noise`` by an argument that is a number of steps: its octaves, or a size."""
    function = getattr(noise, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        if len(args) > place and args[place] > largest or keyword in kwargs and kwargs[keyword] > largest:
            raise Guarded(f"{name}() with {keyword} above {largest} takes too long.")
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


REPLACED: dict[str, dict[str, Callable[..., Any]]] = {
    "itertools": {
        "groupby": groupby,
        **{
            name: stoppable(getattr(itertools, name))
            for name in (
                "count",
                "cycle",
                "repeat",
                "product",
                "permutations",
                "combinations",
                "combinations_with_replacement",
            )
        },
    },
    "collections": {"ChainMap": ChainMap, "OrderedDict": making.OrderedDict},
    "typing": {"overload": making.overload},
    "copy": {"deepcopy": deepcopy},
    "enum": {one.__name__: one for one in (Enum, IntEnum, Flag, IntFlag, StrEnum)},
    "functools": {"wraps": wraps},
    "json": {"dumps": dumps},
    "math": {
        "prod": product_of,
        **{name: _up_to(name, 5_000) for name in ("factorial", "comb", "perm")},
        **{name: _divisor(name) for name in ("gcd", "lcm")},
    },
    "mathutils.geometry": {
        "box_fit_2d": _at_most("box_fit_2d", 20_000, lambda points, *_: len(points)),
        "box_pack_2d": _at_most("box_pack_2d", 20_000, lambda boxes, *_: len(boxes)),
        "convex_hull_2d": _at_most("convex_hull_2d", 200_000, lambda points, *_: len(points)),
        "delaunay_2d_cdt": _triangulated,
        "interpolate_bezier": _at_most("interpolate_bezier", 1_000_000, lambda *args: int(as_number(args[-1]))),
        # It looks at every three planes, and at all the others for each.
        "points_in_planes": _at_most("points_in_planes", 200, lambda planes, *_: len(planes)),
        "tessellate_polygon": _at_most(
            "tessellate_polygon", 5_000, lambda polygons, *_: sum(len(polygon) for polygon in polygons)
        ),
    },
    "operator": {"matmul": products.product},
    "types": {"SimpleNamespace": SimpleNamespace},
    "mathutils.kdtree": {"KDTree": _tree},
    "mathutils.noise": {
        **{name: _few(name, 1, "octaves", 100) for name in ("turbulence", "turbulence_vector")},
        **{
            name: _few(name, 3, "octaves", 100)
            for name in ("fractal", "multi_fractal", "hetero_terrain", "hybrid_multi_fractal", "ridged_multi_fractal")
        },
        **{name: _few(name, 0, "size", 1000) for name in ("random_vector", "random_unit_vector")},
    },
    "random": {"choices": choices, "getrandbits": getrandbits},
    "re": {
        name: _matching(name)
        for name in ("compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")
    },
}
"""Members of modules that have their own guard."""
