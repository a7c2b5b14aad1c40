# SPDX-License-Identifier: GPL-3.0-or-later
"""Values in a record: plain data, mathutils, and references to what lies in the file (``rust/script/src/record``)."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from typing import Any

from mathutils import Color, Euler, Matrix, Quaternion, Vector

MATH = (Vector, Color, Euler, Quaternion, Matrix)
_PLAIN = {bool, int, float, str, type(None)}
_NAMED: dict[str, type] = {"vector": Vector, "color": Color, "quaternion": Quaternion}


class NotRecordable(Exception):
    """A value, or the place of something, that a record cannot hold."""


def encode(value: Any, refer: Callable[[Any], Any]) -> Any:
    """The value as JSON. ``refer`` gives the address of what lies in the file. Raises ``NotRecordable``."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if isinstance(value, bool | int | str):
        return int(value) if isinstance(value, int) else str.__str__(value)
    if isinstance(value, float):
        return _number(float(value))
    if kind is list or kind is array or kind is range:
        plain = set(map(type, value)) <= _PLAIN and all(math.isfinite(one) for one in value if type(one) is float)
        return list(value) if plain else [encode(one, refer) for one in value]
    if isinstance(value, tuple):
        return {"tuple": [encode(one, refer) for one in value]}
    if isinstance(value, set | frozenset):
        return {"set": sorted(encode(one, refer) for one in value)}
    if isinstance(value, dict):
        return {"dict": [[encode(key, refer), encode(one, refer)] for key, one in value.items()]}
    parts: Any = value  # the stubs of mathutils say nothing of iterating
    if isinstance(value, Matrix):
        return {"matrix": [[_number(one) for one in row] for row in parts]}
    if isinstance(value, Euler):
        return {"euler": [*(_number(one) for one in parts), value.order]}
    for name, type_ in _NAMED.items():
        if isinstance(value, type_):
            return {name: [_number(one) for one in parts]}
    if kind is slice:
        return {"slice": [encode(one, refer) for one in (value.start, value.stop, value.step)]}
    if kind.__module__ == "numpy" and hasattr(value, "tolist"):
        return encode(value.tolist(), refer)
    return {"of": refer(value)}


def _number(value: float) -> Any:
    return value if math.isfinite(value) else {"number": repr(value)}


def decode(value: Any, find: Callable[[Any], Any]) -> Any:
    """The value that ``encode`` wrote. ``find`` gives what lies at an address."""
    if isinstance(value, list):
        if not any(isinstance(one, list | dict) for one in value):
            return value
        return [decode(one, find) for one in value]
    if not isinstance(value, dict):
        return value
    [(name, held)] = value.items()
    match name:
        case "of":
            return find(held)
        case "tuple":
            return tuple(decode(one, find) for one in held)
        case "set":
            return set(held)
        case "dict":
            return {decode(key, find): decode(one, find) for key, one in held}
        case "matrix":
            return Matrix([[decode(one, find) for one in row] for row in held])
        case "euler":
            return Euler([decode(one, find) for one in held[:3]], held[3])
        case "slice":
            return slice(*held)
        case "number":
            return float(held)
    return _NAMED[name]([decode(one, find) for one in held])
