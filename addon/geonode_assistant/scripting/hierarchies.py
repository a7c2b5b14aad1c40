# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of Blender's data that are in each other: some of its methods put one into itself, and Blender then walks
without an end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import Guarded

METHODS = frozenset({"move_to_layer_group", "move_to_parent"})
"""Methods that move a part, the first argument, into another one, the second."""
_OUTER = ("parent_group", "parent")


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Such a method, as a function of the object, which raises where the part would get into itself."""

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        part, target, *_ = [*args, *kwargs.values(), None, None]
        if part is not None and any(one == part for one in _around(target)):
            raise Guarded("A group cannot be moved into itself, or into what is in it.")
        return function(thing, *args, **kwargs)

    return called


def _around(part: Any) -> list[Any]:
    """A part, and what it is in, the innermost first."""
    found: list[Any] = []
    while part is not None and part not in found:
        found.append(part)
        part = next((getattr(part, name) for name in _OUTER if hasattr(part, name)), None)
    return found
