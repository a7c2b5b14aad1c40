# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan that works on nodes and then moves them into a group changes nothing when it is carried out again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from editing import gn_ops, put_on_plane, run
from whole_file import GEOMETRY, everything

NODES = ("One", "Two", "Three")


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    tree = bpy.data.node_groups.new("A", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type=GEOMETRY)
    begin, finish = (tree.nodes.new(f"NodeGroup{side}") for side in ("Input", "Output"))
    source = begin.outputs[0]
    for name in NODES:
        node = tree.nodes.new("GeometryNodeTransform")
        node.name = name
        tree.links.new(source, node.inputs[0])
        source = node.outputs[0]
    tree.links.new(source, finish.inputs[0])
    put_on_plane(tree)
    bpy.ops.ed.undo_push(message="Scene")
    yield


def link(source: str, target: str) -> dict[str, Any]:
    ends = {"from_node": source, "from_socket": "Geometry", "to_node": target, "to_socket": "Geometry"}
    return {"op": "link", **ends}


def frame(name: str, *inside: str) -> dict[str, Any]:
    return {"op": "add_frame", "id": name, "label": name, "node_ids": list(inside)}


def group(*inside: str, node: str = "g", name: str = "G") -> dict[str, Any]:
    return {"op": "group_nodes", "id": node, "node_group_name": name, "node_ids": list(inside)}


def made(node: str) -> list[dict[str, Any]]:
    add = {"op": "add_node", "id": node, "bl_idname": "GeometryNodeSetPosition"}
    return [add, link("Three", node), link(node, "group_output")]


ZONE = {"op": "add_zone", "id": "z", "kind": "repeat", "items": [{"name": "Geometry", "socket_type": GEOMETRY}]}
PLANS: dict[str, list[dict[str, Any]]] = {
    "made": [*made("n"), group("n")],
    "made and framed": [*made("n"), frame("f", "n"), group("n", "f", "Three")],
    "made with taken names": [*made("One"), group("One", node="Two", name="A")],
    "set": [*made("n"), {"op": "set_property", "node_id": "n", "property": "mute", "value": True}, group("n")],
    "zone": [ZONE, link("Three", "z.in"), link("z.in", "z.out"), link("z.out", "group_output"), group("z.in", "z.out")],
    "theirs": [frame("f", "One"), group("One", "Two")],
    "frame": [frame("f", "Two"), group("f", "Two")],
    "framed later": [group("Two"), frame("f", "g")],
    "frames in frames": [frame("f", "One"), frame("e", "f"), group("One", "f")],
}


@pytest.mark.parametrize("name", PLANS)
def test_the_same_plan_again_changes_nothing(name: str) -> None:
    plan = gn_ops(*PLANS[name])
    report = run(plan)
    assert report.ok, report.messages
    assert len(bpy.data.node_groups) == 2
    before = everything()
    report = run(plan)
    assert report.ok and everything() == before, report.messages
    said = [message["code"] for message in report.messages]
    assert ("left_unchanged" in said) == (name not in ("theirs", "framed later")), report.messages


def test_what_was_turned_in_the_group_stays() -> None:
    plan = gn_ops(
        *made("n"),
        {"op": "set_input", "node_id": "n", "socket_name": "Offset", "value": [0.0, 0.0, 1.0]},
        group("n"),
    )
    assert run(plan).ok
    node = next(n for n in bpy.data.node_groups["G"].nodes if n.name == "n")
    node.inputs["Offset"].default_value = (0.0, 0.0, 3.0)
    before = everything()
    assert run(plan).ok and everything() == before


def test_a_node_of_this_id_in_an_artists_group_is_another() -> None:
    inner = bpy.data.node_groups.new("G", "GeometryNodeTree")
    inner.nodes.new("GeometryNodeSetPosition").name = "n"
    tree = bpy.data.node_groups["A"]
    node = tree.nodes.new("GeometryNodeGroup")
    node.name, node.node_tree = "g", inner
    report = run(gn_ops(*made("n"), group("n")))
    assert "duplicate_id" in [message["code"] for message in report.messages], report.messages
