# SPDX-License-Identifier: GPL-3.0-or-later
"""Coloured outlines around the nodes that the last prompt added, changed and removed, until they are accepted: drawn
over the Node Editor, never written into the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import bpy

from ..host import places
from ..run import session
from .canvas import Canvas
from .translation import say

if TYPE_CHECKING:
    from ..host.marks import Mark

COLOURS = {"added": (0.25, 0.8, 0.35, 1.0), "changed": (0.95, 0.7, 0.15, 1.0), "removed": (0.9, 0.25, 0.25, 1.0)}
COUNTED = {"added": "{count} added", "changed": "{count} changed", "removed": "{count} removed"}
# Space between a node and its outline, and the width of the line, at interface scale 1.
GAP_PX, LINE_PX = 4.0, 2.5

Box = tuple[float, float, float, float]


def counted(marks: Iterable[Mark]) -> str:
    """How many nodes were added, changed and removed, in words."""
    kinds = [mark.kind for mark in marks]
    return ", ".join(say(COUNTED[kind], count=kinds.count(kind)) for kind in COLOURS if kind in kinds)


def boxes(tree: Any, marks: list[Mark], scale: float) -> Iterator[tuple[str, Box]]:
    """The outline of each marked node that is still there, and of each removed one: kind, left, top, right, bottom."""
    for mark in marks:
        if mark.box is not None:
            x, y, width, height = mark.box
            yield mark.kind, (x * scale, y * scale, (x + width) * scale, (y - height) * scale)
            continue
        node = tree.nodes.get(mark.name)
        if node is None:
            continue
        x, y = places.of(node)
        width, height = node.dimensions
        yield mark.kind, (x * scale, y * scale, x * scale + width, y * scale - height)


def _draw() -> None:
    space: Any = bpy.context.space_data
    tree = getattr(space, "edit_tree", None)
    if tree is None:
        return
    marks = session.current.marks(tree)
    region: Any = bpy.context.region
    if not marks or region is None:
        return
    import gpu
    from gpu_extras.batch import batch_for_shader

    preferences: Any = bpy.context.preferences
    scale = preferences.system.ui_scale
    lines: dict[str, list[tuple[float, float]]] = {}
    for kind, (left, top, right, bottom) in boxes(tree, marks, scale):
        gap = GAP_PX * scale
        corners = [
            (left - gap, top + gap),
            (right + gap, top + gap),
            (right + gap, bottom - gap),
            (left - gap, bottom - gap),
        ]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            lines.setdefault(kind, []).extend((a, b))
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("viewportSize", (region.width, region.height))
    shader.uniform_float("lineWidth", LINE_PX * scale)
    gpu.state.blend_set("ALPHA")
    for kind, points in lines.items():
        shader.uniform_float("color", COLOURS[kind])
        batch_for_shader(shader, "LINES", {"pos": [(*point, 0.0) for point in points]}).draw(shader)
    gpu.state.blend_set("NONE")


canvas = Canvas(_draw, "POST_VIEW")
