# SPDX-License-Identifier: GPL-3.0-or-later
"""What the node trees on objects would make, expected before Blender evaluates them: nothing stops it then.

Asked where a script makes Blender evaluate, and after its last line, for Blender evaluates next.
"""

from __future__ import annotations

from typing import Any

import bpy

from .. import native
from .errors import Guarded

ELEMENTS = 20_000_000
"""Of all kinds together that the trees on one object may make."""

_seen: dict[str, Any] = {}


def changed() -> None:
    """A value of a node was changed: what was expected before no longer counts."""
    _seen.clear()


def check(*_args: Any, **_kwargs: Any) -> None:
    """Raises, and hides the modifiers from Blender, when the trees on an object would make more than Blender bears."""
    wanted = {}
    for obj in bpy.data.objects:
        trees = _trees(obj)
        if trees:
            wanted[obj.name] = [(modifier.name, _shape(modifier.node_group)) for modifier in trees]
    asked = [name for name, shape in wanted.items() if _seen.get(name) != shape]
    if not asked:
        return
    from ..host import catalogue, context

    found = native.core().estimates(context.inspect(asked, []), str(catalogue.catalogue_for_this_blender(_folder())))
    for name in asked:
        elements = found.get(name, {}).get("elements", 0)
        if elements > ELEMENTS:
            for modifier in _trees(bpy.data.objects[name]):
                modifier.show_viewport = modifier.show_render = False
            raise Guarded(
                f"The node trees of {name!r} would make about {elements:,.0f} elements; they are switched off. "
                "Use smaller counts, levels and densities."
            )
        _seen[name] = wanted[name]


def _folder() -> str:
    """Where the catalogue of a Blender is kept for which none is shipped."""
    return bpy.utils.user_resource("DATAFILES", path="geonode_assistant")


def _trees(obj: Any) -> list[Any]:
    return [one for one in obj.modifiers if one.type == "NODES" and one.node_group is not None and one.show_viewport]


def _shape(tree: Any) -> tuple[Any, ...]:
    """What shows cheaply that a tree is another one than before."""
    return tree.name, len(tree.nodes), len(tree.links)
