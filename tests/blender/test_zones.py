# SPDX-License-Identifier: GPL-3.0-or-later
"""Zones of the artist's are edited and removed by the ID of either end; nothing else changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from editing import edit, gn_ops, load, put_on_plane, shipped_names
from geonode_assistant.host import identity, rna

FULL = bool(os.environ.get("GEONODE_FULL"))
EVERY = 9
NEW = {"name": "Fresh Value", "socket_type": "NodeSocketFloat"}


def zones(tree: Any) -> list[tuple[Any, Any]]:
    """The zones of the tree as (input node, output node)."""
    pairs = [(node, rna.paired_output(node)) for node in tree.nodes]
    return [(start, end) for start, end in pairs if end is not None]


def with_zones() -> Iterator[tuple[str, int, Any]]:
    """Shipped trees with the number of one of their zones; a few of them unless ``GEONODE_FULL=1`` is set."""
    count = 0
    for path, name in list(shipped_names()):
        tree = load(path, name)
        for number in range(len(zones(tree)) if tree is not None else 0):
            count += 1
            if FULL or count % EVERY == 0:
                tree = load(path, name)
                pass_geometry(tree)
                yield name, number, tree


def pass_geometry(tree: Any) -> None:
    """Makes a tree that gives something else fit for a modifier: it gives the modifier's geometry back as well."""
    outputs = [i for i in tree.interface.items_tree if i.item_type == "SOCKET" and i.in_out == "OUTPUT"]
    if outputs and outputs[0].socket_type == "NodeSocketGeometry":
        return
    ends = []
    for side in ("INPUT", "OUTPUT"):
        item = tree.interface.new_socket("Passed", in_out=side, socket_type="NodeSocketGeometry")
        tree.interface.move(item, 0)
        ends.append(item.identifier)
    begin = tree.nodes.new("NodeGroupInput")
    end = next(n for n in tree.nodes if n.bl_idname == "NodeGroupOutput" and n.is_active_output)
    source = next(s for s in begin.outputs if s.identifier == ends[0])
    tree.links.new(source, next(s for s in end.inputs if s.identifier == ends[1]))


def through(tree: Any, start: Any, end: Any) -> list[dict[str, Any]]:
    """Links that lead past the zone what went through it."""
    ids = {node.name: node_id for node_id, node in identity.index(tree).items()}
    sources = {socket.name: socket.links[0] for socket in start.inputs if socket.is_linked}
    ops = []
    for socket in end.outputs:
        link = sources.get(socket.name)
        for target in socket.links if link is not None else ():
            ops.append(
                {
                    "op": "link",
                    "from_node": ids[link.from_node.name],
                    "from_socket": link.from_socket.identifier,
                    "to_node": ids[target.to_node.name],
                    "to_socket": target.to_socket.identifier,
                }
            )
    return ops


@pytest.mark.skipif(bpy.app.version < (5, 2), reason="earlier versions ship few zones")
@pytest.mark.parametrize("what", ["add", "remove item", "both", "remove"])
def test_zones_of_shipped_trees(what: str) -> None:
    done, failed = 0, []
    for name, number, tree in with_zones():
        start, end = zones(tree)[number]
        ids = {node.name: node_id for node_id, node in identity.index(tree).items()}
        put_on_plane(tree)
        items = next(list(getattr(end, path)) for path in LISTS if hasattr(end, path))
        either = ids[(start if number % 2 else end).name]
        change = {"op": "edit_zone", "id": either}
        if what in ("add", "both"):
            change["add_items"] = [NEW]
        if what in ("remove item", "both"):
            if not items:
                continue
            change["remove_items"] = [items[-1].name]
        ops = [change] if what != "remove" else [*through(tree, start, end), {"op": "remove_zone", "id": either}]
        named = {tree.name: {start.name, end.name}}
        why = edit(gn_ops(*ops), named)
        done += 1
        failed += [(name, number, why)] if why else []
    assert not failed, (len(failed), done, failed)
    assert done >= (8 if FULL else 2)


LISTS = ("repeat_items", "state_items", "generation_items", "output_items")


def artists_zone(kind: str) -> Any:
    """A tree of the artist's whose geometry flows through a zone with a linked item `Height`."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    tree = bpy.data.node_groups.new("Artist", "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    begin, last = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    start, end = (tree.nodes.new(f"GeometryNode{kind}{side}") for side in ("Input", "Output"))
    rna.pair(start, end)
    list_of = next(getattr(end, path) for path in LISTS if hasattr(end, path))
    list_of.new("FLOAT", "Height")
    math = tree.nodes.new("ShaderNodeMath")
    math.name = "Beside"
    for source, target in (
        (begin.outputs["Geometry"], start.inputs["Geometry"]),
        (start.outputs.get("Geometry") or start.outputs["Element"], end.inputs["Geometry"]),
        (math.outputs[0], end.inputs["Height"]),
        (end.outputs["Geometry"], last.inputs["Geometry"]),
    ):
        tree.links.new(source, target)
    put_on_plane(tree)
    return tree


KINDS = ["Repeat", "Simulation", "ForeachGeometryElement"][: 2 if bpy.app.version < (4, 3) else 3]


@pytest.mark.parametrize("either", ["Input", "Output"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_zone_of_the_artists(kind: str, either: str) -> None:
    tree = artists_zone(kind)
    start, end = zones(tree)[0]
    ends = {start.name, end.name}
    zone = start.name if either == "Input" else end.name
    change = {"op": "edit_zone", "id": zone, "add_items": [NEW], "remove_items": ["Height"]}
    new = {"op": "add_node", "id": "new", "bl_idname": "ShaderNodeMath"}
    link = {"op": "link", "from_node": "new", "from_socket": "Value", "to_node": end.name, "to_socket": "Fresh Value"}
    assert edit(gn_ops(change, new, link), {"Artist": ends}) is None
    tree = bpy.data.node_groups["Artist"]
    start, end = zones(tree)[0]
    assert [s.name for s in end.inputs if s.is_linked] == ["Geometry", "Fresh Value"]
    past = {
        "op": "link",
        "from_node": "group_input",
        "from_socket": "Geometry",
        "to_node": "group_output",
        "to_socket": "Geometry",
    }
    assert edit(gn_ops({"op": "remove_zone", "id": zone}, past), {"Artist": ends}) is None
    assert zones(bpy.data.node_groups["Artist"]) == []


@pytest.mark.skipif(bpy.app.version < (4, 3), reason="Blender 4.2 has no for-each zones")
def test_items_of_equal_names_are_told_apart() -> None:
    tree = artists_zone("Repeat")
    items = [
        {"name": "Geometry", "socket_type": "NodeSocketGeometry"},
        {"name": "Size", "socket_type": "NodeSocketFloat"},
        {"name": "Size", "socket_type": "NodeSocketFloat", "part": "main"},
        {"name": "Size", "socket_type": "NodeSocketFloat", "part": "input"},
    ]

    def link(source: str, out: str, target: str, into: str) -> dict[str, Any]:
        return {"op": "link", "from_node": source, "from_socket": out, "to_node": target, "to_socket": into}

    plan = gn_ops(
        {"op": "add_zone", "id": "each", "kind": "for_each", "items": items},
        {"op": "add_node", "id": "join", "bl_idname": "GeometryNodeJoinGeometry"},
        {"op": "add_node", "id": "store", "bl_idname": "GeometryNodeStoreNamedAttribute"},
        link("group_input", "Geometry", "each.in", "Geometry"),
        link("Beside", "Value", "each.in", "Size"),
        link("each.in", "Element", "each.out", "generation.Geometry"),
        link("each.in", "Size", "each.out", "main.Size"),
        link("each.in", "Index", "each.out", "generation.Size"),
        link("each.out", "generation.Geometry", "join", "Geometry"),
        link("each.out", "Geometry", "store", "Geometry"),
        link("each.out", "main.Size", "store", "Value"),
        link("store", "Geometry", "join", "Geometry"),
        link("join", "Geometry", "group_output", "Geometry"),
    )
    assert edit(plan, {"Artist": {"Beside", "Group Input", "Group Output"}}) is None
    tree = bpy.data.node_groups["Artist"]
    each, found = tree.nodes["each.out"], {}
    for link_made in tree.links:
        for node, socket in ((link_made.from_node, link_made.from_socket), (link_made.to_node, link_made.to_socket)):
            if node == each:
                found[socket.is_output, socket.identifier.split("_")[0]] = socket.name
    assert found == {
        (False, "Generation"): "Size",
        (False, "Main"): "Size",
        (True, "Generation"): "Geometry",
        (True, "Geometry"): "Geometry",
        (True, "Main"): "Size",
    }
    again = {"op": "edit_zone", "id": "each.in", "part": "main", "remove_items": ["Size"]}
    assert edit(gn_ops(again), {"Artist": {"each.in", "each.out"}}) is None
    each = bpy.data.node_groups["Artist"].nodes["each.out"]
    assert ([i.name for i in each.main_items], [i.name for i in each.generation_items]) == ([], ["Geometry", "Size"])


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="closures exist from 5.0 on")
def test_a_closure_is_made_like_other_zones() -> None:
    artists_zone("Repeat")
    items = [
        {"name": "Value", "socket_type": "NodeSocketFloat", "part": "input"},
        {"name": "Value", "socket_type": "NodeSocketFloat"},
    ]
    ops = [
        {"op": "add_zone", "id": "twice", "kind": "closure", "items": items},
        {"op": "add_node", "id": "double", "bl_idname": "ShaderNodeMath", "properties": {"operation": "MULTIPLY"}},
        {"op": "add_node", "id": "call", "bl_idname": "NodeEvaluateClosure"},
        {"op": "set_items", "node_id": "call", "collection": "input_items", "items": [value()]},
        {"op": "set_items", "node_id": "call", "collection": "output_items", "items": [value()]},
        {"op": "set_input", "node_id": "double", "socket_identifier": "Value_001", "value": 2.0},
    ]
    ends = [
        ("twice.in", "Value", "double", "Value"),
        ("double", "Value", "twice.out", "Value"),
        ("twice.out", "Closure", "call", "Closure"),
        ("call", "Value", "Repeat Output", "Height"),
    ]
    names = ("from_node", "from_socket", "to_node", "to_socket")
    links = [{"op": "link", **dict(zip(names, end, strict=True))} for end in ends]
    assert edit(gn_ops(*ops, *links), {"Artist": {"Repeat Output", "Beside"}}) is None
    tree = bpy.data.node_groups["Artist"]
    assert all(link.is_valid for link in tree.links) and len(tree.links) == 7
    change = {"op": "edit_zone", "id": "twice.out", "part": "input", "add_items": [NEW]}
    assert edit(gn_ops(change), {"Artist": {"twice.in", "twice.out"}}) is None
    assert [s.name for s in bpy.data.node_groups["Artist"].nodes["twice.in"].outputs] == ["Value", "Fresh Value", ""]


def value() -> dict[str, str]:
    return {"name": "Value", "socket_type": "FLOAT"}
