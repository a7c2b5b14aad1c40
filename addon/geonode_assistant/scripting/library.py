# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions and classes of Python's library and of mathutils, as a script gets them: without what looks up, calls or
keeps for it, and with limits where neither the watchdog nor the hook on memory could stop them.
"""

from __future__ import annotations

import collections
import copy
import enum
import itertools
import json
import math
import random
import re
import types
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from mathutils import geometry, kdtree, noise

from .. import native
from . import making, matching, methods, policy, products
from .errors import Guarded
from .guards import walk
from .sizes import as_number


class ChainMap(collections.ChainMap[Any, Any]):
    """As Python's, which merges the keys of all its maps to count them."""

    def __len__(self) -> int:
        methods.merging(set, "union")(set(), *self.maps, ())
        return super().__len__()

    def __iter__(self) -> Iterator[Any]:
        methods.merging(set, "union")(set(), *self.maps, ())
        return super().__iter__()


def _matching(name: str) -> Callable[..., Any]:
    """A function of `re`, for patterns that a watchdog can wait for; those in the text of a script were looked at."""
    function = matching.function(name) if name in matching.METHODS else getattr(re, name)

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


def stoppable(function: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    """Wraps a C iterator that may be endless in a generator, which the watchdog can stop wherever it is consumed."""

    def walked(*args: Any, **kwargs: Any) -> Iterator[Any]:
        return walk(function(*args, **kwargs))

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


def product_of(numbers: Iterable[Any], *, start: Any = 1) -> Any:
    """``math.prod``, stoppable between its factors."""
    return math.prod(walk(numbers), start=start)


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
        return methods.find(self.__real__, *args, **kwargs)

    def find_n(self, *args: Any, **kwargs: Any) -> Any:
        """The nearest points."""
        return methods.find_n(self.__real__, *args, **kwargs)

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
        # Each box is tried in every corner of those before it.
        "box_pack_2d": _at_most("box_pack_2d", 2_000, lambda boxes, *_: len(boxes)),
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
