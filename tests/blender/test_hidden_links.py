# SPDX-License-Identifier: GPL-3.0-or-later
"""Links whose sockets a plan takes out of use, retypes or removes: artist and model are told what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import bpy
import pytest
from editing import gn_ops, put_on_plane
from geonode_assistant import api

Link = tuple[str, str]


def base() -> Any:
    """A tree that moves its geometry by what a Math node gives."""
    tree = bpy.data.node_groups.new("Artist", "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
        tree.nodes.new(f"NodeGroup{side.capitalize()}")
    for name, kind in (("Move", "GeometryNodeSetPosition"), ("Sum", "ShaderNodeMath"), ("Two", "ShaderNodeValue")):
        tree.nodes.new(kind).name = name
    for start, end in (("Group Input", "Move"), ("Move", "Group Output")):
        tree.links.new(tree.nodes[start].outputs[0], tree.nodes[end].inputs[0])
    tree.links.new(tree.nodes["Sum"].outputs[0], tree.nodes["Move"].inputs["Offset"])
    put_on_plane(tree)
    return tree


def usable(sockets: Any, name: str) -> Any:
    return next(one for one in sockets if one.enabled and one.name == name)


def switched(tree: Any) -> None:
    node = tree.nodes.new("GeometryNodeSwitch")
    node.name, node.input_type = "Pick", "FLOAT"
    tree.links.new(tree.nodes["Two"].outputs[0], usable(node.inputs, "True"))
    tree.links.new(usable(node.outputs, "Output"), tree.nodes["Sum"].inputs[0])


def captured(tree: Any) -> None:
    node = tree.nodes.new("GeometryNodeCaptureAttribute")
    node.name = "Keep"
    for kind, name in (("FLOAT", "A"), ("FLOAT", "B")):
        node.capture_items.new(kind, name)
    tree.links.new(tree.nodes["Two"].outputs[0], usable(node.inputs, "A"))
    tree.links.new(usable(node.outputs, "A"), tree.nodes["Sum"].inputs[0])


def repeated(tree: Any) -> None:
    begin, finish = (tree.nodes.new(f"GeometryNodeRepeat{side}") for side in ("Input", "Output"))
    begin.name, finish.name = "Begin", "Finish"
    begin.pair_with_output(finish)
    finish.repeat_items.new("FLOAT", "Size")
    tree.links.new(tree.nodes["Two"].outputs[0], usable(begin.inputs, "Size"))
    tree.links.new(usable(finish.outputs, "Size"), tree.nodes["Sum"].inputs[0])


def grouped(tree: Any) -> None:
    for name, kind in (("One", "NodeSocketFloat"), ("Other", "NodeSocketGeometry")):
        group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        if name == "Other":
            group.interface.new_socket("Panel", in_out="INPUT", socket_type=kind)
        else:
            group.interface.new_socket("Value", in_out="INPUT", socket_type=kind)
            group.interface.new_socket("Value", in_out="OUTPUT", socket_type=kind)
    node = tree.nodes.new("GeometryNodeGroup")
    node.name, node.node_tree = "Part", bpy.data.node_groups["One"]
    tree.links.new(tree.nodes["Two"].outputs[0], node.inputs[0])
    tree.links.new(node.outputs[0], tree.nodes["Sum"].inputs[0])


def items(node: str, collection: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"op": "set_items", "node_id": node, "collection": collection, "items": list(fields)}


def becomes(node: str, name: str, value: Any) -> dict[str, Any]:
    return {"op": "set_property", "node_id": node, "property": name, "value": value}


# What is built, the edit, the code that says it, and whether the links stay.
CASES: dict[str, tuple[Callable[[Any], None], dict[str, Any], str, bool]] = {
    "type of a switch": (switched, becomes("Pick", "input_type", "GEOMETRY"), "unavailable_socket", True),
    "type of an item": (
        captured,
        items("Keep", "capture_items", {"name": "A", "data_type": "FLOAT4X4"}, {"name": "B"}),
        "unavailable_socket",
        True,
    ),
    "item left out": (captured, items("Keep", "capture_items", {"name": "B"}), "link_dropped", False),
    "type of a zone's item": (
        repeated,
        items("Finish", "repeat_items", {"name": "Geometry"}, {"name": "Size", "socket_type": "OBJECT"}),
        "unavailable_socket",
        True,
    ),
    "another group": (grouped, becomes("Part", "node_tree", {"node_group": "Other"}), "link_dropped", False),
    "another node": (
        switched,
        {"op": "replace_node", "node_id": "Pick", "bl_idname": "GeometryNodeSetShadeSmooth"},
        "link_dropped",
        False,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_becomes_of_links_is_said_and_asked(
    case: tuple[Callable[[Any], None], dict[str, Any], str, bool],
) -> None:
    build, op, code, stays = case
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    tree = base()
    build(tree)
    bpy.context.view_layer.update()
    assert all(link.is_valid for link in tree.links)
    before = {(link.from_node.name, link.to_node.name) for link in tree.links}
    handle = api.start("edit", "Plane", "replay", replies=[json.dumps(gn_ops(op))], approve="ask")
    asked = ""
    while not handle.finished:
        handle.poll()
        for request_id, request in list(handle.pending.items()):
            asked += str(request["reason"])
            handle.approve(request_id)
        if not handle.finished:
            handle.wait(1)
    report = handle.report()
    assert report.status == "done", report.messages
    assert code in {m["code"] for m in report.messages}, report.messages
    assert "no longer reach the output" in asked or "cuts the links" in asked, asked
    after = {(link.from_node.name, link.to_node.name) for link in bpy.data.node_groups["Artist"].links}
    if stays:
        assert after == before
        assert not all(link.is_valid for link in tree.links)
    else:
        assert after < before
