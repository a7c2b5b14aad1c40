# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the artist's trees: nested groups, other types, order of links, panels, linked trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import editing
import pytest
from editing import edit, gn_ops, put_on_plane
from geonode_assistant import api
from geonode_assistant.host import modifiers

NODES = {
    "Cube": "GeometryNodeMeshCube",
    "Grid": "GeometryNodeMeshGrid",
    "Join": "GeometryNodeJoinGeometry",
    "Move": "GeometryNodeTransform",
    "Set": "GeometryNodeSetPosition",
    "Math": "ShaderNodeMath",
    "Frame": "NodeFrame",
}
LINKS = [
    ("Group Input", "Geometry", "Join", "Geometry"),
    ("Cube", "Mesh", "Join", "Geometry"),
    ("Grid", "Mesh", "Join", "Geometry"),
    ("Join", "Geometry", "Move", "Geometry"),
    ("Move", "Geometry", "Set", "Geometry"),
    ("Math", "Value", "Set", "Offset"),
    ("Set", "Geometry", "Group Output", "Geometry"),
]
ALL = {"Group Input", "Group Output", *NODES}


def new_tree(name: str) -> Any:
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
        tree.nodes.new(f"NodeGroup{side.capitalize()}")
    return tree


@pytest.fixture
def artist() -> Any:
    """A tree of the artist's on the plane, with a muted link, a frame, a hidden socket and values."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    tree = new_tree("Artist")
    for place, (name, kind) in enumerate(NODES.items()):
        node = tree.nodes.new(kind)
        node.name, node.location = name, (place * 150, place * -40)
    for start, out, end, into in LINKS:
        tree.links.new(tree.nodes[start].outputs[out], tree.nodes[end].inputs[into])
    tree.links[2].is_muted = True
    nodes = tree.nodes
    nodes["Set"].parent = nodes["Math"].parent = nodes["Frame"]
    nodes["Move"].inputs["Scale"].default_value = (1, 2, 3)
    nodes["Move"].inputs["Rotation"].hide = True
    nodes["Math"].operation, nodes["Math"].label = "SINE", "Wave"
    put_on_plane(tree)
    return tree


def tree(name: str = "Artist") -> Any:
    return bpy.data.node_groups[name]


def linked(one: Any) -> list[tuple[str, str, str, str]]:
    return sorted(
        (x.from_node.name, x.from_socket.name, x.to_node.name, x.to_socket.name) for x in one.links if not x.is_muted
    )


def test_nodes_move_into_a_new_group_and_out_again(artist: Any) -> None:
    before = linked(artist)
    group = {"op": "group_nodes", "id": "Pair", "node_group_name": "Pair", "node_ids": ["Move", "Set", "Math", "Frame"]}
    assert edit(gn_ops(group), {"Artist": ALL}, new={"Pair"}) is None
    inner = tree("Pair")
    assert linked(tree()) == [
        ("Cube", "Mesh", "Join", "Geometry"),
        ("Group Input", "Geometry", "Join", "Geometry"),
        ("Join", "Geometry", "Pair", "Geometry"),
        ("Pair", "Geometry", "Group Output", "Geometry"),
    ]
    assert len(bpy.data.objects["Plane"].modifiers) == 1
    move = inner.nodes["Move"]
    assert tuple(move.inputs["Scale"].default_value) == (1, 2, 3) and move.inputs["Rotation"].hide
    assert (inner.nodes["Math"].label, inner.nodes["Math"].operation) == ("Wave", "SINE")
    assert inner.nodes["Set"].parent == inner.nodes["Frame"]
    assert all(link.is_valid for link in (*inner.links, *tree().links))
    out = gn_ops({"op": "ungroup_nodes", "id": "Pair"})
    report = editing.run(out)
    assert report.status == "done", report.messages
    assert linked(tree()) == before
    move = tree().nodes["Move"]
    assert tuple(move.inputs["Scale"].default_value) == (1, 2, 3) and move.inputs["Rotation"].hide


def test_nodes_move_into_a_group_that_is_there(artist: Any) -> None:
    inner = new_tree("Inner")
    inner.links.new(inner.nodes["Group Input"].outputs[0], inner.nodes["Group Output"].inputs[0])
    node = artist.nodes.new("GeometryNodeGroup")
    node.name, node.node_tree = "Inner", inner
    artist.links.new(artist.nodes["Join"].outputs[0], node.inputs[0])
    artist.links.new(node.outputs[0], artist.nodes["Move"].inputs["Geometry"])
    group = {"op": "group_nodes", "id": "Inner", "node_group_name": "Inner", "node_ids": ["Move"]}
    named = {"Artist": {"Inner", "Move", "Set"}, "Inner": {"Group Input", "Group Output"}}
    assert edit(gn_ops(group), named, interface={"Inner"}) is None
    assert linked(tree("Inner")) == [
        ("Group Input", "Geometry", "Group Output", "Geometry"),
        ("Group Input", "Geometry", "Move", "Geometry"),
        ("Move", "Geometry", "Group Output", "Geometry.001"),
    ]
    assert ("Inner", "Geometry.001", "Set", "Geometry") in linked(tree())


def test_a_group_is_made_without_a_modifier_and_edited_where_it_is(artist: Any) -> None:
    make = {"op": "group_nodes", "id": "Blank", "node_group_name": "Blank", "node_ids": []}
    assert edit(gn_ops(make), {"Artist": set()}, new={"Blank"}) is None
    assert [m.name for m in bpy.data.objects["Plane"].modifiers] == ["Edited"]
    fill = [
        {"op": "add_node", "id": "Smooth", "bl_idname": "GeometryNodeSetShadeSmooth"},
        {
            "op": "link",
            "from_node": "group_input",
            "from_socket": "Geometry",
            "to_node": "Smooth",
            "to_socket": "Geometry",
        },
        {
            "op": "link",
            "from_node": "Smooth",
            "from_socket": "Geometry",
            "to_node": "group_output",
            "to_socket": "Geometry",
        },
    ]
    plan = gn_ops(*fill, node_group_name="Blank")
    ends = {"group_input", "group_output", "Group Input", "Group Output"}
    assert edit(plan, {"Blank": ends}) is None
    assert tree("Blank").nodes["Smooth"].outputs[0].is_linked


def test_a_group_two_levels_down_is_edited(artist: Any) -> None:
    inner, outer = new_tree("Inner"), new_tree("Outer")
    inner.nodes.new("ShaderNodeMath").name = "Deep"
    for owner, used in ((outer, inner), (artist, outer)):
        owner.nodes.new("GeometryNodeGroup").node_tree = used
    change = {"op": "set_input", "node_id": "Deep", "socket_identifier": "Value_001", "value": 3.0}
    assert edit(gn_ops(change, node_group_name="Inner"), {"Inner": {"Deep"}}) is None
    assert tree("Inner").nodes["Deep"].inputs[1].default_value == 3.0
    for target, value in (("Inner", 6.0), ("Outer", None)):
        operation = {"op": "set_input_default", "node_id": "Deep", "socket": "Value_001", "value": value}
        added = {"op": "create_node", "node_id": "New", "bl_idname": "ShaderNodeMath"}
        named = {"object_name": "Plane", "modifier_name": "Edited", "node_group_name": target}
        payload = {"target": named, "operations": [operation if value else added]}
        step = {"id": "edit", "type": "NODE_TREE", "description": "Edit", "payload": payload}
        report = editing.run({"version": "1.2", "steps": [step], "done": True, "final_message": ""})
        assert report.status == "done", report.messages
    assert tree("Inner").nodes["Deep"].inputs[1].default_value == 6.0 and len(tree("Outer").nodes) == 4
    inner = tree("Inner")
    inner.use_fake_user = True
    silent = editing.run(gn_ops({**change, "value": 4.0}, node_group_name="Inner"))
    assert "shared_node_group" not in [m["code"] for m in silent.messages], silent.messages
    tree().nodes.new("GeometryNodeGroup").node_tree = tree("Inner")
    told = editing.run(gn_ops({**change, "value": 5.0}, node_group_name="Inner"))
    assert "shared_node_group" in [m["code"] for m in told.messages], told.messages


def test_a_node_becomes_another_type(artist: Any) -> None:
    replace = {"op": "replace_node", "node_id": "Set", "bl_idname": "GeometryNodeSetShadeSmooth"}
    assert edit(gn_ops(replace), {"Artist": {"Set"}}) is None
    new = tree().nodes["Set"]
    assert new.bl_idname == "GeometryNodeSetShadeSmooth" and new.parent == tree().nodes["Frame"]
    assert [link[::2] for link in linked(tree()) if "Set" in link] == [("Move", "Set"), ("Set", "Group Output")]
    bpy.ops.ed.undo()
    into = {"op": "replace_node", "node_id": "Grid", "bl_idname": "GeometryNodeMeshCircle"}
    assert edit(gn_ops(into), {"Artist": {"Grid", "Join"}}) is None
    assert order("Join") == [("Group Input", False), ("Cube", False), ("Grid", True)]


def order(name: str) -> list[tuple[str, bool]]:
    """The sources of a node's first input, in the order in which they count, and whether the links are muted."""
    links = [link for link in tree().links if link.to_node.name == name]
    links.sort(key=lambda link: link.multi_input_sort_id)
    return [(link.from_node.name, link.is_muted) for link in links]


def test_links_into_one_input_are_ordered(artist: Any) -> None:
    first = order("Join")
    ends = [{"node_id": "Grid", "socket": "Mesh"}, {"node_id": "Group Input", "socket": "Geometry"}]
    change = {"op": "order_links", "node_id": "Join", "socket": "Geometry", "from": ends}
    assert edit(gn_ops(change), {"Artist": {"Join"}}) is None
    assert {first[0][0], first[2][0]} == {"Group Input", "Grid"}
    ir = [link["from"][0] for link in export_links() if link["to"][0] == "Join"]
    assert ir == ["Cube", "Group Input", "Grid"]  # Blender evaluates the last one first
    assert [muted for name, muted in order("Join") if name == "Grid"] == [True]


def test_the_first_named_link_is_evaluated_first(artist: Any) -> None:
    nodes = artist.nodes
    join = nodes.new("GeometryNodeJoinGeometry")
    join.name = "Points"
    for place in (1, 2, 3):
        line = nodes.new("GeometryNodeMeshLine")
        line.name = f"At {place}"
        line.inputs["Count"].default_value = 1
        line.inputs["Start Location"].default_value = (place, 0, 0)
        artist.links.new(line.outputs[0], join.inputs[0])
    artist.links.new(join.outputs[0], next(n for n in nodes if n.bl_idname == "NodeGroupOutput").inputs[0])
    has_tree = (o.name for o in bpy.data.objects for m in o.modifiers if m.type == "NODES" and m.node_group == artist)
    user = next(has_tree)

    def places() -> list[int]:
        bpy.context.view_layer.update()
        made = bpy.data.objects[user].evaluated_get(bpy.context.evaluated_depsgraph_get())
        return [round(v.co.x) for v in made.data.vertices]

    assert places() == [3, 2, 1]
    ends = [{"node_id": f"At {place}", "socket": "Mesh"} for place in (2, 3)]
    change = {"op": "order_links", "node_id": "Points", "socket": "Geometry", "from": ends}
    assert edit(gn_ops(change), {"Artist": {"Points"}}) is None
    assert places() == [2, 3, 1]


def export_links() -> list[Any]:
    from geonode_assistant.host.export import export_one

    return export_one(tree())[0]["links"]


def test_an_existing_input_moves_into_a_panel(artist: Any) -> None:
    artist.interface.new_socket("Height", in_out="INPUT", socket_type="NodeSocketFloat")
    identifier = artist.interface.items_tree["Height"].identifier
    change = {
        "op": "set_group_io",
        "direction": "input",
        "name": "Height",
        "socket_type": "NodeSocketFloat",
        "panel": "Size",
    }
    assert edit(gn_ops(change), {"Artist": {"Group Input"}}, interface={"Artist"}) is None
    item = tree().interface.items_tree["Height"]
    assert item.parent.name == "Size" and item.identifier == identifier


@pytest.mark.skipif(bpy.app.version < (4, 3), reason="the node takes three numbers")
def test_the_vector_node_takes_the_numbers_that_it_shows(artist: Any) -> None:
    artist.nodes.new("FunctionNodeInputVector").name = "Vector"
    change = {"op": "set_property", "node_id": "Vector", "property": "vector", "value": [1, 2, 3]}
    assert edit(gn_ops(change), {"Artist": {"Vector"}}) is None
    assert list(tree().nodes["Vector"].vector)[:3] == [1, 2, 3]
    if "vector_dimensions" in tree().nodes["Vector"].bl_rna.properties:
        wider = {"op": "set_property", "node_id": "Vector", "property": "vector_dimensions", "value": 4}
        assert edit(gn_ops(wider, {**change, "value": [1, 2, 3, 4]}), {"Artist": {"Vector"}}) is None
        assert list(tree().nodes["Vector"].vector) == [1, 2, 3, 4]


def test_the_modifier_of_a_linked_tree_takes_values(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    made = new_tree("Far")
    made.interface.new_socket("Height", in_out="INPUT", socket_type="NodeSocketFloat")
    made.links.new(made.nodes["Group Input"].outputs[0], made.nodes["Group Output"].inputs[0])
    made.use_fake_user = True
    path = str(tmp_path / "far.blend")
    bpy.data.libraries.write(path, {made})
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.node_groups = ["Far"]
    modifier = put_on_plane(bpy.data.node_groups["Far"])
    report = editing.run(gn_ops({"op": "set_modifier_input", "name": "Height", "value": 2.5}))
    assert report.status == "done", report.messages
    modifier = bpy.data.objects["Plane"].modifiers["Edited"]
    assert 2.5 in modifiers.read_inputs(modifier).values()
    refused = editing.run(gn_ops({"op": "add_node", "id": "new", "bl_idname": "ShaderNodeMath"}))
    assert refused.status == "error" and refused.messages[0]["code"] == "library_data"


def unfinished(kind: str) -> Any:
    """A tree in which nothing reaches the output that Blender shows, or one with two outputs."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    tree = bpy.data.node_groups.new("Artist", "GeometryNodeTree")
    if kind != "empty":
        for side in ("INPUT", "OUTPUT"):
            tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
        start = tree.nodes.new("NodeGroupInput")
        for _ in range({"no output": 0, "two outputs": 2}.get(kind, 1)):
            end = tree.nodes.new("NodeGroupOutput")
            if kind == "two outputs":
                tree.links.new(start.outputs[0], end.inputs[0])
    tree.nodes.new("ShaderNodeMath").name = "Math"
    return put_on_plane(tree).node_group


@pytest.mark.parametrize("kind", ["empty", "no output", "no link", "two outputs"])
def test_an_unfinished_tree_is_edited_like_any_other(kind: str) -> None:
    for change in (
        {"op": "set_property", "node_id": "Math", "property": "operation", "value": "SINE"},
        {"op": "add_frame", "id": "frame", "label": "Sums", "node_ids": ["Math"]},
        {"op": "add_node", "id": "value", "bl_idname": "ShaderNodeValue"},
    ):
        count = len(unfinished(kind).nodes)
        report = api.apply_plan(gn_ops(change), approve=None)
        assert report.status == "done", (change, report.messages)
        tree = bpy.data.objects["Plane"].modifiers["Edited"].node_group
        assert tree.nodes["Math"].operation == "SINE" or len(tree.nodes) == count + 1


def test_geometry_that_goes_nowhere_is_refused_in_an_unfinished_tree() -> None:
    unfinished("no link")
    report = api.apply_plan(gn_ops({"op": "add_node", "id": "move", "bl_idname": "GeometryNodeTransform"}))
    assert report.status == "error"
    assert "OUTPUT_CONNECTED" in {message["code"] for message in report.messages}


def test_a_mode_that_hides_a_link_is_set_and_said(artist: Any) -> None:
    artist.nodes["Math"].operation = "ADD"
    other = artist.nodes.new("ShaderNodeValue")
    other.name = "Other"
    artist.links.new(other.outputs[0], artist.nodes["Math"].inputs[1])
    change = {"op": "set_property", "node_id": "Math", "property": "operation", "value": "SQRT"}
    asked: list[Any] = []
    report = api.apply_plan(gn_ops(change), approve=lambda request: asked.append(request) or "approved")
    assert report.status == "done", report.messages
    assert "no longer reach the output" in str(asked)
    said = [message["text"] for message in report.messages if message["code"] == "unavailable_socket"]
    assert len(said) == 1 and "the link stays" in said[0], report.messages
    tree = bpy.data.objects["Plane"].modifiers["Edited"].node_group
    assert tree.nodes["Math"].operation == "SQRT"
    assert [link.from_node.name for link in tree.nodes["Math"].inputs[1].links] == ["Other"]
    tree.nodes["Math"].operation = "ADD"
    assert tree.nodes["Math"].inputs[1].links[0].is_valid


def test_a_turned_input_of_the_artists_modifier_is_asked_about(artist: Any) -> None:
    item = artist.interface.new_socket("Height", in_out="INPUT", socket_type="NodeSocketFloat")
    item.default_value = 2.0
    modifier = put_on_plane(artist)
    change = gn_ops({"op": "set_modifier_input", "name": "Height", "value": 5.0})
    for turned in (True, False):
        modifiers.write_input(modifier, item.identifier, 7.5 if turned else 2.0)
        bpy.context.view_layer.update()
        asked: list[Any] = []
        report = api.apply_plan(change, approve=lambda request, asked=asked: asked.append(request) or "approved")
        assert report.status == "done", report.messages
        assert ("was set to 7.5 by hand; it becomes 5" in str(asked)) == turned, asked
        modifier = bpy.data.objects["Plane"].modifiers["Edited"]


@pytest.mark.skipif(bpy.app.version < (4, 5), reason="this Blender does not list the warnings of nodes")
def test_a_tree_whose_nodes_warn_already_can_be_edited(artist: Any) -> None:
    warning = artist.nodes.new("GeometryNodeWarning")
    warning.warning_type = "WARNING"
    warning.inputs["Show"].default_value, warning.inputs["Message"].default_value = True, "Mine"
    artist.links.new(warning.outputs[0], artist.nodes["Set"].inputs["Selection"])
    bpy.context.view_layer.update()
    modifier = bpy.data.objects["Plane"].modifiers["Edited"]
    assert ("WARNING", "Mine") in [(found.type, found.message) for found in modifier.node_warnings]
    plan = gn_ops({"op": "set_input", "node_id": "Move", "socket_name": "Translation", "value": [0, 0, 2]})
    report = api.apply_plan(plan, approve="all")
    assert report.status == "done", report.messages
