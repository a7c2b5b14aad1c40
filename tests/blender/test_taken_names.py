# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan makes never lands in what has its name already: it gets the next free one, which is said, and the same
plan again finds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from chains import chain
from geonode_assistant import api
from whole_file import everything

TARGET = {"object_name": "Plane", "modifier_name": "X", "node_group_name": "A"}
FIELDS: dict[str, Any] = {"base_color": [1.0, 0.7, 0.2], "roughness": 0.3, "metallic": 1.0}
GOLD = {"op": "make_material", "name": "Gold", **FIELDS}
GILD = [
    GOLD,
    {"op": "create_node", "node_id": "gild", "bl_idname": "GeometryNodeSetMaterial"},
    {"op": "set_input_default", "node_id": "gild", "socket": "Material", "value": {"material": "Gold"}},
    {
        "op": "link",
        "from": {"node_id": "Pos", "socket": "Geometry"},
        "to": {"node_id": "gild", "socket": "Geometry"},
    },
    {
        "op": "link",
        "from": {"node_id": "gild", "socket": "Geometry"},
        "to": {"node_id": "group_output", "socket": "Geometry"},
    },
]


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    chain(("GeometryNodeTransform", "Move"), ("GeometryNodeSetPosition", "Pos"))
    taken = bpy.data.node_groups.new("Inner", "GeometryNodeTree")
    taken.use_fake_user = True
    taken.nodes.new("ShaderNodeMath").name = "Theirs"
    bpy.data.materials.new("Gold").use_fake_user = True
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Scene")
    yield


def run(*operations: dict[str, Any]) -> Any:
    step = {
        "id": "s",
        "type": "NODE_TREE",
        "description": "d",
        "payload": {"target": TARGET, "operations": list(operations)},
    }
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    return api.apply_plan(plan, approve="all")


def run_page(page: str) -> Any:
    return api.apply_plan(page, object="Plane", approve="all")


def said(report: Any) -> list[str]:
    return [message["text"] for message in report.messages if message["code"] == "name_taken"]


def group(node_id: str = "g") -> dict[str, Any]:
    return {"op": "group_nodes", "id": node_id, "node_group_name": "Inner", "node_ids": ["Move"]}


def users(node_id: str) -> Any:
    nodes = bpy.data.node_groups["A"].nodes
    return next(node for node in nodes if node.get("geonode_id", node.name) == node_id)


def test_a_group_of_a_taken_name_gets_the_next_free_one() -> None:
    report = run(group())
    assert report.ok, report.messages
    assert any("“Inner”" in text and "“Inner.001”" in text for text in said(report)), report.messages
    assert users("g").node_tree.name == "Inner.001" and "Move" in users("g").node_tree.nodes
    assert [node.name for node in bpy.data.node_groups["Inner"].nodes] == ["Theirs"]
    before = everything()
    report = run(group())
    assert report.ok, report.messages
    assert everything() == before


def test_what_the_plan_says_of_the_name_later_means_the_new_group() -> None:
    inner = {"id": "t", "type": "GN_OPS", "description": "d"}
    target = {"object_name": "Plane", "modifier_name": "X", "node_group_name": "Inner"}
    inner["payload"] = {"v": 1, "target": target, "ops": [{"op": "add_node", "id": "m", "bl_idname": "ShaderNodeMath"}]}
    first = {"id": "s", "type": "NODE_TREE", "description": "d", "payload": {"target": TARGET, "operations": [group()]}}
    plan = {"version": "1.2", "steps": [first, inner], "done": True, "final_message": "Done."}
    report = api.apply_plan(plan, approve="all")
    assert report.ok, report.messages
    assert "m" in bpy.data.node_groups["Inner.001"].nodes and "m" not in bpy.data.node_groups["Inner"].nodes


def test_a_group_that_is_made_and_dissolved_is_one_of_its_own() -> None:
    plan = [group(), {"op": "ungroup_nodes", "id": "g"}]
    report = run(*plan)
    assert report.ok, report.messages
    assert [node.name for node in bpy.data.node_groups["Inner"].nodes] == ["Theirs"]
    before = everything()
    assert run(*plan).ok
    assert everything() == before


def test_a_group_node_with_the_id_of_an_artists_node_gets_another_id() -> None:
    report = run(group("Pos"))
    assert report.ok, report.messages
    assert users("Pos").bl_idname == "GeometryNodeSetPosition"
    assert users("Pos.001").node_tree.name == "Inner.001"
    before = everything()
    report = run(group("Pos"))
    assert report.ok, report.messages
    assert everything() == before


def test_a_material_of_a_taken_name_gets_the_next_free_one() -> None:
    report = run(*GILD)
    assert report.ok, report.messages
    assert any("“Gold”" in text and "“Gold.001”" in text for text in said(report)), report.messages
    assert users("gild").inputs["Material"].default_value.name == "Gold.001"
    before = everything()
    report = run(*GILD)
    assert report.ok, report.messages
    assert everything() == before
    assert not any("already" in text for text in said(report))


def test_a_material_that_is_the_same_is_used() -> None:
    shader = bpy.data.materials["Gold"]
    shader.use_nodes = True
    inputs = next(n for n in shader.node_tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled").inputs
    inputs["Base Color"].default_value = (1.0, 0.7, 0.2, 1.0)
    inputs["Roughness"].default_value, inputs["Metallic"].default_value = 0.3, 1.0
    report = run(*GILD)
    assert report.ok, report.messages
    assert users("gild").inputs["Material"].default_value.name == "Gold" and len(bpy.data.materials) == 1


def gold() -> Any:
    """The material that the plan asks for."""
    assert run(*GILD).ok
    made = users("gild").inputs["Material"].default_value
    bpy.data.materials.remove(bpy.data.materials["Gold"])
    made.name = "Gold"
    users("gild").inputs["Material"].default_value = None
    return made


def shader_of(material: Any) -> Any:
    return next(n for n in material.node_tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled")


def textured(material: Any) -> None:
    tree = material.node_tree
    tree.links.new(tree.nodes.new("ShaderNodeTexNoise").outputs["Color"], shader_of(material).inputs["Base Color"])


def displaced(material: Any) -> None:
    tree = material.node_tree
    output = next(n for n in tree.nodes if n.bl_idname == "ShaderNodeOutputMaterial")
    tree.links.new(tree.nodes.new("ShaderNodeDisplacement").outputs[0], output.inputs["Displacement"])


CHANGES: dict[str, Any] = {
    "coat": lambda m: setattr(shader_of(m).inputs["Coat Weight"], "default_value", 0.5),
    "glow": lambda m: setattr(shader_of(m).inputs["Emission Strength"], "default_value", 2.0),
    "texture": textured,
    "displacement": displaced,
    "muted": lambda m: setattr(shader_of(m), "mute", True),
    "distribution": lambda m: setattr(shader_of(m), "distribution", "GGX"),
    "culling": lambda m: setattr(m, "use_backface_culling", True),
    "solid colour": lambda m: setattr(m, "diffuse_color", (0, 0, 1, 1)),
    "animated": lambda m: shader_of(m).inputs["Metallic"].keyframe_insert("default_value", frame=1),
    "no output": lambda m: m.node_tree.links.clear(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_material_that_shows_anything_else_is_not_used(change: str) -> None:
    theirs = gold()
    CHANGES[change](theirs)
    report = run(*GILD)
    assert report.ok, report.messages
    assert any("“Gold”" in text and "“Gold.001”" in text for text in said(report)), report.messages
    assert users("gild").inputs["Material"].default_value.name == "Gold.001"


def test_a_material_that_a_plan_made_is_found_again() -> None:
    made = gold()
    assert run(*GILD).ok
    assert users("gild").inputs["Material"].default_value == made and len(bpy.data.materials) == 1


SORTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "metal": FIELDS,
    "glass": {"transmission": 1.0, "roughness": 0.0},
    "frosted glass": {"transmission": 0.4, "base_color": [0.2, 0.5, 0.9]},
    "half clear": {"alpha": 0.5, "base_color": [0.2, 0.5, 0.9, 1.0]},
    "glowing": {"emission_color": [1.0, 0.2, 0.0], "emission_strength": 4.0},
}


@pytest.mark.parametrize("sort", SORTS)
def test_every_sort_of_material_is_found_again(sort: str) -> None:
    plan = [{"op": "make_material", "name": "Gold", **SORTS[sort]}, *GILD[1:]]
    assert run(*plan).ok
    names = [material.name for material in bpy.data.materials]
    assert run(*plan).diff == []
    assert [material.name for material in bpy.data.materials] == names


def test_an_artists_group_of_a_functions_name_is_not_taken_over() -> None:
    theirs = bpy.data.node_groups.new("Raise", "GeometryNodeTree")
    theirs.use_fake_user = True
    for side in ("INPUT", "OUTPUT"):
        theirs.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    for kind in ("NodeGroupInput", "NodeGroupOutput"):
        theirs.nodes.new(kind)
    page = """
def raise_(geometry: Geometry) -> Geometry:
    settings(name="Raise")
    return transform_geometry(geometry, translation=(0.0, 0.0, 2.0))

apply("Raise", object="Plane")
"""
    report = run_page(page)
    assert report.ok, report.messages
    assert [node.bl_idname for node in theirs.nodes] == ["NodeGroupInput", "NodeGroupOutput"]
    assert any("“Raise" in text for text in said(report)), report.messages
    before = everything()
    assert run_page(page).ok and everything() == before


PAGE = """
with edit("A"):
    g = gather("Inner", move)
    gold = set_material(pos, material=data.material("Gold", roughness=0.25))
    group_output.geometry = gold
"""


def test_a_page_makes_them_anew_too() -> None:
    report = run_page(PAGE)
    assert report.ok, report.messages
    assert users("g").node_tree.name == "Inner.001"
    assert users("gold").inputs["Material"].default_value.name == "Gold.001"
    assert [node.name for node in bpy.data.node_groups["Inner"].nodes] == ["Theirs"]
    before = everything()
    report = run_page(PAGE)
    assert everything() == before, report.messages


def frames(*operations: dict[str, Any]) -> Any:
    target = {"object_name": "Plane", "modifier_name": "X"}
    step = {
        "id": "s",
        "type": "GN_OPS",
        "description": "d",
        "payload": {"v": 1, "target": target, "ops": list(operations)},
    }
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    return api.apply_plan(plan, approve="all")


def test_a_frame_of_the_artists_is_edited_where_nodes_leave_it_else_a_new_one_is_made() -> None:
    nodes = bpy.data.node_groups["A"].nodes
    frame = nodes.new("NodeFrame")
    frame.name, frame.label = "Frame", "Theirs"
    nodes["Move"].parent = nodes["Pos"].parent = frame
    bpy.ops.ed.undo_push(message="Framed")
    out = {"op": "add_frame", "id": "Frame", "label": "", "node_ids": [], "remove_node_ids": ["Move"]}
    report = frames(out)
    assert report.ok and said(report) == [], report.messages
    assert nodes["Move"].parent is None and nodes["Pos"].parent == frame and frame.label == "Theirs"
    report = frames({"op": "add_frame", "id": "Frame", "label": "Mine", "node_ids": ["Move"]})
    assert report.ok and said(report), report.messages
    assert nodes["Pos"].parent == frame and frame.label == "Theirs"
    assert nodes["Move"].parent == users("Frame.001") and users("Frame.001").label == "Mine"
