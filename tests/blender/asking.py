# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan that needs approval, and a helper that waits until its run asks."""

from __future__ import annotations

from typing import Any

from geonode_assistant.run.driver import RunHandle

OPS = "/steps/0/payload/operations"
HIGHER = f"{OPS}/3"
"""The operation of ``lift`` that says how high."""


def lift(height: float = 2.0, **step: Any) -> dict[str, Any]:
    """A plan that moves the plane up and needs approval."""

    def end(node: str) -> dict[str, str]:
        return {"node_id": node, "socket": "Geometry"}

    operations = [
        {"op": "set_group_io", "direction": "input", "name": "Geometry", "socket_type": "NodeSocketGeometry"},
        {"op": "set_group_io", "direction": "output", "name": "Geometry", "socket_type": "NodeSocketGeometry"},
        {"op": "create_node", "node_id": "move", "bl_idname": "GeometryNodeTransform"},
        {"op": "set_input_default", "node_id": "move", "socket": "Translation", "value": [0, 0, height]},
        {"op": "link", "from": end("group_input"), "to": end("move")},
        {"op": "link", "from": end("move"), "to": end("group_output")},
    ]
    target = {"object_name": "Plane", "modifier_name": "Lift", "node_group_name": "Lift"}
    one = {"id": "lift", "type": "NODE_TREE", "description": "Lift the plane", "requires_approval": True}
    one["payload"] = {"target": target, "operations": operations}
    return {"version": "1.1", "steps": [{**one, **step}], "done": True, "final_message": "Lifted."}


def raised(height: float, **step: Any) -> dict[str, Any]:
    """A plan that edits the tree of ``lift``: it makes nothing, so it lands there."""
    plan = lift(height, **step)
    payload = plan["steps"][0]["payload"]
    scale = {"op": "set_input_default", "node_id": "move", "socket": "Scale", "value": [2, 2, 2]}
    payload["operations"] = [payload["operations"][3], scale]
    return plan


def wait(handle: RunHandle) -> str:
    """Polls until the run asks; returns the ID of its request."""
    while not handle.pending and not handle.finished:
        handle.poll()
        handle.wait(50)
    [request_id] = handle.pending
    return request_id
