# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole numbers of operators that multiply their work. Each one counts as such a number unless its name says that it
tells where, when or which: a new operator of Blender's is judged before anybody has looked at it.
"""

from __future__ import annotations

from typing import Any

import bmesh
import bpy

from . import sizes
from .errors import Guarded

WHERE_OR_WHICH = frozenset({
    "active_face_set", "active_object_index", "amount_end", "amount_start", "blend_in_out", "bone_index", "cursor",
    "delta", "distance", "drop_x", "drop_y", "duration", "edges", "frame", "frame_duration", "frame_range",
    "frame_target", "frames", "gap", "layer", "length", "limit", "link_operation_index", "material",
    "max_geodesic_move_preview", "mode", "mouse_x", "mouse_y", "mx", "my", "next_frame", "node_identifier", "nth",
    "number", "offset", "pole_count", "precision", "prev_frame", "radius", "random_seed", "seed", "sides", "skip",
    "static_island", "thickness", "threshold", "twist_offset", "value", "value_int", "weight", "weight_group", "x",
    "xend", "xmax", "xmin", "xstart", "y", "yend", "ymax", "ymin", "ystart",
})  # fmt: skip
"""Names of whole numbers that tell where, when or which; those that end in ``index``, ``uid`` or ``identifier`` do
as well.
"""
_FRAMES = frozenset({"frame_start", "frame_end", "start_frame", "end_frame", "step"})
"""Judged together: how many frames there are."""
LONGEST_BAKE = 20_000
"""The most frames that one operator may walk through."""
_PICTURE = frozenset({"width", "height"})
MADE_FROM_NOTHING = "_add"
"""What the names of operators end with whose numbers multiply nothing that is there; ``modules`` limits them."""
JOINED = 20_000
"""The most edges that a limited dissolve may take away: the time grows with their square (15 s for this many)."""


def counts(name: str) -> bool:
    """Whether a whole number of an operator's multiplies its work."""
    other = name in WHERE_OR_WHICH or name in _FRAMES or name in _PICTURE
    return not (other or name.endswith(("index", "uid", "identifier")))


def factor(operator: str, given: dict[str, Any]) -> float:
    """By how much the numbers that an operator is given multiply its work on each element; 1 if by nothing."""
    frames = [sizes.as_number(given[name]) for name in _FRAMES - {"step"} if name in given]
    if len(frames) > 1 and max(frames) - min(frames) > LONGEST_BAKE * max(sizes.as_number(given.get("step", 1)), 1):
        raise Guarded(f"bpy.ops.{operator} over so many frames would freeze Blender; use at most {LONGEST_BAKE:,}.")
    if not _PICTURE.isdisjoint(given):
        sizes.picture(given.get("width", 1024), given.get("height", 1024))
    if operator.endswith(MADE_FROM_NOTHING):
        return 1
    found = 1.0
    for name, value in given.items():
        if type(value) is not float and counts(name):
            found *= max(sizes.as_number(value) / 2, 1)
    return found


def check_dissolve(operator: str, given: dict[str, Any]) -> None:
    """Raises if a limited dissolve, an operator or a function of ``bmesh.ops``, would join too many faces."""
    angle = sizes.as_number(given.get("angle_limit", 0.0873))
    joined = 0
    for edges in [given["edges"]] if "edges" in given else _selected_edges():
        if isinstance(edges, list | tuple | set | bmesh.types.BMEdgeSeq) and len(edges) > JOINED:
            joined += sum(edge.calc_face_angle(4.0) <= angle for edge in edges)
    if joined > JOINED:
        raise Guarded(
            f"{operator}() would take away about {joined:,} edges, which would freeze Blender; "
            f"dissolve at most {JOINED:,} at once."
        )


def edited() -> list[bmesh.types.BMesh]:
    """The meshes in Edit Mode."""
    data = [one.data for one in bpy.context.objects_in_mode or ()]
    return [bmesh.from_edit_mesh(one) for one in data if isinstance(one, bpy.types.Mesh)]


def _selected_edges() -> list[list[Any]]:
    return [[edge for edge in mesh.edges if edge.select] for mesh in edited()]
