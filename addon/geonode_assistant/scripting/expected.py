# SPDX-License-Identifier: GPL-3.0-or-later
"""What the node trees on objects would make, expected before Blender evaluates them: nothing stops it then.

Asked where a script makes Blender evaluate, and after its last line, for Blender evaluates next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from .. import native
from ..host import modifiers
from .errors import Guarded

ELEMENTS = 20_000_000
"""Of all kinds together that the trees on one object may make."""

_before: dict[str, Any] = {}
"""What was on the objects when the script began: the artist's own, which is judged only once the script changes it."""
_changed: set[str] = set()
"""Names of trees in which the script changed a value."""
_seen: dict[str, Any] = {}
_free: dict[str, Callable[[list[str]], dict[str, Any]]] = {}
"""``_estimates``, which may read the catalogue while a script runs."""


def begin() -> None:
    """Before the first line of a script."""
    if not _free:
        _free["estimates"] = native.core().alarm_free(_estimates)
    _seen.clear()
    _changed.clear()
    _before.clear()
    _before.update(_objects())


def changed(tree: Any) -> None:
    """A value of a node was changed: what was expected before no longer counts."""
    if isinstance(tree, bpy.types.GeometryNodeTree):
        _changed.add(tree.name)
        _seen.clear()


def check(*_args: Any, last: bool = False, **_kwargs: Any) -> None:
    """Raises, and hides the modifiers from Blender, when the trees on an object would make more than Blender bears.

    Between the lines of a script only what looks otherwise than at the check before is judged, after the ``last`` all.
    """
    wanted = _objects()
    used = {tree[0] for shape in wanted.values() for _, tree in shape}
    asked = []
    for name, shape in wanted.items():
        # A changed tree that no modifier has may stand in any of the others.
        touched = not _changed <= used or any(tree[0] in _changed for _, tree in shape)
        if (touched or _before.get(name) != shape) and (last or _seen.get(name) != shape):
            asked.append(name)
    if not asked:
        return
    found = _free.get("estimates", _estimates)(asked)
    for name in asked:
        elements = found.get(name, {}).get("elements", 0)
        if elements > ELEMENTS:
            for modifier in modifiers.with_trees()[name]:
                modifier.show_viewport = modifier.show_render = False
            raise Guarded(
                f"The node trees of {name!r} would make about {elements:,.0f} elements; they are switched off. "
                "Use smaller counts, levels and densities."
            )
        _seen[name] = wanted[name]


def _estimates(names: list[str]) -> dict[str, Any]:
    from ..host import catalogue, context

    return native.core().estimates(context.inspect(names, []), catalogue.path())


def _objects() -> dict[str, Any]:
    shown = modifiers.with_trees().items()
    return {name: [(one.name, _shape(one.node_group)) for one in found] for name, found in shown}


def _shape(tree: Any) -> tuple[Any, ...]:
    """What shows cheaply that a tree is another one than before."""
    return tree.name, len(tree.nodes), len(tree.links)
