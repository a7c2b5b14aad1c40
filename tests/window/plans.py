# SPDX-License-Identifier: GPL-3.0-or-later
"""The plans of the model in these tests."""

from __future__ import annotations

from typing import Any


def lift(*, ask: bool = False) -> dict[str, Any]:
    """A plan that moves the cube up with a new tree; with ``ask`` it needs approval."""

    def end(node: str) -> dict[str, str]:
        return {"node_id": node, "socket": "Geometry"}

    operations = [
        {"op": "set_group_io", "direction": "input", "name": "Geometry", "socket_type": "NodeSocketGeometry"},
        {"op": "set_group_io", "direction": "output", "name": "Geometry", "socket_type": "NodeSocketGeometry"},
        {"op": "create_node", "node_id": "move", "bl_idname": "GeometryNodeTransform"},
        {"op": "set_input_default", "node_id": "move", "socket": "Translation", "value": [0, 0, 2]},
        {"op": "link", "from": end("group_input"), "to": end("move")},
        {"op": "link", "from": end("move"), "to": end("group_output")},
    ]
    target = {"object_name": "Cube", "modifier_name": "Lift", "node_group_name": "Lift"}
    step = {"id": "lift", "type": "NODE_TREE", "description": "Lift the cube by two metres"}
    step["payload"] = {"target": target, "operations": operations}
    if ask:
        step["requires_approval"] = True
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "The cube is lifted."}
