# SPDX-License-Identifier: GPL-3.0-or-later
"""What was wrong before a run is said and does not fail it, and nodes that it only moves are not its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import bpy
import pytest
from editing import gn_ops, put_on_plane
from geonode_assistant import api
from geonode_assistant.host import ownership

BEFORE = "It was so before the run."
SET = {"op": "set_input", "node_id": "Move", "socket_name": "Translation", "value": [0, 0, 1]}
MOVE = {"op": "group_nodes", "id": "Inner", "node_group_name": "Inner", "node_ids": ["Move"]}
Links = list[tuple[str, str | int, str, str | int]]


def made(name: str, nodes: dict[str, str], links: Links, output: bool = True) -> Any:
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT") if output else ("INPUT",):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
        tree.nodes.new(f"NodeGroup{side.capitalize()}")
    for node, kind in nodes.items():
        tree.nodes.new(kind).name = node
    for start, out, end, into in links:
        tree.links.new(tree.nodes[start].outputs[out], tree.nodes[end].inputs[into])
    return tree


def no_output() -> None:
    nodes = {"Cube": "GeometryNodeMeshCube", "Move": "GeometryNodeTransform"}
    put_on_plane(made("Artist", nodes, [("Cube", 0, "Move", 0)], output=False))


def nothing_at_the_output() -> None:
    nodes = {"Cube": "GeometryNodeMeshCube", "Move": "GeometryNodeTransform"}
    put_on_plane(made("Artist", nodes, [("Cube", 0, "Move", 0)]))


THROUGH: Links = [("Group Input", 0, "Odd", 0), ("Odd", 0, "Move", 0), ("Move", 0, "Group Output", 0)]


def shows_nothing() -> None:
    put_on_plane(made("Artist", {"Odd": "GeometryNodeDeleteGeometry", "Move": "GeometryNodeTransform"}, THROUGH))


def is_infinite() -> None:
    nodes = {"Odd": "GeometryNodeSetPosition", "Move": "GeometryNodeTransform", "Math": "ShaderNodeMath"}
    tree = made("Artist", nodes, [*THROUGH, ("Math", 0, "Odd", "Offset")])
    tree.nodes["Math"].operation = "POWER"
    for place, value in enumerate((1e30, 5)):
        tree.nodes["Math"].inputs[place].default_value = value
    put_on_plane(tree)


def has_half_a_zone() -> None:
    nodes = {"Odd": "GeometryNodeSetShadeSmooth", "Move": "GeometryNodeTransform", "Half": "GeometryNodeRepeatOutput"}
    put_on_plane(made("Artist", nodes, THROUGH))


def has_an_invalid_link() -> None:
    nodes = {"Odd": "GeometryNodeSetShadeSmooth", "Move": "GeometryNodeTransform", "Cube": "GeometryNodeMeshCube"}
    tree = made("Artist", nodes, [*THROUGH, ("Cube", 0, "Move", "Scale")])
    assert not all(link.is_valid for link in tree.links)
    put_on_plane(tree)


def errs() -> None:
    nodes = {"Odd": "GeometryNodeSetPosition", "Move": "GeometryNodeTransform", "Says": "GeometryNodeWarning"}
    tree = made("Artist", nodes, [*THROUGH, ("Says", 0, "Odd", "Selection")])
    tree.nodes["Says"].warning_type = "ERROR"
    tree.nodes["Says"].inputs["Message"].default_value = "No good"
    tree.nodes["Says"].inputs["Show"].default_value = True
    put_on_plane(tree)


WRONG: list[tuple[Callable[[], None], str]] = [
    (no_output, "unknown_node"),
    (nothing_at_the_output, "OUTPUT_CONNECTED"),
    (shows_nothing, "NOT_EMPTY"),
    (is_infinite, "non_finite_number"),
    (has_half_a_zone, "zone_incomplete"),
    (has_an_invalid_link, ""),
    (errs, "NO_MODIFIER_ERROR"),
]


@pytest.fixture(autouse=True)
def fresh() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


@pytest.mark.parametrize("ops", [[SET], [MOVE]], ids=["set", "move"])
@pytest.mark.parametrize(("build", "code"), WRONG, ids=[build.__name__ for build, _ in WRONG])
def test_what_was_wrong_before_is_said_and_kept(
    build: Callable[[], None], code: str, ops: list[dict[str, Any]]
) -> None:
    if build is errs and bpy.app.version < (4, 3):
        pytest.skip("this Blender has no Warning node")
    build()
    bpy.context.view_layer.update()
    report = api.apply_plan(gn_ops(*ops), approve="all")
    assert report.status == "done", report.messages
    said = [m for m in report.messages if m["code"] == code and m["severity"] == "warning" and BEFORE in m["text"]]
    assert bool(said) == bool(code), report.messages


@pytest.mark.parametrize("build", [no_output, nothing_at_the_output, shows_nothing], ids=lambda one: one.__name__)
def test_geometry_that_the_run_makes_there_has_to_arrive(build: Callable[[], None]) -> None:
    build()
    more = {"op": "add_node", "id": "More", "bl_idname": "GeometryNodeMeshCube"}
    report = api.apply_plan(gn_ops(more), approve="all")
    assert report.status == "error", report.messages


def test_an_error_that_the_run_brings_fails_it() -> None:
    if bpy.app.version < (4, 3):
        pytest.skip("this Blender has no Warning node")
    errs()
    bpy.data.node_groups["Artist"].nodes["Says"].inputs["Show"].default_value = False
    bpy.context.view_layer.update()
    show = {"op": "set_input", "node_id": "Says", "socket_name": "Show", "value": True}
    report = api.apply_plan(gn_ops(show), approve="all")
    assert "NO_MODIFIER_ERROR" in {m["code"] for m in report.messages if m["severity"] == "error"}


def artist() -> Any:
    """A tree of the artist's whose nodes have mistakes that Blender does not report."""
    nodes = {
        "Move": "GeometryNodeTransform",
        "Empty": "GeometryNodeGroup",
        "Named": "GeometryNodeInputNamedAttribute",
        "Set": "GeometryNodeSetPosition",
    }
    tree = made("Artist", nodes, [("Group Input", 0, "Move", 0), ("Move", 0, "Set", 0), ("Set", 0, "Group Output", 0)])
    tree.nodes["Named"].data_type = "FLOAT_VECTOR"
    tree.nodes["Named"].inputs["Name"].default_value = "missing"
    outputs = tree.nodes["Named"].outputs
    tree.links.new(next(one for one in outputs if one.enabled), tree.nodes["Set"].inputs["Offset"])
    put_on_plane(tree)
    return tree


ALL = {"op": "group_nodes", "id": "Inner", "node_group_name": "Inner", "node_ids": ["Move", "Empty", "Named", "Set"]}
CUT = [
    {"op": "add_node", "id": "New", "bl_idname": "GeometryNodeMeshCube"},
    {"op": "link", "from_node": "New", "from_socket": "Mesh", "to_node": "group_output", "to_socket": "Geometry"},
]


def asked(plan: dict[str, Any]) -> str:
    """What the artist is asked before the plan is applied."""
    handle = api.start("edit", "Plane", "replay", replies=[json.dumps(plan)], approve="ask")
    found: list[str] = []
    while not handle.finished:
        handle.poll()
        for request_id, request in list(handle.pending.items()):
            found.append(str(request))
            handle.reject(request_id)
        if not handle.finished:
            handle.wait(1)
    return " ".join(found)


def test_moved_nodes_stay_the_artists() -> None:
    tree = artist()
    report = api.apply_plan(gn_ops(ALL), approve="all")
    assert report.status == "done", report.messages
    inner = bpy.data.node_groups["Inner"]
    mark = ownership.read_mark(inner)
    theirs = {"Move", "Empty", "Named", "Set"}
    assert mark is None or not mark["as_left"] and theirs.isdisjoint(mark["nodes"])
    assert [line for line in report.diff if "Move “Move” from “Artist” to “Inner”" in line], report.diff
    assert not [line for line in report.diff if line.startswith(("Remove", "Add Transform", "Add Named"))]
    # What would cut them off is asked about, as if they had stayed where they were.
    assert "no longer reach the output" in asked(gn_ops(*CUT, node_group_name="Inner"))
    back = gn_ops({"op": "ungroup_nodes", "id": "Inner"})
    report = api.apply_plan(back, approve="all")
    assert report.status == "done", report.messages
    mark = ownership.read_mark(tree)
    assert mark is None or theirs.isdisjoint(mark["nodes"])


@pytest.mark.parametrize("together", [True, False], ids=["one step", "two steps"])
def test_moved_nodes_that_are_cut_off_in_the_same_plan_are_asked_about(together: bool) -> None:
    artist()
    if together:
        plan = gn_ops(ALL, *CUT)
    else:
        plan = gn_ops(ALL)
        plan["steps"] += [gn_ops(*CUT, node_group_name="Inner")["steps"][0] | {"id": "cut"}]
    assert "no longer reach the output" in asked(plan)


def test_moved_nodes_of_the_assistants_stay_the_assistants() -> None:
    put_on_plane(made("Blank", {}, [("Group Input", 0, "Group Output", 0)]))
    ops = [
        {"op": "add_node", "id": "Up", "bl_idname": "GeometryNodeTransform"},
        *(
            {"op": "link", "from_node": a, "from_socket": "Geometry", "to_node": b, "to_socket": "Geometry"}
            for a, b in (("group_input", "Up"), ("Up", "group_output"))
        ),
    ]
    assert api.apply_plan(gn_ops(*ops), approve="all").ok
    group = {"op": "group_nodes", "id": "Inner", "node_group_name": "Inner", "node_ids": ["Up"]}
    assert api.apply_plan(gn_ops(group), approve="all").ok
    mark = ownership.read_mark(bpy.data.node_groups["Inner"])
    assert mark is not None and mark["as_left"] and "Up" in mark["nodes"]
