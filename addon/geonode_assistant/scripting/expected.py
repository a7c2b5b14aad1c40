# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates what the node trees on objects would make and take before Blender evaluates them: that cannot be stopped.

Checked where a script makes Blender evaluate, and after its last line, because Blender evaluates then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from .. import native
from ..host import modifiers
from . import loads
from .errors import Guarded

ELEMENTS = 20_000_000
"""The most elements of all kinds together that the trees on one object may make."""
SECONDS = 40.0
"""The most seconds that evaluating the trees on one object may take."""
BYTES = 4e9
"""The most memory that evaluating the trees on one object may take."""

_before: dict[str, Any] = {}
"""The trees on objects when the script began. They are the artist's, and are only checked once the script
changes them.
"""
_changed: set[str] = set()
"""Names of trees in which the script changed a value."""
_seen: dict[str, Any] = {}
_free: dict[str, Callable[[list[str]], dict[str, Any]]] = {}
"""``_estimates``, which may read the catalogue while a script runs."""


def prepare() -> None:
    """Called before a script: a Blender without a shipped catalogue gets one now, not while the script runs."""
    from ..host import catalogue

    catalogue.path()


def begin() -> None:
    """Called before the first line of a script."""
    if not _free:
        _free["estimates"] = native.core().alarm_free(_estimates)
    loads.begin()
    _seen.clear()
    _changed.clear()
    _before.clear()
    _before.update(_objects())


def end() -> None:
    """Called after a script. A native function that is left when Python ends would wait for it forever."""
    _free.clear()


def changed(tree: Any) -> None:
    """Called when a value of a node was changed: earlier estimates are no longer valid."""
    if isinstance(tree, bpy.types.GeometryNodeTree):
        _changed.add(tree.name)
        _seen.clear()


def check(*_args: Any, last: bool = False, **_kwargs: Any) -> None:
    """Raises, and disables the modifiers, if the trees on an object would make or take more than Blender can handle.

    During a script only trees that seem changed since the previous check are estimated; after its ``last`` line all.
    """
    loads.check()
    wanted = _objects()
    used = {tree[0] for shape in wanted.values() for _, tree in shape}
    asked = []
    for name, shape in wanted.items():
        # A changed tree that no modifier uses may be nested in any of the others.
        touched = not _changed <= used or any(tree[0] in _changed for _, tree in shape)
        if (touched or _before.get(name) != shape) and (last or _seen.get(name) != shape):
            asked.append(name)
    if not asked:
        return
    found = _free.get("estimates", _estimates)(asked)
    for name in asked:
        one = found.get(name, {})
        elements, seconds, held = (one.get(key, 0) for key in ("elements", "seconds", "bytes"))
        if elements > ELEMENTS or seconds > SECONDS or held > BYTES:
            for modifier in modifiers.with_trees()[name]:
                modifier.show_viewport = modifier.show_render = False
            made = (
                f"make about {elements:,.0f} elements"
                if elements > ELEMENTS
                else f"take about {seconds:,.0f} seconds and {held / 1e9:,.1f} GB"
            )
            raise Guarded(
                f"The node trees of {name!r} would {made}; they are switched off. "
                "Use smaller counts, levels, densities and iterations."
            )
        _seen[name] = wanted[name]


def _estimates(names: list[str]) -> dict[str, Any]:
    from ..host import catalogue, context

    return native.core().estimates(context.inspect(names, []), catalogue.path())


def _objects() -> dict[str, Any]:
    shown = modifiers.with_trees().items()
    return {name: [(one.name, _shape(one.node_group)) for one in found] for name, found in shown}


def _shape(tree: Any) -> tuple[Any, ...]:
    """A cheap summary of a tree, to notice that it was changed."""
    return tree.name, len(tree.nodes), len(tree.links)
