# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that plans make: the result in an empty scene, the same again, follow-ups, taken names, and a way back that
leaves nothing.
"""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.run.report import RunReport
from preset_cases import see
from whole_file import everything

STAIRS = "a staircase with 12 steps"
PAGE = """
def box(size: Distance = 2.0) -> Geometry:
    return cube(size=size)

apply("Box", object=new("Box", location=(1, 2, 3)), inputs={"size": 3.0})
"""


@pytest.fixture(autouse=True)
def empty_scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def said(prompt: str, **options: Any) -> RunReport:
    report = api.run(prompt, provider="offline", **options)
    assert report.status == "done", (prompt, report.messages)
    return report


def step(number: int, page: str) -> dict[str, Any]:
    return {"id": f"s{number}", "type": "NODE_TREE", "description": "", "payload": {"text": page}}


def planned(*steps: dict[str, Any] | str, **meta: Any) -> RunReport:
    made = [step(number, one) if isinstance(one, str) else one for number, one in enumerate(steps)]
    plan = {"version": "1.2", "steps": made, "done": True, "final_message": "Done.", "meta": meta}
    return api.apply_plan(plan, approve="all")


def names() -> list[str]:
    return sorted(bpy.data.objects.keys())


def test_a_generator_fills_an_empty_scene() -> None:
    bpy.context.scene.cursor.location = (1, 2, 3)
    report = said(STAIRS)
    assert names() == ["Stairs"]
    stairs = bpy.data.objects["Stairs"]
    assert see(stairs).faces == 12 * 6
    assert tuple(stairs.location) == (1, 2, 3) and tuple(stairs.scale) == (1, 1, 1)
    assert bpy.context.object == stairs and stairs.select_get()
    assert "Make the object “Stairs”" in report.diff
    assert report.understanding["object"] == "Stairs"
    assert "new object, “Stairs”" in report.final_message
    # The same words again change nothing; others change the last result, or make another object.
    assert said(STAIRS).diff == [] and names() == ["Stairs"]
    said("make it 20 steps")
    assert names() == ["Stairs"] and see(stairs).faces == 20 * 6
    said("a brick wall 4 m long and 2 m high")
    assert names() == ["Brick Wall", "Stairs"]
    wall = see(bpy.data.objects["Brick Wall"])
    assert 3.7 < wall.size(0) < 4.3 and 1.8 < wall.size(2) < 2.2
    said("a staircase with 5 steps")
    assert names() == ["Brick Wall", "Stairs", "Stairs.001"]
    assert see(stairs).faces == 20 * 6 and see(bpy.data.objects["Stairs.001"]).faces == 5 * 6


def test_what_is_there_stays_as_it_is() -> None:
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.data.objects["Cube"]
    cube.name = "Stairs"
    said(STAIRS)
    assert not cube.modifiers and see(cube).faces == 6
    assert see(bpy.data.objects["Stairs.001"]).faces == 12 * 6
    # A page that names what is taken gets the next name too.
    cube.name = "Box"
    report = planned(PAGE)
    assert report.status == "done", report.messages
    assert "name_taken" in [message["code"] for message in report.messages]
    box = bpy.data.objects["Box.001"]
    assert tuple(box.location) == (1, 2, 3) and see(box).size(0) == pytest.approx(3.0)
    assert not cube.modifiers
    # Carried out again, it is done already, as operations too.
    assert planned(PAGE).diff == []
    assert len(names()) == 3
    made = [{"op": "make_object"}, {"op": "create_node", "node_id": "ball", "bl_idname": "GeometryNodeMeshIcoSphere"}]
    ends = {"from": {"node_id": "ball", "socket": "Mesh"}, "to": {"node_id": "group_output", "socket": "Geometry"}}
    target = {"object_name": "Box", "modifier_name": "Ball", "node_group_name": "Ball"}
    payload = {"target": target, "operations": [*made, {"op": "link", **ends}]}
    ball = {"id": "ball", "type": "NODE_TREE", "description": "", "payload": payload}
    assert planned(ball).status == "done"
    assert names() == ["Box", "Box.001", "Box.002", "Stairs.001"]
    assert (planned(ball).diff, len(names())) == ([], 4)


@pytest.mark.parametrize("scripted", [False, True], ids=["plan", "with a script"])
@pytest.mark.usefixtures("untried")
def test_a_failure_leaves_nothing(scripted: bool) -> None:
    bpy.ops.mesh.primitive_cube_add()
    before = everything()
    never = {"expects": [{"object_name": "Box", "component": "faces", "count": 500}]}
    script = {"id": "s", "type": "PYTHON", "description": "", "payload": {"code": "x = 1", "allow_destructive": False}}
    report = planned(*([script] if scripted else []), PAGE, **never)
    assert report.status == "error", report.messages
    assert everything() == before
    assert bpy.context.object == bpy.data.objects["Cube"]


def test_a_hidden_collection_does_not_swallow_it() -> None:
    layer = bpy.context.view_layer
    hidden = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(hidden)
    layer.active_layer_collection = layer.layer_collection.children["Hidden"]
    layer.active_layer_collection.hide_viewport = True
    said(STAIRS)
    assert [collection.name for collection in bpy.data.objects["Stairs"].users_collection] == ["Scene Collection"]


def test_a_second_wish_works_on_what_the_first_made() -> None:
    said("a staircase with 12 steps and then subdivide it twice")
    assert names() == ["Stairs"] and see(bpy.data.objects["Stairs"]).faces == 12 * 6 * 16


def test_what_was_made_can_be_worked_on() -> None:
    said(STAIRS)
    stairs = bpy.data.objects["Stairs"]
    said("solidify it 5 cm")
    assert names() == ["Stairs"] and see(stairs).faces > 12 * 6
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    said("a brick wall 4 m long and 2 m high")
    report = api.run("subdivide it twice", provider="offline")
    assert report.status == "error" and "shows copies only" in report.messages[-1]["text"], report.messages


def test_several_objects_in_one_plan() -> None:
    other = PAGE.replace('"Box"', '"Ball"').replace("box(", "ball(").replace("cube(size=", "ico_sphere(radius=")
    report = planned(PAGE, other.replace("(1, 2, 3)", "(9, 0, 0)"))
    assert report.status == "done", report.messages
    assert names() == ["Ball", "Box"]
    assert tuple(bpy.data.objects["Ball"].location) == (9, 0, 0)


def test_undo_takes_the_object_with_it() -> None:
    bpy.ops.ed.undo_push(message="start")
    said(STAIRS)
    bpy.ops.ed.undo()
    assert names() == []
    bpy.ops.ed.redo()
    assert names() == ["Stairs"] and see(bpy.data.objects["Stairs"]).faces == 12 * 6
