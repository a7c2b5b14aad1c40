# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods that take longer than linear time, or free what others use, with a guard for each."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

from mathutils import Vector

from .. import native
from . import costs, crossings, matching, mesh_removals, removals
from .errors import Guarded
from .sizes import as_number
from .watches import Watch

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


def merging(kind: type, name: str) -> Callable[..., Any]:
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


def find_n(tree: Any, /, *args: Any, **kwargs: Any) -> Any:
    wanted = kwargs.get("n", args[1] if len(args) > 1 else 0)
    if as_number(wanted) > NEIGHBOURS:
        raise Guarded(f"find_n() of {wanted:,} points would freeze Blender; use at most {NEIGHBOURS:,}.")
    return tree.find_n(*args, **kwargs)


def find(tree: Any, /, co: Any, *args: Any, **kwargs: Any) -> Any:
    """``KDTree.find``, which may call the script: not to learn where it has to look."""
    return tree.find(co if type(co) is Vector else native.core().call_enclosed(Vector, co), *args, **kwargs)


def _of_stroke(name: str) -> Callable[..., Any]:
    """A method of a stroke of Grease Pencil, which is written in Python and changes arrays of its drawing."""

    def called(stroke: Any, *args: Any) -> Any:
        with Watch(stroke.drawing.id_data):
            return getattr(stroke, name)(*args)

    called.__name__ = called.__qualname__ = name
    return called


def resized(array: Any) -> Callable[..., None]:
    """``array.resize``, but not while views use the same memory."""

    def resize(*shape: Any, refcheck: bool = True) -> None:
        if not refcheck:
            raise Guarded("resize() with refcheck=False leaves views of the array without memory; omit refcheck.")
        array.resize(*shape)

    return removals.outside(resize)


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


def extend_bytes(array: bytearray, items: Any) -> None:
    """``bytearray.extend``: Python writes where no memory is if an object says that it is empty."""
    array.extend(items if type(items) in (bytes, bytearray, list, tuple, range) else [*items])


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
            **({"extend": extend_bytes} if kind is bytearray else {}),
        }
        for kind in (str, bytes, bytearray)
    },
    "builtins.list": {"sort": sort_list},
    "re.Pattern": matching.METHODS,
    "builtins.generator": {"close": lambda generator: close(generator)},
    **{
        name: {"sort": _sort_elements, "remove": lambda elements, *args: mesh_removals.removing(elements)(*args)}
        for name in mesh_removals.SEQUENCES
    },
    **{f"builtins.{kind.__name__}": {name: merging(kind, name) for name in _MERGES} for kind in (set, frozenset)},
    "_bpy_internal.grease_pencil.stroke.GreasePencilStroke": {name: _of_stroke(name) for name in _OF_STROKES},
    "builtins.Vector": {name: _resizing(name) for name in _RESIZES},
    "builtins.BMDeformVert": {"clear": lambda weights: mesh_removals.weightless(weights)()},
    "builtins.KDTree": {"find": find, "find_n": find_n},
    "builtins.BVHTree": {
        "FromPolygons": crossings.from_polygons,
        "FromBMesh": crossings.from_bmesh,
        "FromObject": crossings.from_object,
        "overlap": crossings.overlap,
    },
    "builtins.BMesh": {
        "to_mesh": lambda mesh, /, *args, **kwargs: mesh_removals.to_mesh(mesh)(*args, **kwargs),
        "from_mesh": mesh_removals.from_mesh,
        "from_object": mesh_removals.from_object,
        "copy": mesh_removals.copied,
        "free": lambda mesh: removals.outside(mesh.free)(),
        "clear": lambda mesh: mesh_removals.emptying(mesh)(),
    },
}
"""By the name of a type its methods that have a limit, as functions of the object; ``numeric`` adds those of numpy."""
LIMITED_NAMES = frozenset({
    *_SEARCHES, *_STARTS, *_MERGES, *_OF_STROKES, *_RESIZES, *matching.METHODS, "free", "clear", "remove",
    "close", "extend", "sort", "argsort", "searchsorted", "dot", "find", "find_n", "to_mesh", "zipf",
    "multivariate_normal",
    "FromPolygons", "FromBMesh", "FromObject", "overlap",
    "from_mesh", "from_object", "copy", "tolist", "astype", "at", "reduceat", "outer",
    *(name for kind in costs.METHODS for cost in costs.LARGEST for name in costs.methods(kind, cost)),
})  # fmt: skip
