# SPDX-License-Identifier: GPL-3.0-or-later
"""Items of the artist's nodes: entries of a Menu Switch, and those of zones, which show at both ends."""

from __future__ import annotations

from typing import Any

import bpy
import editing
import pytest
from editing import edit, gn_ops, put_on_plane
from geonode_assistant import api
from geonode_assistant.host import modifiers, rna

ENTRIES = ("Small", "Large", "Huge")
ALL = {"Group Input", "Group Output", "Choice", "Turn"}


@pytest.fixture
def artist() -> Any:
    """A tree of the artist's whose input chooses in a Menu Switch, on the plane with the last entry chosen."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    tree = new_tree()
    tree.interface.new_socket("Size", in_out="INPUT", socket_type="NodeSocketMenu")
    choice = tree.nodes.new("GeometryNodeMenuSwitch")
    choice.name, choice.data_type = "Choice", "VECTOR"
    choice.enum_items.clear()
    for name in ENTRIES:
        choice.enum_items.new(name)
    turn = tree.nodes.new("GeometryNodeTransform")
    turn.name = "Turn"
    start, end = tree.nodes["Group Input"], tree.nodes["Group Output"]
    tree.links.new(start.outputs["Size"], choice.inputs["Menu"])
    tree.links.new(choice.outputs["Output"], turn.inputs["Translation"])
    tree.links.new(start.outputs["Geometry"], turn.inputs["Geometry"])
    tree.links.new(turn.outputs["Geometry"], end.inputs["Geometry"])
    put_on_plane(tree)
    assert editing.run(gn_ops(choose("Huge"))).ok
    return tree


def new_tree() -> Any:
    tree = bpy.data.node_groups.new("Artist", "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
        tree.nodes.new(f"NodeGroup{side.capitalize()}")
    return tree


def choose(entry: str) -> dict[str, Any]:
    return {"op": "set_modifier_input", "name": "Size", "value": entry}


def entries(*names: str) -> dict[str, Any]:
    items = [{"name": name} for name in names]
    return {"op": "set_items", "node_id": "Choice", "collection": "enum_items", "items": items}


def chosen() -> Any:
    modifier = bpy.data.objects["Plane"].modifiers["Edited"]
    items = modifier.node_group.interface.items_tree
    identifier = next(item.identifier for item in items if item.name == "Size")
    return modifiers.read_inputs(modifier)[identifier]


def test_the_artist_is_asked_before_a_chosen_entry_goes(artist: Any) -> None:
    asked: list[str] = []

    def refuse(request: dict[str, Any]) -> str:
        asked.append(str(request))
        return "rejected"

    assert chosen() == "Huge"
    report = api.apply_plan(gn_ops(entries("Small", "Large")), approve=refuse)
    assert report.status == "cancelled" and "“Huge”" in asked[0], (report.messages, asked)
    assert chosen() == "Huge" and len(artist.nodes["Choice"].enum_items) == 3
    kept = api.apply_plan(gn_ops(entries("Tiny", "Small", "Huge")), approve=refuse)
    assert kept.ok and len(asked) == 1, (kept.messages, asked)
    assert chosen() == "Huge"


def test_entries_of_the_artists_own_are_chosen(artist: Any) -> None:
    checked = api.check_plan(gn_ops(choose("Hueg")))
    [finding] = [message for message in checked.messages if message["severity"] == "error"]
    assert finding["code"] == "invalid_enum" and finding["path"].endswith("/ops/0/value"), finding
    assert all(name in finding["message"] for name in ENTRIES), finding
    assert editing.run(gn_ops(entries(*ENTRIES, "New"), choose("New"))).ok
    assert chosen() == "New"
    artist.links.remove(artist.nodes["Choice"].inputs["Menu"].links[0])
    own = {"op": "set_input_default", "node_id": "Choice", "socket": "Menu", "value": "Large"}
    assert edit(of_tree(own), {"Artist": {"Choice"}}) is None
    assert bpy.data.node_groups["Artist"].nodes["Choice"].inputs["Menu"].default_value == "Large"


def of_tree(*operations: dict[str, Any]) -> dict[str, Any]:
    target = {"object_name": "Plane", "modifier_name": "Edited", "node_group_name": "Artist"}
    payload = {"target": target, "operations": list(operations)}
    step = {"id": "edit", "type": "NODE_TREE", "description": "Edit", "payload": payload}
    return {"version": "1.2", "steps": [step], "done": True, "final_message": ""}


def test_items_of_a_zone_change_at_both_ends() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    tree = new_tree()
    start, end = tree.nodes.new("GeometryNodeRepeatInput"), tree.nodes.new("GeometryNodeRepeatOutput")
    start.name, end.name = "In", "Out"
    assert rna.pair(start, end)
    end.repeat_items.new("FLOAT", "Twist")
    start.inputs["Twist"].default_value = 2.0
    tree.links.new(tree.nodes["Group Input"].outputs["Geometry"], start.inputs["Geometry"])
    tree.links.new(start.outputs["Geometry"], end.inputs["Geometry"])
    tree.links.new(start.outputs["Twist"], end.inputs["Twist"])
    tree.links.new(end.outputs["Geometry"], tree.nodes["Group Output"].inputs["Geometry"])
    put_on_plane(tree)
    names = (("Geometry", "GEOMETRY"), ("Twist", "FLOAT"), ("Turns", "INT"))
    for count in (3, 1):
        items = [{"name": name, "socket_type": kind} for name, kind in names[:count]]
        change = {"op": "set_items", "node_id": "Out", "collection": "repeat_items", "items": items}
        assert edit(of_tree(change), {"Artist": {"In", "Out"}}) is None
        nodes = bpy.data.node_groups["Artist"].nodes
        assert [item.name for item in nodes["Out"].repeat_items] == [name for name, _ in names[:count]]


def test_links_of_a_replaced_node_that_find_no_place_are_asked_about(artist: Any) -> None:
    nodes = artist.nodes
    math = nodes.new("ShaderNodeMath")
    math.name = "Sum"
    for name, place in (("One", 0), ("Two", 1)):
        value = nodes.new("ShaderNodeValue")
        value.name = name
        artist.links.new(value.outputs[0], math.inputs[place])
    artist.links.new(math.outputs[0], nodes["Turn"].inputs["Scale"])
    asked: list[str] = []

    def accept(request: dict[str, Any]) -> str:
        asked.append(str(request))
        return "approved"

    replace = {"op": "replace_node", "node_id": "Sum", "bl_idname": "ShaderNodeClamp"}
    report = api.apply_plan(gn_ops(replace), approve=accept)
    assert report.ok and "Two" in asked[0], (report.messages, asked)
    assert "link_dropped" in [message["code"] for message in report.messages]
    clamp = bpy.data.node_groups["Artist"].nodes["Sum"]
    assert [link.from_node.name for link in clamp.inputs["Value"].links] == ["One"]


def test_an_animated_input_is_told(artist: Any) -> None:
    plane = bpy.data.objects["Plane"]
    modifier = plane.modifiers["Edited"]
    count = artist.interface.new_socket("Count", in_out="INPUT", socket_type="NodeSocketInt").identifier
    newer = "properties" in modifier.bl_rna.properties
    path = f".properties.inputs.{count}.value" if newer else f'["{count}"]'
    change = {"op": "set_modifier_input", "name": "Count", "value": 3}
    still = editing.run(gn_ops(change))
    assert still.ok and "animated" not in editing.found(still), still.messages
    assert plane.keyframe_insert(f'modifiers["Edited"]{path}', frame=1)
    told = editing.run(gn_ops({**change, "value": 5}))
    assert told.ok and "is animated" in editing.found(told), told.messages
