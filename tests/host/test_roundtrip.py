# SPDX-License-Identifier: GPL-3.0-or-later
"""export(build(export(tree))) equals export(tree) on everything that Blender ships."""

from __future__ import annotations

import json
from typing import Any

import bpy
import pytest
from comparing import differences, rename, strip_suffix, without_identifiers
from geonode_assistant.host.build import build_tree
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.export import export_tree
from shipped import shipped_trees

# Trees that this Blender ships. All must come back equal. With identifiers as well: those whose identifiers Blender
# can still
# make, all but `Input_3` and the like, from before 4.0.
SHIPPED = {(5, 2): 122, (4, 5): 28}
LEGACY = ("Input_", "Output_")


def legacy(bundle: dict[str, Any]) -> bool:
    return any(item["identifier"].startswith(LEGACY) for tree in bundle["trees"].values() for item in tree["interface"])


def rebuild(bundle: dict[str, Any], known: set[str]) -> dict[str, Any]:
    new = build_tree(bundle, "Rebuilt")
    again = json.loads(json.dumps(export_tree(new)))
    back = {name: strip_suffix(name) for name in again["trees"] if name not in known} | {new.name: bundle["root"]}
    return rename(again, back)


@pytest.mark.skipif(bpy.app.version[:2] not in SHIPPED, reason="only counted where Blender ships many trees")
def test_shipped_trees_are_rebuilt_equal() -> None:
    total = equal = strict = possible = 0
    first: list[Any] = []
    for tree in shipped_trees():
        known = {group.name for group in bpy.data.node_groups}
        bundle = json.loads(json.dumps(export_tree(tree)))
        again = rebuild(bundle, known)
        total += 1
        possible += not legacy(bundle)
        found = list(differences(without_identifiers(bundle), without_identifiers(again)))
        exact = not list(differences(bundle, again))
        equal += not found
        strict += exact
        if found or (not exact and not legacy(bundle)):
            first.append((tree.name, (found or list(differences(bundle, again)))[:3]))
        for group in [g for g in bpy.data.node_groups if g.name not in known]:
            bpy.data.node_groups.remove(group)
    print(f"\n{equal} of {total} shipped trees equal, {strict} with identifiers ({possible} can be)")
    assert total == SHIPPED[bpy.app.version[:2]]
    assert (equal, strict, first) == (total, possible, [])


def test_export_is_deterministic_and_leaves_no_trace(empty: None) -> None:
    tree = bpy.data.node_groups.new("T", "GeometryNodeTree")
    for kind in ("GeometryNodeStringToCurves", "ShaderNodeFloatCurve", "ShaderNodeValToRGB"):
        tree.nodes.new(kind)
    before = [(block.id_type, block.name) for block in bpy.data.user_map()]
    first = json.dumps(export_tree(tree))
    assert json.dumps(export_tree(tree)) == first
    assert sorted((b.id_type, b.name) for b in bpy.data.user_map()) == sorted(before)


def curve_tree() -> Any:
    tree = bpy.data.node_groups.new("Own", "GeometryNodeTree")
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements.new(0.25).color = (1.0, 0.5, 0.0, 1.0)
    ramp.color_ramp.interpolation = "EASE"
    curve = tree.nodes.new("ShaderNodeFloatCurve")
    curve.mapping.curves[0].points.new(0.3, 0.8)
    curve.mapping.curves[0].points[1].handle_type = "VECTOR"
    curve.mapping.update()
    value = tree.nodes.new("ShaderNodeValue")
    value.outputs[0].default_value = 0.1
    return tree


def zone_tree() -> Any:
    """What Blender's own trees hardly have: for-each and simulation zones, muted links, menus, nested frames."""
    tree = bpy.data.node_groups.new("Own", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    kinds = ["Repeat", "Simulation"] + (["ForeachGeometryElement"] if bpy.app.version >= (4, 3) else [])
    last = start.outputs[0]
    for kind in kinds:
        first, second = tree.nodes.new(f"GeometryNode{kind}Input"), tree.nodes.new(f"GeometryNode{kind}Output")
        first.pair_with_output(second)
        if kind == "Repeat":
            second.repeat_items.remove(second.repeat_items.new("FLOAT", "Gap"))
            second.repeat_items.new("VECTOR", "Direction")
            second.repeat_items.move(1, 0)
        elif kind == "Simulation":
            second.state_items.new("INT", "Age")
        else:
            second.input_items.new("FLOAT", "Weight")
            second.generation_items.new("FLOAT", "Height")
            second.main_items.new("INT", "Count")
        tree.interface_update(bpy.context)
        into = next(s for s in first.inputs if s.type == "GEOMETRY")
        tree.links.new(into, last)
        inner = next(s for s in first.outputs if s.type == "GEOMETRY")
        tree.links.new(next(s for s in second.inputs if s.type == "GEOMETRY"), inner)
        last = next(s for s in second.outputs if s.type == "GEOMETRY")
    tree.links.new(end.inputs[0], last).is_muted = True
    menu = tree.nodes.new("GeometryNodeMenuSwitch")
    menu.enum_items.new("Third")
    menu.enum_items.remove(menu.enum_items[0])
    tree.interface_update(bpy.context)
    menu.inputs[0].default_value = "Third"
    outer, frame = tree.nodes.new("NodeFrame"), tree.nodes.new("NodeFrame")
    frame.parent, menu.parent = outer, frame
    outer.location, menu.location = (100.5, -20.25), (33.3, 7.7)
    join = tree.nodes.new("GeometryNodeJoinGeometry")
    for source in (last, start.outputs[0]):
        tree.links.new(join.inputs[0], source)
    return tree


@pytest.mark.parametrize("make", [curve_tree, zone_tree])
def test_own_trees_are_rebuilt_equal(empty: None, make: Any) -> None:
    tree = make()
    bundle = json.loads(json.dumps(export_tree(tree)))
    again = rebuild(bundle, {tree.name})
    assert list(differences(bundle, again)) == []


def test_nested_groups_are_built_first_and_once(empty: None) -> None:
    inner = bpy.data.node_groups.new("Inner", "GeometryNodeTree")
    inner.interface.new_socket("Amount", in_out="INPUT", socket_type="NodeSocketFloat").default_value = 0.5
    outer = bpy.data.node_groups.new("Outer", "GeometryNodeTree")
    for value in (1.5, 2.5):
        node = outer.nodes.new("GeometryNodeGroup")
        node.node_tree = inner
        node.inputs[0].default_value = value
    bundle = json.loads(json.dumps(export_tree(outer)))
    assert sorted(bundle["trees"]) == ["Inner", "Outer"]
    new = build_tree(bundle, "Copy")
    assert {n.node_tree.name for n in new.nodes} == {"Inner.001"}
    assert [n.inputs[0].default_value for n in new.nodes] == [1.5, 2.5]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda b: b.update(ir=2), "invalid_document"),
        (lambda b: b.update(root="No"), "invalid_document"),
        (lambda b: b["trees"]["Own"]["nodes"][0].update(type="NoSuchNode"), "unknown_node_type"),
        (lambda b: b["trees"]["Own"]["nodes"][0].pop("location"), "invalid_document"),
        (lambda b: b["trees"]["Own"]["nodes"][0]["props"].update(nonsense=1), "unknown_property"),
        (lambda b: b["trees"]["Own"]["links"].append({"from": ["Nobody", "A"], "to": ["Nobody", "B"]}), "unknown_node"),
    ],
)
def test_a_bad_document_is_refused_and_adds_nothing(empty: None, change: Any, code: str) -> None:
    bundle = json.loads(json.dumps(export_tree(curve_tree())))
    change(bundle)
    before = [g.name for g in bpy.data.node_groups]
    with pytest.raises(HostError) as refused:
        build_tree(bundle, "New")
    assert refused.value.code == code
    assert [g.name for g in bpy.data.node_groups] == before
