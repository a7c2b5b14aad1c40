# SPDX-License-Identifier: GPL-3.0-or-later
"""``foreach_set``: many assignments at once, to a property that is named by a text. Each is judged as if it were
written out.

Blender writes such values without looking at limits, entries of menus or whether a property can be set, and calls
nothing that an assignment would call. So only plain numbers within their limits, of elements that are all of one type,
go there as a whole; everything else is assigned element by element, through the guards of the script.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import bpy

from . import indices, older
from .errors import Guarded, NotAllowed
from .reached import grows
from .watches import Watch

PLAIN = 1
"""The answer of the first wall for what may be set without a guard, as of ``membrane``."""
Judge = Callable[[type, str], int]
"""Says of a type of Blender's and a property whether it may be set: 0 never, ``PLAIN`` freely, else by a guard."""
_WIDEST = 3e38
"""A limit beyond which a number has none."""
_LARGEST = 2**31 - 1
_PLAIN = (list, tuple, bytes, bytearray, array, bpy.types.bpy_prop_array)
_NUMBERS = frozenset({"BOOLEAN", "INT", "FLOAT"})


def foreach_set(thing: Any, judge: Judge) -> Callable[..., Any]:
    """``thing.foreach_set`` of a collection or of an array."""
    if isinstance(thing, bpy.types.bpy_prop_array):
        return lambda values, /: _set_array(thing, values, judge)
    return lambda attr, seq: _set_elements(thing, attr, seq, judge)


def _set_elements(elements: Any, name: Any, values: Any, judge: Judge) -> Any:
    if type(name) is not str:
        raise TypeError("foreach_set() takes the name of a property as a text.")
    values = _fixed(values)
    indices.check_elements(elements, name, values)
    first = elements[0] if len(elements) else None
    if first is None:
        return elements.foreach_set(name, values)  # nothing to set: Blender says what it thinks of the arguments
    kind = type(first)
    prop = _settable(kind, first, name, judge)
    with Watch(elements.id_data) if grows(kind, name) else nullcontext():
        return _set_within(elements, first, prop, values, judge)


def _set_within(elements: Any, first: Any, prop: Any, values: Any, judge: Judge) -> Any:
    kind, name = type(first), prop.identifier
    if prop.type == "ENUM" or judge(kind, name) != PLAIN and not indices.is_index(kind, name) or _has_kinds(first):
        return _assign_each(elements, name, values, judge)
    if not _is_within(prop, values):
        return _assign_each(elements, name, values, judge)
    return elements.foreach_set(name, values)


def _set_array(thing: Any, values: Any, judge: Judge) -> Any:
    values = _fixed(values)
    indices.check_array(thing, values)
    owner = thing.data
    name = _name_of(thing)
    prop = _settable(type(owner), owner, name, judge)
    if prop.type in _NUMBERS and judge(type(owner), name) == PLAIN and _is_within(prop, values):
        return thing.foreach_set(values)
    if indices.is_index(type(owner), name):
        return thing.foreach_set(values)
    if len(values) != len(getattr(owner, name)):
        raise Guarded(f"{name} takes {len(getattr(owner, name))} values here.")
    return _assign(owner, name, [_plain(prop, one) for one in values])


def _settable(kind: type, thing: Any, name: str, judge: Judge) -> Any:
    """The property, if a script may set it."""
    if not judge(kind, name):
        raise NotAllowed(f"{kind.__name__}.{name} is not allowed to be set in safe mode.")
    prop = thing.bl_rna.properties.get(name)
    if prop is None:
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
    if prop.type not in _NUMBERS and prop.type != "ENUM" or prop.type == "ENUM" and prop.is_enum_flag:
        raise TypeError(f"foreach_set() sets numbers, not {kind.__name__}.{name}; assign it to each.")
    if thing.is_property_readonly(name) and (kind.__name__, name) not in _IGNORED:
        raise AttributeError(f"{kind.__name__}.{name} cannot be set: it is read-only.")
    return prop


_IGNORED = frozenset({("MeshPolygon", "loop_total")})
"""What Blender accepts and does not use, since it follows from something else; older scripts set it."""


def _has_kinds(first: Any) -> bool:
    """Whether the elements may be of several types, of which the first tells nothing about the others."""
    described = first.bl_rna
    return described.base is not None or bool(type.__subclasses__(type(first)))


def _is_within(prop: Any, values: Any) -> bool:
    """Whether all values are numbers within the limits of a property, which an assignment would put them into."""
    numpy = sys.modules.get("numpy")
    packed = numpy is not None and type(values) is numpy.ndarray
    if packed and values.dtype.kind not in "biuf" or not packed and not set(map(type, values)) <= {int, float, bool}:
        return False
    if prop.type == "BOOLEAN" or not len(values):
        return True
    free = prop.hard_min < -_WIDEST and prop.hard_max > _WIDEST
    if prop.type == "FLOAT" and free:
        return True
    if prop.type == "INT" and packed and values.dtype.kind == "f":
        return False
    smallest, largest = (values.min(), values.max()) if packed else (min(values), max(values))
    return bool(prop.hard_min <= smallest and largest <= prop.hard_max)


def _assign_each(elements: Any, name: str, values: Any, judge: Judge) -> None:
    count = len(elements)
    if not count or len(values) % count:
        raise TypeError(f"foreach_set() of {count:,} elements got {len(values):,} values.")
    each = len(values) // count
    wide = bool(getattr(elements[0].bl_rna.properties[name], "is_array", False))
    if not wide and each != 1:
        raise TypeError(f"{name} takes one value for each of the {count:,} elements.")
    for at, one in enumerate(elements):
        prop = _settable(type(one), one, name, judge)
        found = [_plain(prop, value, one) for value in values[at * each : (at + 1) * each]]
        _assign(one, name, found if wide else found[0])


def _plain(prop: Any, value: Any, owner: Any = None) -> Any:
    """The value as an assignment takes it: Blender's numbers for the entries of a menu are their identifiers there."""
    match prop.type:
        case "ENUM":
            wanted = int(value)
            for item in prop.enum_items:
                if item.value == wanted:
                    return item.identifier
            raise Guarded(f"{prop.identifier} has no entry {wanted}.")
        case "BOOLEAN":
            return bool(value)
        case "INT":
            return max(min(int(value), _LARGEST), -_LARGEST - 1)
    return float(value)


def _assign(owner: Any, name: str, value: Any) -> None:
    store = older.current().guards.get("store")
    if store is None:
        raise Guarded("foreach_set() works only while a script runs.")
    store(value, owner, name)


def _name_of(thing: Any) -> str:
    """The property that an array is the value of."""
    try:
        return str(thing.path_from_id()).rpartition(".")[2].partition("[")[0]
    except ValueError:
        owner = thing.data
        for prop in owner.bl_rna.properties:
            if getattr(prop, "is_array", False) and getattr(owner, prop.identifier) == thing:
                return str(prop.identifier)
    raise Guarded("These values cannot be set at once; assign them.")


def _fixed(values: Any) -> Any:
    """A copy that nobody changes meanwhile: a list of a script's own could give others when it is read again."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(values) is numpy.ndarray:
        return values.copy().ravel() if values.dtype.kind in "biuf" else values.ravel().tolist()
    if type(values) is array and values.typecode not in "uw":
        return array(values.typecode, values)
    if isinstance(values, bytes | bytearray | str):
        raise TypeError("foreach_set() takes a list or an array of numbers.")
    return list(values)
