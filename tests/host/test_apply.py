# SPDX-License-Identifier: GPL-3.0-or-later
"""Deltas applied in a real file."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from geonode_assistant.host import context, evaluate
from geonode_assistant.host.apply import apply_delta
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.identity import index
from geonode_assistant.host.modifiers import read_inputs
from making import GEOMETRY, on, socket, step, through


def tree(name: str = "Test") -> Any:
    return bpy.data.node_groups[name]


def evaluated(name: str) -> dict[str, Any]:
    return evaluate.evidence([name], [], None)["objects"][0]["evaluated"]


def test_a_new_tree_is_created_on_an_object(starter: None) -> None:
    counts = apply_delta(step(through(), modifiers=[on("Plane", "Test")]))
    assert (counts["add"], counts["links"], counts["modifiers"], counts["trees"]) == (3, 2, 1, 1)
    assert sorted(index(tree())) == ["in", "move", "out"]
    assert tree().nodes["move"].label == "Move"
    assert evaluated("Plane")["bounds"] == [[-5.0, -5.0, 1.0], [5.0, 5.0, 1.0]]


def test_an_edit_of_a_tree_with_two_users_happens_once(starter: None) -> None:
    apply_delta(step(through(), modifiers=[on("Plane", "Test"), on("Cube", "Test")]))
    more = socket("@height", "Height", "INPUT", "NodeSocketFloat", default_value=2.5, min_value=0.0)
    apply_delta(
        step(
            {
                "tree": "Test",
                "create": False,
                "interface": [more],
                "add": [{"id": "xyz", "type": "ShaderNodeCombineXYZ"}],
                "links": [["in", "@height", "xyz", "Z"], ["xyz", "=Vector", "move", "Offset"]],
            }
        )
    )
    for name, low in (("Plane", 2.5), ("Cube", 1.5)):
        modifier = bpy.data.objects[name].modifiers[0]
        assert read_inputs(modifier) == {"Socket_2": 2.5}, "a new input gets its default, not 0"
        assert evaluated(name)["bounds"][0][2] == low
    assert [g.name for g in bpy.data.node_groups] == ["Test"]


def test_group_nodes_get_the_default_of_a_new_input(empty: None) -> None:
    apply_delta(
        step(
            through("Inner"),
            through(
                "Outer",
                values=[],
                add=[
                    {"id": "in", "type": "NodeGroupInput"},
                    {"id": "out", "type": "NodeGroupOutput"},
                    {"id": "move", "type": "GeometryNodeGroup"},
                ],
                props=[["move", "node_tree", {"node_group": "Inner"}]],
                links=[["in", "@in", "move", "=Geometry"], ["move", "=Geometry", "out", "@out"]],
            ),
        )
    )
    apply_delta(
        step(
            {
                "tree": "Inner",
                "create": False,
                "interface": [socket("@v", "Vector", "INPUT", "NodeSocketVector", default_value=[1.0, 2.0, 3.0])],
            }
        )
    )
    group = index(tree("Outer"))["move"]
    assert tuple(group.inputs["Vector"].default_value) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("NodeSocketFloat", 0.25, 4),
        ("NodeSocketInt", 3, 5),
        ("NodeSocketBool", True, False),
        ("NodeSocketString", "a", "ü"),
        ("NodeSocketVector", [1.0, 2.0, 3.0], [0.5, 0.25, 0.0]),
        ("NodeSocketColor", [1.0, 0.5, 0.0, 1.0], [0.0, 0.0, 0.0, 0.5]),
        ("NodeSocketRotation", [0.0, 0.0, 0.5], [0.5, 0.0, 0.0]),
        ("NodeSocketObject", {"object": "Cube"}, None),
        ("NodeSocketCollection", {"collection": "Rocks"}, None),
        ("NodeSocketMaterial", {"material": "Material"}, None),
    ],
)
def test_modifier_inputs_of_every_type(starter: None, kind: str, first: Any, second: Any) -> None:
    new = through()
    new["interface"].append(socket("@x", "X", "INPUT", kind, default_value=first))
    where = {"object": "Plane", "modifier": "GeoNode"}
    apply_delta(step(new, modifiers=[on("Plane", "Test")]))
    modifier = bpy.data.objects["Plane"].modifiers[0]
    assert read_inputs(modifier) == {"Socket_2": first}
    apply_delta(step(inputs=[where | {"identifier": "=X", "value": second}]))
    assert read_inputs(modifier) == {"Socket_2": second}
    with pytest.raises(HostError) as refused:
        apply_delta(step(inputs=[where | {"identifier": "Socket_9", "value": second}]))
    assert refused.value.code == "unknown_socket"


def test_menu_values_are_applied(starter: None) -> None:
    new = through()
    new["interface"].append(socket("@menu", "Kind", "INPUT", "NodeSocketMenu", default_value="Ball"))
    new["add"].append({"id": "menu", "type": "GeometryNodeMenuSwitch"})
    new["props"] = [["menu", "data_type", "FLOAT"]]
    new["items"] = [["menu", "enum_items", [{"name": "Box"}, {"name": "Ball"}, {"name": "Rod"}]]]
    new["links"] = [
        ["in", "@in", "move", "Geometry"],
        ["move", "Geometry", "out", "@out"],
        ["in", "@menu", "menu", "Menu"],
    ]
    apply_delta(step(new, modifiers=[on("Plane", "Test")]))
    modifier = bpy.data.objects["Plane"].modifiers[0]
    assert read_inputs(modifier) == {"Socket_2": "Ball"}
    apply_delta(step(inputs=[{"object": "Plane", "modifier": "GeoNode", "identifier": "Socket_2", "value": "Rod"}]))
    assert read_inputs(modifier) == {"Socket_2": "Rod"}
    assert tree().interface.items_tree["Kind"].default_value == "Ball"
    apply_delta(
        step(
            {
                "tree": "Test",
                "create": False,
                "unlink": [["in", "Socket_2", "menu", "Menu"]],
                "late_values": [["menu", "Menu", "Rod"]],
            }
        )
    )
    assert index(tree())["menu"].inputs["Menu"].default_value == "Rod"


def test_zones_and_items(empty: None) -> None:
    new = through()
    new["add"] += [
        {"id": "loop.in", "type": "GeometryNodeRepeatInput"},
        {"id": "loop.out", "type": "GeometryNodeRepeatOutput"},
    ]
    new["pairs"] = [["loop.in", "loop.out"]]
    new["items"] = [
        [
            "loop.out",
            "repeat_items",
            [{"name": "Geometry", "socket_type": "GEOMETRY"}, {"name": "Height", "socket_type": "NodeSocketFloat"}],
        ]
    ]
    new["values"] = [["loop.in", "Iterations", 3], ["loop.in", "=Height", 1.5], ["move", "Offset", [0.0, 0.0, 1.0]]]
    new["links"] = [
        ["in", "@in", "loop.in", "=Geometry"],
        ["loop.in", "=Geometry", "move", "Geometry"],
        ["move", "Geometry", "loop.out", "=Geometry"],
        ["loop.out", "=Geometry", "out", "@out"],
    ]
    apply_delta(step(new))
    nodes = index(tree())
    assert nodes["loop.in"].paired_output == nodes["loop.out"]
    assert [(i.name, i.socket_type) for i in nodes["loop.out"].repeat_items] == [
        ("Geometry", "GEOMETRY"),
        ("Height", "FLOAT"),
    ]
    assert nodes["loop.in"].inputs["Height"].default_value == 1.5
    assert evaluate.invalid_links(tree()) == []
    kept = nodes["loop.in"].inputs["Height"].identifier
    apply_delta(
        step(
            {
                "tree": "Test",
                "create": False,
                "items": [
                    [
                        "loop.out",
                        "repeat_items",
                        [
                            {"name": "Count", "socket_type": "INT"},
                            {"name": "Height", "socket_type": "FLOAT"},
                            {"name": "Geometry", "socket_type": "GEOMETRY"},
                        ],
                    ]
                ],
            }
        )
    )
    assert [i.name for i in nodes["loop.out"].repeat_items] == ["Count", "Height", "Geometry"]
    assert nodes["loop.in"].inputs["Height"].identifier == kept, "an item of the same name and type is kept"
    assert len(tree().links) == 4
    with pytest.raises(HostError) as refused:
        apply_delta(step({"tree": "Test", "create": False, "remove": ["loop.in"]}))
    assert refused.value.code == "zone_incomplete" and len(tree().nodes) == 5
    apply_delta(step({"tree": "Test", "create": False, "remove": ["loop.in", "loop.out"]}))
    assert sorted(index(tree())) == ["in", "move", "out"]


def test_frames_and_positions_are_applied(empty: None) -> None:
    new = through(locations=[["outer", 100.0, 50.0], ["inner", 150.0, 40.0], ["move", 200.0, 30.0], ["in", -5.0, 0.0]])
    new["add"] += [{"id": "inner", "type": "NodeFrame"}, {"id": "outer", "type": "NodeFrame"}]
    new["parents"] = [["move", "inner"], ["inner", "outer"]]
    apply_delta(step(new))
    nodes = index(tree())
    assert [tuple(nodes[i].location) for i in ("outer", "inner", "move", "in")] == [
        (100, 50),
        (50, -10),
        (50, -10),
        (-5, 0),
    ]
    apply_delta(step({"tree": "Test", "create": False, "parents": [["move", None]], "locations": [["move", 1.0, 2.0]]}))
    assert nodes["move"].parent is None and tuple(nodes["move"].location) == (1.0, 2.0)


def test_properties_that_depend_on_each_other(empty: None) -> None:
    new = through()
    new["add"].append({"id": "cmp", "type": "FunctionNodeCompare"})
    # BRIGHTER exists for colours only, so the order of this list would be refused.
    new["props"] = [["cmp", "operation", "BRIGHTER"], ["cmp", "data_type", "RGBA"]]
    apply_delta(step(new))
    node = index(tree())["cmp"]
    assert (node.data_type, node.operation) == ("RGBA", "BRIGHTER")


def test_interface_changes_and_panels(empty: None) -> None:
    new = through()
    new["interface"] += [
        {"op": "add", "key": "@p", "kind": "panel", "name": "Size", "props": {"default_closed": True}},
        socket("@w", "Width", "INPUT", "NodeSocketFloat", subtype="DISTANCE", min_value=0.0, default_value=2.0)
        | {"parent": "@p"},
    ]
    apply_delta(step(new))
    items = {i.name: i for i in tree().interface.items_tree if i.name in {"Size", "Width"}}
    assert items["Width"].parent == items["Size"] and items["Width"].subtype == "DISTANCE"
    ref = items["Width"].identifier
    apply_delta(
        step(
            {
                "tree": "Test",
                "create": False,
                "interface": [
                    {"op": "change", "identifier": ref, "name": "Breadth", "props": {"max_value": 9.0}},
                    {"op": "remove", "identifier": "Socket_99"},
                ],
            }
        )
    )
    changed = tree().interface.items_tree["Breadth"]
    assert (changed.identifier, changed.max_value, changed.default_value) == (ref, 9.0, 2.0)
    apply_delta(step({"tree": "Test", "create": False, "interface": [{"op": "remove", "identifier": ref}]}))
    assert "Breadth" not in tree().interface.items_tree


def test_only_named_nodes_get_a_stamp(empty: None) -> None:
    plain = bpy.data.node_groups.new("Test", "GeometryNodeTree")
    for name in ("One", "Two"):
        plain.nodes.new("ShaderNodeMath").name = name
    apply_delta(step({"tree": "Test", "create": False, "stamp": ["One"], "labels": [["Two", "Second"]]}))
    assert [node.get("geonode_id") for node in plain.nodes] == ["One", None]
    plain.nodes["One"].name = "Renamed"
    assert list(index(plain)) == ["One", "Two"]


BAD = [
    ({"add": [{"id": "x", "type": "GeometryNodeNoSuch"}]}, "unknown_node_type"),
    ({"add": [{"id": "move", "type": "ShaderNodeMath"}]}, "duplicate_id"),
    ({"props": [["move", "nonsense", 1]]}, "unknown_property"),
    ({"props": [["nobody", "mute", True]]}, "unknown_node"),
    ({"values": [["move", "Ofset", [0, 0, 0]]]}, "unknown_socket"),
    ({"values": [["move", "Offset", "up"]]}, "invalid_value"),
    ({"values": [["move", "Geometry", 1]]}, "invalid_value"),
    ({"links": [["in", "@nokey", "move", "Geometry"]]}, "unknown_socket"),
    ({"items": [["move", "repeat_items", []]]}, "unknown_collection"),
    ({"pairs": [["move", "out"]]}, "zone_incomplete"),
    ({"interface": [socket("@q", "Q", "INPUT", "NodeSocketNonsense")]}, "invalid_value"),
    ({"interface": [{"op": "change", "identifier": "Socket_77", "props": {}}]}, "unknown_socket"),
    ({"interface": [{"op": "paint"}]}, "invalid_document"),
]


@pytest.mark.parametrize(("edit", "code"), BAD, ids=[f"{i}-{code}" for i, (_, code) in enumerate(BAD)])
def test_impossible_edits_are_refused_with_their_names(empty: None, edit: dict[str, Any], code: str) -> None:
    apply_delta(step(through()))
    with pytest.raises(HostError) as refused:
        apply_delta(step({"tree": "Test", "create": False} | edit))
    assert refused.value.code == code
    assert len(refused.value.message) > 20


def test_invalid_targets_are_refused(starter: None) -> None:
    apply_delta(step(through()))
    for delta, code in [
        (step({"tree": "Missing", "create": False}), "unknown_node_group"),
        (step(through()), "duplicate_id"),
        (step(modifiers=[on("Nobody", "Test")]), "unknown_object"),
        (step(modifiers=[on("Plane", "Nothing")]), "unknown_data_block"),
        (step(modifiers=[on("Camera", "Test")]), "object_type_unsupported"),
        (step(modifiers=[on("Plane", "Test") | {"create": False}]), "unknown_modifier"),
        (step(through("x" * 300)), "bad_name"),
    ]:
        with pytest.raises(HostError) as refused:
            apply_delta(delta)
        assert refused.value.code == code
    assert context.names("node_group") == ["Test"]


def test_a_group_cannot_contain_itself(empty: None) -> None:
    apply_delta(step(through()))
    with pytest.raises(HostError) as refused:
        apply_delta(
            step(
                {
                    "tree": "Test",
                    "create": False,
                    "add": [{"id": "g", "type": "GeometryNodeGroup"}],
                    "props": [["g", "node_tree", {"node_group": "Test"}]],
                }
            )
        )
    assert refused.value.code == "cycle"


def test_a_second_link_into_a_multi_input_keeps_the_order(empty: None) -> None:
    new = through()
    new["add"] += [{"id": "join", "type": "GeometryNodeJoinGeometry"}, {"id": "cube", "type": "GeometryNodeMeshCube"}]
    new["links"] = [
        ["move", "Geometry", "join", "Geometry"],
        ["cube", "Mesh", "join", "Geometry"],
        ["in", "@in", "join", "Geometry"],
        ["join", "Geometry", "out", "@out"],
        ["in", "@in", "move", "Geometry"],
    ]
    apply_delta(step(new))
    from geonode_assistant.host.export import export_one

    links = [link for link in export_one(tree())[0]["links"] if link["to"][0] == "join"]
    assert [(link["from"][0], link["sort"]) for link in links] == [("move", 0), ("cube", 1), ("in", 2)]
    assert GEOMETRY == tree().interface.items_tree[0].socket_type


def test_a_second_link_into_a_single_input_replaces_the_first(empty: None) -> None:
    apply_delta(step(through()))
    apply_delta(
        step(
            {
                "tree": "Test",
                "create": False,
                "add": [{"id": "cube", "type": "GeometryNodeMeshCube"}],
                "links": [["cube", "Mesh", "move", "Geometry"], ["cube", "Mesh", "out", "=Geometry"]],
            }
        )
    )
    ends = {(link.from_node.name, link.to_node.name) for link in tree().links}
    assert ends == {("cube", "move"), ("cube", "out")}


def test_applying_the_same_links_and_stamps_again_changes_nothing(empty: None) -> None:
    from geonode_assistant.host.export import export_one

    new = through()
    apply_delta(step(new))
    before = export_one(tree())[0]
    again = {"tree": "Test", "create": False, "stamp": ["move"], "values": new["values"]}
    apply_delta(step(again | {"links": [["move", "Geometry", "out", "=Geometry"]]}))
    assert export_one(tree())[0] == before
