# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of nodes: as a document has them, relative to the frame, and as an edit has them, absolute.

Up to Blender 4.2 a node holds its position relative to its frame, later its absolute one. Both are read and set as they
are held, so that a rebuilt tree has the same 32-bit numbers.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import bpy

from . import values

_ABSOLUTE = "location_absolute" in bpy.types.Node.bl_rna.properties
_HELD = "location_absolute" if _ABSOLUTE else "location"


def _held(nodes: Any) -> list[float]:
    flat = [0.0] * (2 * len(nodes))
    if flat:
        nodes.foreach_get(_HELD, flat)
    return flat


def read(nodes: Any, frames: Sequence[int | None]) -> list[float]:
    """The positions of all nodes relative to their frames, flat: the shortest decimals that lead back to what Blender
    holds. `frames` are the positions in the tree of the nodes' frames.
    """
    held = _held(nodes)
    bases = [0.0] * len(held)
    if _ABSOLUTE:
        for number, frame in enumerate(frames):
            if frame is not None:
                bases[2 * number : 2 * number + 2] = held[2 * frame : 2 * frame + 2]
    try:
        # Most positions have few decimals; an array converts all of them at once.
        short = [round(value - base, 2) for value, base in zip(held, bases, strict=True)]
        reached = array("f", [base + part for base, part in zip(bases, short, strict=True)])
    except (ValueError, OverflowError):  # positions that are not finite
        return [_offset(base, value) for base, value in zip(bases, held, strict=True)]
    for number, value in enumerate(held):
        if reached[number] != value:
            short[number] = _offset(bases[number], value)
    return short


def _offset(base: float, value: float) -> float:
    """The shortest decimal that, added to `base`, gives the 32-bit float `value`."""
    exact = value - base
    if not math.isfinite(exact):
        return values.shortest_float(value)
    for digits in range(2, 8):
        short = round(exact, digits)
        if values.float32(base + short) == value:
            return short
    return exact if base else values.shortest_float(value)


def absolute(location: Sequence[float], base: tuple[float, float]) -> tuple[float, float]:
    """The absolute position of a node from the one relative to its frame, which is at `base`; as `read` saw it."""
    x, y = base[0] + location[0], base[1] + location[1]
    values.check_finite("location", [x, y])
    return (values.float32(x), values.float32(y)) if _ABSOLUTE else (x, y)


def put(tree: Any, wanted: Mapping[str, tuple[float, float]]) -> None:
    """Moves nodes, by name, to absolute positions; the content of a frame moves with it. Sets all with one
    `foreach_set`, since the setter is slow.
    """
    nodes = tree.nodes
    names = nodes.keys()
    if _ABSOLUTE and wanted.keys() >= set(names):
        nodes.foreach_set(_HELD, [part for name in names for part in wanted[name]])
        return
    flat = _held(nodes)
    held = {node.name: (flat[2 * k], flat[2 * k + 1]) for k, node in enumerate(nodes)}
    parent = {node.name: node.parent.name for node in nodes if node.parent is not None}
    reached: dict[str, tuple[float, float]] = {}  # absolute

    def place(name: str) -> tuple[float, float]:
        chain = [name]
        while chain[-1] not in reached and chain[-1] not in wanted and chain[-1] in parent:
            chain.append(parent[chain[-1]])
        for step in reversed(chain):
            if step not in reached:
                reached[step] = wanted[step] if step in wanted else _carried(step, parent.get(step))
        return reached[name]

    def _carried(name: str, frame: str | None) -> tuple[float, float]:
        """Where a node is that only its frame moves."""
        x, y = held[name]
        if frame is None:
            return x, y
        now, before = reached[frame], held[frame] if _ABSOLUTE else (0.0, 0.0)
        return x + (now[0] - before[0]), y + (now[1] - before[1])

    for k, node in enumerate(nodes):
        name = node.name
        x, y = place(name)
        if _ABSOLUTE:
            flat[2 * k], flat[2 * k + 1] = x, y
        elif name in wanted:
            base = place(parent[name]) if name in parent else (0.0, 0.0)
            flat[2 * k], flat[2 * k + 1] = x - base[0], y - base[1]
    nodes.foreach_set(_HELD, flat)


def put_all(tree: Any, wanted: Sequence[Sequence[Any]], frames: Mapping[str, str]) -> None:
    """Moves all nodes, (ID, x, y) in the order of the tree, to absolute positions. `frames`: their frames, by ID."""
    if _ABSOLUTE or not frames:
        flat = [part for entry in wanted for part in entry[1:]]
    else:
        reached = {entry[0]: entry[1:] for entry in wanted}
        flat = []
        for node_id, x, y in wanted:
            base = reached[frames[node_id]] if node_id in frames else (0.0, 0.0)
            flat += (x - base[0], y - base[1])
    if flat:
        tree.nodes.foreach_set(_HELD, flat)


def of(node: Any) -> tuple[float, float]:
    """The absolute position of a node."""
    if hasattr(node, "location_absolute"):
        return tuple(node.location_absolute)
    x, y = node.location
    while node.parent is not None:
        node = node.parent
        x, y = x + node.location.x, y + node.location.y
    return x, y
