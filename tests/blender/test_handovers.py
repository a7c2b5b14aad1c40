# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties of a node, and what else it holds, go with it into a group, out of one, and to the node of another
type that replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from chains import chain
from geonode_assistant import api
from geonode_assistant.host import custom_properties, handovers, id_state, identity

GROUP = {"op": "group_nodes", "id": "g", "node_group_name": "Inner", "node_ids": ["Move", "Fac"]}
UNGROUP = {"op": "ungroup_nodes", "id": "g"}
REPLACE = {"op": "replace_node", "node_id": "Move", "bl_idname": "GeometryNodeScaleElements"}
FAILING = {"expects": [{"object_name": "Plane", "component": "instances", "count": 9999}]}


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    tree = chain(("GeometryNodeTransform", "Move"))
    move, factor = tree.nodes["Move"], tree.nodes.new("ShaderNodeMath")
    factor.name = "Fac"
    tree.links.new(factor.outputs[0], move.inputs["Scale"])
    move.show_texture = True
    fill(move)
    factor["other"] = 7
    if custom_properties.sockets_have_them():
        move.inputs["Scale"]["mine"] = [1.0, 2.0]
        factor.outputs[0]["mine"] = "out"
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Scene")
    yield


def fill(owner: Any) -> None:
    snow = bpy.data.materials.new("Snow")
    snow.use_fake_user = True
    owner["number"] = 0.25
    owner["flags"] = [True, False]
    owner["text"] = "x"
    owner["raw"] = b"\x00\x01"
    owner["user"] = snow
    owner["tree"] = bpy.data.node_groups["A"]
    owner["nested"] = {"a": 1, "b": {"c": [1.5], "user": snow}}
    owner.id_properties_ui("number").update(min=0.0, max=2.0, description="How much")


def held(node: Any) -> dict[str, Any]:
    """What goes with a node, as text to compare."""
    found = {"node": repr({k: v for k, v in id_state.custom(node).items() if k != identity.STAMP})}
    for side in ("inputs", "outputs") if custom_properties.sockets_have_them() else ():
        found |= {f"{side} {s.name}": repr(id_state.custom(s)) for s in getattr(node, side) if len(s.keys())}
    return found


def run(*operations: dict[str, Any], fails: bool = False) -> Any:
    target = {"object_name": "Plane", "modifier_name": "X", "node_group_name": "A"}
    payload = {"target": target, "operations": list(operations)}
    step = {"id": "s", "type": "NODE_TREE", "description": "d", "payload": payload}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    return api.apply_plan(plan | ({"meta": FAILING} if fails else {}), approve="all")


def node(tree: str, name: str) -> Any:
    return bpy.data.node_groups[tree].nodes[name]


def test_they_go_into_a_group_and_out_of_it() -> None:
    before = {name: held(node("A", name)) for name in ("Move", "Fac")}
    assert "number" in before["Move"]["node"]
    assert run(GROUP).ok
    assert {name: held(node("Inner", name)) for name in before} == before
    assert node("Inner", "Move").show_texture
    assert run(UNGROUP).ok
    assert {name: held(node("A", name)) for name in before} == before
    assert node("A", "Move").show_texture
    assert node("A", "Move")["nested"]["b"]["user"] == bpy.data.materials["Snow"]


def test_each_node_that_a_group_becomes_gets_its_own() -> None:
    assert run(GROUP).ok
    node("Inner", "Move")["number"] = 0.5
    tree = bpy.data.node_groups["A"]
    other = tree.nodes.new("GeometryNodeGroup")
    other.name, other.node_tree = "h", bpy.data.node_groups["Inner"]
    tree.nodes.new("GeometryNodeTransform").name = "Move"
    bpy.ops.ed.undo_push(message="More")
    assert run({"op": "ungroup_nodes", "id": "g"}, {"op": "ungroup_nodes", "id": "h"}).ok
    found = [one.name for one in tree.nodes if one.get("number") == 0.5]
    assert found == ["Move.001", "Move.002"] and "number" not in tree.nodes["Move"]
    assert node("Inner", "Move")["number"] == 0.5


def test_they_go_to_the_node_of_another_type() -> None:
    before = held(node("A", "Move"))
    assert run(REPLACE).ok
    assert node("A", "Move").bl_idname == REPLACE["bl_idname"]
    assert held(node("A", "Move")) == before


@pytest.mark.parametrize("operations", [[GROUP], [REPLACE], [GROUP, UNGROUP]], ids=["group", "replace", "both"])
def test_a_failed_run_leaves_them(operations: list[dict[str, Any]]) -> None:
    before = {name: held(node("A", name)) for name in ("Move", "Fac")}
    report = run(*operations, fails=True)
    assert not report.ok and "restore_failed" not in [message["code"] for message in report.messages]
    assert {name: held(node("A", name)) for name in before} == before
    assert run(*operations).ok
    if operations != [GROUP]:
        assert held(node("A", "Move")) == before["Move"]


def test_what_a_removed_node_held_is_not_given_to_another() -> None:
    delete = {"op": "delete_node", "node_id": "Fac"}
    assert run(delete, {"op": "create_node", "node_id": "New", "bl_idname": "ShaderNodeMath"}).ok
    assert "other" not in node("A", "New")


def test_each_tree_is_looked_through_once_however_many_nodes_move(monkeypatch: pytest.MonkeyPatch) -> None:
    index, looked = identity.index, list[str]()

    def counted(tree: Any) -> dict[str, Any]:
        looked.append(tree.name)
        return index(tree)

    tree = bpy.data.node_groups["A"]
    for number in range(6):
        tree.nodes.new("ShaderNodeMath").name = f"More {number}"
    monkeypatch.setattr(handovers.identity, "index", counted)
    counts = []
    for some in (["More 0"], [f"More {number}" for number in range(1, 6)]):
        looked.clear()
        assert run(GROUP | {"id": f"of {len(some)}", "node_group_name": f"Of {len(some)}", "node_ids": some}).ok
        counts.append(len(looked))
    assert counts[0] == counts[1] > 0
