# SPDX-License-Identifier: GPL-3.0-or-later
"""What clients can read without calling a tool, and the prompts that they offer to people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import native

_SKILL = Path(__file__).with_name("SKILL.md")


_TREES = {"tool": "scene_summary", "list": "node_groups", "field": "name"}
# Where the values of arguments come from while a person types one.
_CHOICES: dict[str, dict[str, str]] = {
    "tree": _TREES,
    "node_group_name": _TREES,
    "object_name": {"tool": "scene_summary", "list": "objects", "field": "name"},
    "preset": {"tool": "list_presets", "list": "presets", "field": "title"},
    "bl_idname": {"tool": "search_nodes", "query": "query", "list": "nodes", "field": "call"},
}


def skill() -> str:
    """The page for agents: how trees are written, and how this server is used."""
    return _SKILL.read_text("utf-8")


def library() -> dict[str, Any]:
    """Pages and prompts."""
    page, data = "text/markdown", "application/json"
    plan = json.dumps(native.core().schema("plan"))
    pages = [
        {
            "uri": "geonode://skill",
            "name": "How to use this server",
            "description": "One page for agents: tree text, and the way from a wish to a result.",
            "kind": page,
            "text": skill(),
        },
        {
            "uri": "geonode://guide",
            "name": "How a plan is written",
            "description": "The form of a plan and of tree text, with an example.",
            "kind": page,
            "tool": "how_to_plan",
            "field": "guide",
        },
        {
            "uri": "geonode://protocol",
            "name": "The protocol of plans",
            "description": "The JSON Schema of a plan.",
            "kind": data,
            "text": plan,
        },
        {
            "uri": "geonode://presets",
            "name": "Presets",
            "description": "All presets by name.",
            "kind": data,
            "tool": "list_presets",
        },
        {
            "uri": "geonode://preset/",
            "name": "A preset",
            "description": "A preset with its parameters.",
            "kind": data,
            "tool": "list_presets",
            "argument": "preset",
        },
        {
            "uri": "geonode://scene",
            "name": "The scene",
            "description": "Objects, collections, materials and node groups as they are now.",
            "kind": data,
            "tool": "scene_summary",
        },
        {
            "uri": "geonode://node/",
            "name": "Documentation of a node",
            "description": "Properties and sockets of a node type, such as mesh_to_points.",
            "kind": data,
            "tool": "node_docs",
            "argument": "bl_idname",
        },
        {
            "uri": "geonode://tree/",
            "name": "A tree as text",
            "description": "The page of a Geometry Nodes tree.",
            "kind": "text/x-python",
            "tool": "tree_ir",
            "argument": "node_group_name",
            "field": "tree",
        },
        {
            "uri": "geonode://picture/",
            "name": "A picture of an object",
            "description": "A small picture of an object as evaluated.",
            "kind": "image/png",
            "tool": "picture",
            "argument": "object_name",
        },
    ]
    way = (
        "Use the Blender tools: look at the scene, search presets and nodes, read how_to_plan, check_plan until it is "
        "ok, then apply_plan. The artist approves in Blender."
    )
    sayings = [
        {
            "name": "make",
            "description": "Make something with Geometry Nodes",
            "arguments": [["wish", "What is to be made, such as “grass on the ground”"]],
            "text": f"In Blender, make this with Geometry Nodes: {{wish}}\n\n{way}",
        },
        {
            "name": "explain",
            "description": "Explain a tree",
            "arguments": [["tree", "Name of the node group"]],
            "pages": ["geonode://tree/{tree}"],
            "text": "This is the Geometry Nodes tree “{tree}”. Explain to an artist what it makes (explain_tree goes "
            "through its nodes), what its inputs do, and what could be simpler.",
        },
        {
            "name": "change",
            "description": "Change a tree",
            "arguments": [["tree", "Name of the node group"], ["wish", "What is to be different"]],
            "pages": ["geonode://tree/{tree}"],
            "text": f"This is the Geometry Nodes tree “{{tree}}” in Blender. Change it: {{wish}}\n\n{way}",
        },
    ]
    return {"pages": pages, "sayings": sayings, "choices": _CHOICES}
