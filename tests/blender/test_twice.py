# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of an artist's tree that are carried out twice: the second time changes nothing, makes no undo step and is no
error, whether the first time added, moved, gathered or removed.
"""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from editing import OBJECT, gn_ops, put_on_plane, trees
from geonode_assistant import api
from geonode_assistant.host import undo
from geonode_assistant.run import session

pytestmark = pytest.mark.usefixtures("untried")


def node(tree: Any, kind: str, name: str, source: Any = None, to: str = "", **values: Any) -> Any:
    """Adds a node with this name and these input values, with a link from `source` into its first input, or `to`."""
    made = tree.nodes.new(kind)
    made.name = name
    for word, value in values.items():
        made.inputs[word].default_value = value
    if source is not None:
        tree.links.new(source.outputs[0], made.inputs[to] if to else made.inputs[0])
    return made


def new_tree(name: str) -> tuple[Any, Any, Any]:
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    return tree, node(tree, "NodeGroupInput", "Group Input"), node(tree, "NodeGroupOutput", "Group Output")


@pytest.fixture(autouse=True)
def artists_tree() -> Any:
    """A plane with a tree that has a bit of everything."""
    session.current.reset("")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    inner, begin, end = new_tree("Bend")
    lift = node(inner, "GeometryNodeSetPosition", "Lift", node(inner, "GeometryNodeTransform", "Tilt", begin))
    inner.links.new(lift.outputs[0], end.inputs[0])
    tree, begin, end = new_tree("Field")
    height = tree.interface.new_socket("Height", in_out="INPUT", socket_type="NodeSocketFloat")
    height.min_value, height.max_value, height.default_value = 0, 10, 1
    tree.interface.new_socket("Count", in_out="INPUT", socket_type="NodeSocketInt")
    tree.interface.new_socket("Tip", in_out="OUTPUT", socket_type="NodeSocketFloat")
    turn = node(tree, "GeometryNodeTransform", "Turn", node(tree, "GeometryNodeSubdivideMesh", "Split", begin))
    amount = node(tree, "ShaderNodeMath", "Amount")
    tree.links.new(begin.outputs["Height"], amount.inputs[0])
    tree.links.new(amount.outputs[0], end.inputs["Tip"])
    wave = node(tree, "GeometryNodeSetPosition", "Wave", turn)
    tree.links.new(amount.outputs[0], wave.inputs["Offset"])
    loop_in, loop_out = tree.nodes.new("GeometryNodeRepeatInput"), tree.nodes.new("GeometryNodeRepeatOutput")
    loop_in.name, loop_out.name = "Loop In", "Loop Out"
    loop_in.pair_with_output(loop_out)
    tree.links.new(wave.outputs[0], loop_in.inputs["Geometry"])
    tree.links.new(loop_in.outputs["Geometry"], loop_out.inputs["Geometry"])
    bend = node(tree, "GeometryNodeGroup", "Bend")
    bend.node_tree = inner
    tree.links.new(loop_out.outputs["Geometry"], bend.inputs[0])
    every = node(tree, "GeometryNodeJoinGeometry", "All", bend)
    kind = node(tree, "GeometryNodeMenuSwitch", "Kind")
    kind.data_type = "GEOMETRY"
    box = node(tree, "GeometryNodeMeshCube", "Box")
    places = [socket for socket in kind.inputs if socket.type == "GEOMETRY" and socket.enabled]
    tree.links.new(box.outputs[0], places[0])
    tree.links.new(node(tree, "GeometryNodeMeshCone", "Cone").outputs[0], places[1])
    tree.links.new(kind.outputs[0], every.inputs[0])
    tree.links.new(every.outputs[0], end.inputs[0])
    node(tree, "GeometryNodeMeshGrid", "Spare")
    put_on_plane(tree)
    return tree


def run(plan: dict[str, Any]) -> Any:
    return api.apply_plan(plan, object=OBJECT, approve="all", settings={"allow_empty_result": True})


def page(*lines: str, group: str = "Field") -> dict[str, Any]:
    text = f'with edit("{group}"):\n' + "".join(f"    {line}\n" for line in lines)
    step = {"id": "edit", "type": "NODE_TREE", "description": "Edit", "payload": {"text": text}}
    return {"version": "1.2", "steps": [step], "done": True, "final_message": "Edited."}


PAGES: dict[str, dict[str, Any]] = {
    text.replace("\n", "; "): page(*text.split("\n"))
    for text in (
        "more = insert(link=(wave, loop_in.geometry), node=subdivide_mesh(level=2))",
        "more = insert(link=(split, turn.geometry), node=set_position(offset=(0.0, 0.0, 1.0)))",
        "more = insert(link=(bend, all.geometry), node=realize_instances())",
        "more = insert(link=(amount, wave.offset), node=math(operation='ADD', value_001=2.0))",
        "a = insert(link=(split, turn.geometry), node=set_position())\n"
        "b = insert(link=(a, turn.geometry), node=flip_faces())",
        'part = gather("Part", split, turn)',
        'part = gather("Part", turn, wave, amount)',
        'part = gather("Part", loop_in, loop_out)',
        'part = gather("Part", box)\nsplit.level = 2',
        'box.size = (2.0, 2.0, 2.0)\npart = gather("Part", box, cone)',
        'new = ico_sphere(radius=0.5)\nkind.items = {"A": new, "B": cone}\npart = gather("Part", cone)',
        'one = gather("One", box)\ntwo = gather("Two", cone)',
        "ungroup(bend)",
        "ungroup(bend)\nsplit.level = 3",
        "del spare",
        "del amount",
        "del box, cone",
        "del loop_in",
        "all.geometry = wave\ndel loop_out",
        "del height",
        "del count",
        "del group_output.tip",
        "del wave.offset",
        "all.geometry = [turn, bend, kind]",
        "all.geometry = [bend, kind]",
        "cleanup()",
        "turn.translation = (0.0, 0.0, 2.0)\nlabel(turn, 'Lifted')\nmute(wave)",
        "wave.offset = default",
        "amount.operation = 'SUBTRACT'",
        "amount.props = {'operation': 'SINE'}",
        "depth: Float = 2.0\nturn.scale = depth",
        "height: Float = 3.0\nlimits(height, min=1.0, max=5.0)",
        "group_output.size: Vector\ngroup_output.size = amount",
        "panel('Shape', height, count)",
        "with repeat(iterations=3, items={'Geometry': Geometry(wave)}) as (grow_in, grow_out):\n"
        "    grow_out.geometry = transform_geometry(grow_in.geometry)\nloop_in.geometry = grow_out.geometry",
        "with repeat(items={'Geometry': Geometry(wave), 'Size': Float(1.0)}) as (loop_in, loop_out):\n"
        "    loop_out.size = loop_in.size",
        "box = ico_sphere(radius=2.0)",
        "split = flip_faces(box)\nturn.geometry = split",
        "group_output.geometry = turn",
        "return wave",
        "grid = grid(size_x=2.0)\nall.geometry = [bend, kind, grid]",
        "growth = frame('Growth', turn, wave)",
        "x = turn.geometry\nextra = join_geometry(x, box)\nloop_in.geometry = extra",
        "kind.items = {'C': None, 'A': box}",
        "all.geometry = [bend, group('Bend', geometry=kind)]",
    )
}
PAGES["in the inner group"] = page("more = insert(link=(tilt, lift.geometry), node=flip_faces())", group="Bend")
PAGES["out of the inner group"] = page("del lift\nreturn tilt".replace("\n", "\n    "), group="Bend")
PAGES["gathered in the inner group"] = page('deep = gather("Deep", tilt)', group="Bend")


def socket(key: str, name: str = "Height", **more: Any) -> dict[str, Any]:
    kind = more.pop("kind", "NodeSocketFloat")
    return {"op": "set_group_io", "direction": "input", "name": name, "socket_type": kind, "identifier": key, **more}


def link(source: str, out: str, target: str, into: str) -> dict[str, Any]:
    return {"op": "link", "from_node": source, "from_socket": out, "to_node": target, "to_socket": into}


OPERATIONS: dict[str, list[dict[str, Any]]] = {
    "another input of a name": [socket("@more", default=2), link("group_input", "@more", "Turn", "Scale")],
    "two more": [socket("@a"), socket("@b", min=0), link("group_input", "@b", "Amount", "Value_001")],
    "another and the first": [socket("@a"), socket("Socket_2", default=4), {**socket("@c"), "name": "New"}],
    "another output": [
        {**socket("@o"), "direction": "output", "name": "Tip"},
        link("Amount", "Value", "group_output", "@o"),
    ],
    "one in a panel": [socket("@p", panel="Shape")],
    "removed": [{"op": "remove_node", "id": "Spare"}],
    "removed with its links": [{"op": "remove_node", "id": "Turn"}, link("Split", "Mesh", "Wave", "Geometry")],
    "a zone is removed": [{"op": "remove_zone", "id": "Loop Out"}],
    "an input is removed": [{"op": "set_group_io", "direction": "input", "name": "Count", "remove": True}],
    "gathered": [{"op": "group_nodes", "id": "Part", "node_group_name": "Part", "node_ids": ["Split", "Turn"]}],
    "gathered and set": [
        {"op": "group_nodes", "id": "Part", "node_group_name": "Part", "node_ids": ["Box"]},
        {"op": "set_input", "node_id": "Split", "socket_name": "Level", "value": 2},
    ],
    "ungrouped": [{"op": "ungroup_nodes", "id": "Bend"}],
    "replaced": [{"op": "replace_node", "node_id": "Box", "bl_idname": "GeometryNodeMeshUVSphere"}],
    "between": [
        {"op": "add_node", "id": "more", "bl_idname": "GeometryNodeSetPosition"},
        {"op": "unlink", "from_node": "Split", "from_socket": "Mesh", "to_node": "Turn", "to_socket": "Geometry"},
        link("Split", "Mesh", "more", "Geometry"),
        link("more", "Geometry", "Turn", "Geometry"),
    ],
    "ordered": [
        {
            "op": "order_links",
            "node_id": "All",
            "socket": "Geometry",
            "from": [{"node_id": "Bend", "socket": "Geometry"}],
        },
    ],
    "items": [{"op": "set_items", "node_id": "Kind", "collection": "enum_items", "items": [{"name": "A"}]}],
    "a zone's items": [
        {"op": "edit_zone", "id": "Loop Out", "add_items": [{"name": "Size", "socket_type": "NodeSocketFloat"}]}
    ],
    "a frame": [{"op": "add_frame", "id": "f", "label": "Detail", "node_ids": ["Turn", "Wave"]}],
    "cleaned up": [{"op": "cleanup_unused"}],
}
EDITS = PAGES | {name: gn_ops(*ops) for name, ops in OPERATIONS.items()}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_again_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = trees()
    report = run(EDITS[name])
    assert report.status == "done", report.messages
    after, groups = trees(), {group.name: group.users for group in bpy.data.node_groups}
    assert after != before
    steps: list[bool] = []
    monkeypatch.setattr(undo, "note_step", lambda: steps.append(True))
    report = run(EDITS[name])
    assert report.status == "done", report.messages
    assert report.diff == [] and trees() == after
    assert {group.name: group.users for group in bpy.data.node_groups} == groups and steps == []


@pytest.mark.parametrize("by_hand", [False, True])
def test_another_input_of_a_name_is_known_after_saving(by_hand: bool, artists_tree: Any, tmp_path: Any) -> None:
    plan = EDITS["another input of a name"]
    assert run(plan).status == "done"
    if by_hand:
        artists_tree.nodes["Box"].inputs["Size"].default_value = (3, 3, 3)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    before = trees()
    report = run(plan)
    assert report.status == "done" and trees() == before, report.messages
