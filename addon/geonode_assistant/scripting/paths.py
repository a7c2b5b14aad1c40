# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that a script names by a text: what it animates, drives or looks up by a path.

A key or a driver sets its property at any later frame, so a path is judged as setting that property would be: each
name in it must be one that a script may use, and the last one must not have a guard of its own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import bpy

from ..host import belongings, census
from . import policy
from .errors import Guarded

METHODS = frozenset({
    "driver_add", "keyframe_insert", "fcurve_ensure_for_datablock", "ensure", "key_insert", "new_from_fcurve",
    "path_resolve",
})  # fmt: skip
"""Methods that take a path, apart from those that are called ``new`` and ``add``."""
_LISTS = frozenset({
    "ActionFCurves", "ActionChannelbagFCurves", "ChannelBagFCurves", "AnimDataDrivers", "KeyingSetPaths",
})  # fmt: skip
"""Lists of Blender's to which something with a path is added."""
_PLACES = {"fcurve_ensure_for_datablock": 1, "key_insert": 1, "new_from_fcurve": 1, "add": 1}
"""Where the path stands among the arguments of a method, if it is not the first."""
_ONLY_SET = frozenset({"type", "fluid_type", "engine"})
"""Properties of which only some values are allowed, so that they can be set, but not animated."""
_TOKEN = re.compile(r"""\.?([A-Za-z]\w*)|\[(-?\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]""", re.ASCII)

_INPUT = re.compile(r"Socket_\d{1,4}", re.ASCII)
"""What the inputs of Geometry Nodes modifiers are called."""


class _Script:
    """What the script that runs has animated."""

    def __init__(self) -> None:
        self.bounded = False
        """Whether a property with a limit is among it."""


_script = _Script()


def begin() -> None:
    """Called before the first line of a script."""
    _script.bounded = False


def is_animated(kind: type) -> bool:
    """Whether objects of this type have a path that says what is animated."""
    return issubclass(kind, bpy.types.FCurve | bpy.types.KeyingSetPath)


def has_guard(kind: str, name: str) -> bool:
    """Whether a method of a list of Blender's takes a path."""
    return kind in _LISTS and name in ("new", "ensure", "add", "new_from_fcurve")


def place(name: str) -> int:
    """Where the path stands among the arguments of a method."""
    return _PLACES.get(name, 0)


def animating(found: Callable[..., Any], name: str, meant: Callable[[Any], Any]) -> Callable[..., Any]:
    """A method, as a function of the object, that animates the property of a path, after judging it as it is ``meant``
    in this Blender.
    """

    def judged(path: Any) -> Any:
        path = meant(path)
        check_animated(path)
        return path

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        at = place(name)
        args = (*args[:at], *map(judged, args[at : at + 1]), *args[at + 1 :])
        named = {key: judged(kwargs[key]) for key in ("data_path", "path") if key in kwargs}
        return found(thing, *args, **kwargs | named)

    called.__name__ = called.__qualname__ = name
    return called


def check_animated(path: Any) -> None:
    """Raises ``Guarded`` for a path that scripts may not animate."""
    if isinstance(path, str):  # Blender refuses anything else
        _script.bounded |= _is_bounded(str.__str__(path))


@functools.lru_cache(4096)
def _is_bounded(path: str) -> bool:
    """Whether the property of a path has a limit. Raises ``Guarded`` for a path that scripts may not animate."""
    names = [step for step in _steps(path) if isinstance(step, str)]
    allowed = policy.policy().attributes
    for name in names:
        if name not in allowed and not _INPUT.fullmatch(name):
            raise Guarded(f"The path {path!r} leads to {name!r}, which scripts may neither set nor animate.")
    if names and names[-1] in _ONLY_SET:
        raise Guarded(f"{names[-1]!r} ({path!r}) cannot be animated by a script; set it.")
    return bool(names) and names[-1] in policy.policy().bounds


def resolved(thing: Any, path: str, load: Callable[[Any, str], Any], item: Callable[[Any, Any], Any]) -> Any:
    """``thing.path_resolve(path)``, each step through the guards of the script."""
    found = thing
    try:
        for step in _steps(path):
            found = load(found, step) if isinstance(step, str) else item(found, step[0])
    except (AttributeError, LookupError) as error:
        raise ValueError(f"{type(thing).__name__}.path_resolve({path!r}) could not be resolved") from error
    return found


def check_values() -> None:
    """Raises ``Guarded`` if a property with a limit has a key beyond it and the script animated such a property.

    The curves are muted first: taking the script back evaluates the scene as well.
    """
    if not _script.bounded:
        return
    bounds = policy.policy().bounds
    found = None
    for curve in (one for action in census.every("actions") for one in belongings.curves(action)):
        name = curve.data_path.rpartition(".")[2].partition("[")[0]
        bound = bounds.get(name)
        if bound is not None and not curve.mute and any(point.co[1] > bound for point in curve.keyframe_points):
            curve.mute = True
            found = found or Guarded(f"A key of {curve.data_path!r} is above {bound}, which would freeze Blender.")
    if found is not None:
        raise found


def _steps(path: str) -> list[str | tuple[Any]]:
    """The names of a path, and its keys as tuples of one."""
    found: list[str | tuple[Any]] = []
    at = 0
    while at < len(path):
        token = _TOKEN.match(path, at)
        if token is None or (at == 0) == path.startswith(".", at) and token[1]:
            raise Guarded(f"The path {path!r} cannot be read; write it as in 'modifiers[\"Wave\"].height'.")
        name, number, *texts = token.groups()
        if name:
            found.append(name)
        else:
            key = next((text for text in texts if text is not None), "")
            found.append((int(number),) if number else (re.sub(r"\\(.)", r"\1", key),))
        at = token.end()
    return found
