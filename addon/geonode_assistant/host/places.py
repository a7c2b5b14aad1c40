# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of nodes: absolute ones become frame-relative ones and read back as given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import native

TOLERANCE = 2e-3  # below what an export shows


def put(tree: Any, wanted: Mapping[str, tuple[float, float]]) -> None:
    """Moves nodes, by name, to absolute positions; sets all with one `foreach_set`, since the setter is slow."""
    nodes = tree.nodes
    flat = [0.0] * (2 * len(nodes))
    nodes.foreach_get("location", flat)
    now = {node.name: (flat[2 * k], flat[2 * k + 1]) for k, node in enumerate(nodes)}
    parent = {node.name: node.parent.name for node in nodes if node.parent is not None}
    absolute: dict[str, tuple[float, float]] = {}

    def place(name: str) -> tuple[float, float]:
        chain = [name]
        while chain[-1] not in absolute and chain[-1] not in wanted and chain[-1] in parent:
            chain.append(parent[chain[-1]])
        for step in reversed(chain):
            if step in absolute:
                continue
            if step in wanted:
                absolute[step] = wanted[step]
            else:
                base = absolute.get(parent.get(step, ""), (0.0, 0.0))
                absolute[step] = (base[0] + now[step][0], base[1] + now[step][1])
        return absolute[name]

    for k, node in enumerate(nodes):
        if node.name in wanted:
            x, y = wanted[node.name]
            base = place(parent[node.name]) if node.name in parent else (0.0, 0.0)
            flat[2 * k], flat[2 * k + 1] = x - base[0], y - base[1]
    _settle(nodes, flat, parent)


def _settle(nodes: Any, target: list[float], parent: dict[str, str]) -> None:
    """Sets frame-relative positions so that they read back exactly as given.

    Blender stores absolute positions in 32 bits and moves a frame's content with the frame. So outer levels are set
    before inner ones, and the rounding error is added to the value that is set.
    """
    deepest = native.limits().nested
    depth = []
    for node in nodes:
        level, name = 0, node.name
        while name in parent and level < deepest:
            level, name = level + 1, parent[name]
        depth.append(level)
    setting = list(target)
    reached = [0.0] * len(target)
    for level in range(max(depth, default=0) + 1):
        for _ in range(4):
            nodes.foreach_set("location", setting)
            nodes.foreach_get("location", reached)
            wrong = [
                k for k in range(len(target)) if depth[k // 2] == level and abs(target[k] - reached[k]) > TOLERANCE
            ]
            if not wrong:
                break
            for k in wrong:
                setting[k] += target[k] - reached[k]
