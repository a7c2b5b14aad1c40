# SPDX-License-Identifier: GPL-3.0-or-later
"""Deltas for the tests."""

from __future__ import annotations

from typing import Any

GEOMETRY = "NodeSocketGeometry"


def socket(key: str, name: str, in_out: str, socket_type: str, **props: Any) -> dict[str, Any]:
    """An interface `add`."""
    return {
        "op": "add",
        "key": key,
        "kind": "socket",
        "name": name,
        "in_out": in_out,
        "socket_type": socket_type,
        "props": props,
    }


def through(tree: str = "Test", **more: Any) -> dict[str, Any]:
    """A new tree that passes its geometry through a Set Position node with the ID `move`."""
    return {
        "tree": tree,
        "create": True,
        "interface": [socket("@out", "Geometry", "OUTPUT", GEOMETRY), socket("@in", "Geometry", "INPUT", GEOMETRY)],
        "add": [
            {"id": "in", "type": "NodeGroupInput"},
            {"id": "out", "type": "NodeGroupOutput"},
            {"id": "move", "type": "GeometryNodeSetPosition", "label": "Move"},
        ],
        "values": [["move", "Offset", [0.0, 0.0, 1.0]]],
        "links": [["in", "@in", "move", "Geometry"], ["move", "Geometry", "out", "@out"]],
        "locations": [["in", -300.0, 0.0], ["move", 0.0, 0.0], ["out", 300.0, 0.0]],
    } | more


def on(obj: str, tree: str, name: str = "GeoNode") -> dict[str, Any]:
    """A delta entry that creates a modifier."""
    return {"object": obj, "name": name, "create": True, "node_group": tree}


def step(
    *trees: dict[str, Any], modifiers: list[dict[str, Any]] | None = None, inputs: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """A step's delta."""
    return {"step_id": "test", "trees": list(trees), "modifiers": modifiers or [], "modifier_inputs": inputs or []}
