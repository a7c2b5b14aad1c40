# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of the open file that a run could change, as data to compare, and plans for tests."""

from __future__ import annotations

from typing import Any

import bpy
from geonode_assistant.cli import e2e
from geonode_assistant.host import export, snapshots

GEOMETRY = "NodeSocketGeometry"


def everything() -> dict[str, Any]:
    """All data-blocks by kind with their users, all trees, all objects with their modifiers and inputs."""
    blocks = {}
    for prop in bpy.data.bl_rna.properties:
        if prop.type == "COLLECTION" and prop.identifier not in ("window_managers", "screens", "workspaces"):
            found = [b for b in getattr(bpy.data, prop.identifier) if isinstance(b, bpy.types.ID) and not _is_brush(b)]
            # User counts of deleted data-blocks stay until the file is saved, so names are compared.
            blocks[prop.identifier] = [block.name for block in found]
    return {
        "blocks": blocks,
        "trees": {tree.name: export.export_one(tree)[0] for tree in bpy.data.node_groups},
        "tree_users": {tree.name: tree.users for tree in bpy.data.node_groups},
        "objects": {obj.name: snapshots.object_state(obj) for obj in bpy.data.objects},
        "selected": [obj.name for obj in bpy.data.objects if obj.select_get()],
    }


def _is_brush(block: bpy.types.ID) -> bool:
    """Whether Blender loads it by itself when an undo step brings back a tool: a brush of its own, or their file."""
    library = block if isinstance(block, bpy.types.Library) else block.library
    return library is not None and bpy.path.basename(library.filepath).startswith("essentials_brushes")


def fresh_scene() -> None:
    """Makes a plane, a cube, and a tree of the artist's on the cube."""
    objects = [{"name": "Plane", "primitive": "plane", "size": 10}, {"name": "Cube", "primitive": "cube", "size": 1}]
    e2e.build_start({"objects": objects}, None)
    tree = bpy.data.node_groups.new("Artist", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type=GEOMETRY)
    ends = [tree.nodes.new(f"NodeGroup{side}") for side in ("Input", "Output")]
    tree.links.new(ends[0].outputs[0], ends[1].inputs[0])
    bpy.data.objects["Cube"].modifiers.new("Artist", "NODES").node_group = tree
    bpy.context.view_layer.update()


def plan(*operations: dict[str, Any], done: bool = True, step: dict[str, Any] | None = None) -> dict[str, Any]:
    """A plan with one step on the tree "Lift" of the modifier "Lift" of the plane."""
    target = {"object_name": "Plane", "modifier_name": "Lift", "node_group_name": "Lift"}
    payload = {"target": target, "operations": list(operations)}
    first = {"id": "lift", "type": "NODE_TREE", "description": "Move everything up", "payload": payload}
    return {"version": "1.1", "steps": [first | (step or {})], "done": done, "final_message": "Lifted."}


def end(node_id: str, name: str = "Geometry") -> dict[str, str]:
    """One end of a link."""
    return {"node_id": node_id, "socket": name}


def lift(height: float = 2.0, node: str = "GeometryNodeTransform") -> list[dict[str, Any]]:
    """The operations of a tree that moves its geometry up."""
    sockets = [
        {"op": "set_group_io", "direction": side, "name": "Geometry", "socket_type": GEOMETRY}
        for side in ("input", "output")
    ]
    return [
        *sockets,
        {"op": "create_node", "node_id": "up", "bl_idname": node},
        {"op": "set_input_default", "node_id": "up", "socket": "Translation", "value": [0, 0, height]},
        {"op": "link", "from": end("group_input"), "to": end("up")},
        {"op": "link", "from": end("up"), "to": end("group_output")},
    ]


def empty() -> list[dict[str, Any]]:
    """The operations of a tree that deletes its geometry, so that the result fails the gate ``NOT_EMPTY``."""
    return [
        *lift()[:2],
        {"op": "create_node", "node_id": "up", "bl_idname": "GeometryNodeDeleteGeometry"},
        {"op": "link", "from": end("group_input"), "to": end("up")},
        {"op": "link", "from": end("up"), "to": end("group_output")},
    ]
