# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of Blender's data with a guard. A method is made once for its type and name, as a function of the object:
scripts call the same ones thousands of times.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import cache
from typing import Any

import bpy

from . import (
    dynamic_types,
    faces,
    freed,
    hierarchies,
    indices,
    passing,
    pictures,
    properties,
    reached,
    removals,
    sizes,
    watches,
    with_blocks,
)

TABLES = frozenset({"bound_box", "clip_planes", "split_normals"})
"""Arrays of arrays, which a script gets as numbers: their rows come out of C, where nothing remembers that they point
to data which may be freed."""
_STRUCT = bpy.types.bpy_struct


def member(thing: Any, name: str) -> Any:
    """``thing.name`` as a script has it, whether or not it is a method."""
    if faces.is_use(type(thing), name):
        faces.check_use(thing, name)
    if name in properties.METHODS:
        return types.MethodType(properties.METHODS[name], thing)
    if name in passing.SHOWN and isinstance(thing, bpy.types.DepsgraphObjectInstance):
        return passing.shown(thing, name)
    if name in TABLES:
        return tuple(tuple(row) for row in getattr(thing, name))
    if type(thing) is passing.PassingObject and passing.is_property(name):
        return passing.member(thing, name)
    if reached.grows(type(thing), name):
        return freed.grown(thing, name)
    if name in removals.METHODS:
        return removals.method(thing, name)
    if name in indices.METHODS and name != "from_pydata":
        return indices.member(thing, name)
    found = pictures.channels(thing) if name == "pixels" else getattr(thing, name)
    if not callable(found):
        return watches.kept(found) if name in freed.EVALUATING and _kind(thing) in freed.EVALUATED else found
    return types.MethodType(_function(thing, name), thing)


def in_one_step(cls: type, name: str) -> Callable[..., Any] | None:
    """What ``thing.name(…)`` calls for objects of a type that has a guard for this name, as a function of the object;
    None where ``member`` has to look at the object first.
    """
    if name in removals.METHODS or dynamic_types.is_dynamic(cls):
        return None
    if not issubclass(cls, _STRUCT):
        return _of_lists(name)
    if name in properties.METHODS:
        return properties.METHODS[name]
    of: Any = cls
    return _of_structs(of, name) if _is_method(of, name) else None


def _kind(thing: Any) -> str:
    described = getattr(thing, "bl_rna", None)
    return described.identifier if described is not None else ""


def _is_method(cls: Any, name: str) -> bool:
    for base in type.mro(cls):
        if name in base.__dict__:
            return isinstance(base.__dict__[name], types.FunctionType)
    return name in cls.bl_rna.functions


def _function(thing: Any, name: str) -> Callable[..., Any]:
    cls: Any = type(thing)
    if not issubclass(cls, _STRUCT):
        return _of_a_list(_kind(thing), name)
    return (_of_structs.__wrapped__ if dynamic_types.is_dynamic(cls) else _of_structs)(cls, name)


@cache
def _of_structs(cls: Any, name: str) -> Callable[..., Any]:
    kind = cls.bl_rna.identifier
    if name == "temp_override":
        return with_blocks.overriding
    found = indices.from_pydata if name == "from_pydata" else sizes.function(kind, name)
    if name in freed.EVALUATING:
        return freed.evaluating(found, kind)
    if dynamic_types.changes_interface(cls, name):
        found = freed.interface(found)
    if name in hierarchies.METHODS:
        found = hierarchies.method(found)
    if name == "copy" and issubclass(cls, freed.WITH_ARRAYS):
        return freed.sharing(found, kind)
    return _kept(found, kind, name)


@cache
def _of_lists(name: str) -> Callable[..., Any]:
    """Blender's lists are of one type in Python, whatever they hold."""

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        return _of_a_list(_kind(thing), name)(thing, *args, **kwargs)

    return called


@cache
def _of_a_list(kind: str, name: str) -> Callable[..., Any]:
    found = sizes.function(kind, name)
    if name in freed.EVALUATING:
        return freed.evaluating(found, kind)
    if name in removals.MAKING:
        found = removals.making(found)
    if kind == "MeshPolygons" and name == "add":
        found = faces.adding(found)
    if name in hierarchies.METHODS:
        found = hierarchies.method(found)
    return _kept(found, kind, name)


def _kept(function: Callable[..., Any], kind: str, name: str) -> Callable[..., Any]:
    return freed.watched(function, kind) if freed.moves(kind, name) else freed.checked(function, kind)
