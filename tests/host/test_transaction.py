# SPDX-License-Identifier: GPL-3.0-or-later
"""A restore gives back exactly the earlier state; a commit leaves one undo step and no temporary data."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant.host import apply, context, evaluate, export
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.modifiers import read_inputs
from geonode_assistant.host.transaction import Transaction
from making import on, socket, step, through


def everything() -> str:
    """The visible state of trees, modifiers, data-blocks, animation and selection."""
    trees = {}
    for tree in bpy.data.node_groups:
        animation = tree.animation_data
        trees[tree.name] = {
            "ir": export.export_one(tree)[0],
            "users": tree.users,
            "fake": tree.use_fake_user,
            "selected": [n.name for n in tree.nodes if n.select],
            "active": tree.nodes.active and tree.nodes.active.name,
            "asset": tree.asset_data and [tree.asset_data.author, [t.name for t in tree.asset_data.tags]],
            "drivers": animation and [(d.data_path, d.array_index, d.driver.expression) for d in animation.drivers],
            "action": animation and animation.action and animation.action.name,
        }
    objects = {
        o.name: [
            (
                m.name,
                m.type,
                m.show_viewport,
                m.type == "NODES" and m.node_group and m.node_group.name,
                m.type == "NODES" and read_inputs(m),
            )
            for m in o.modifiers
        ]
        for o in bpy.data.objects
    }
    blocks = sorted((b.id_type, b.name, b.users) for b in bpy.data.user_map())
    return json.dumps([trees, objects, blocks], sort_keys=True)


@pytest.fixture
def scene(starter: None) -> Any:
    """`Test` on Plane and Cube and inside `Outer` on Sphere; with an animation, a driver, a selection, an asset
    mark.
    """
    new = through()
    new["interface"].append(socket("@h", "Height", "INPUT", "NodeSocketFloat", default_value=0.5))
    outer = through(
        "Outer",
        add=[
            {"id": "in", "type": "NodeGroupInput"},
            {"id": "out", "type": "NodeGroupOutput"},
            {"id": "move", "type": "GeometryNodeGroup"},
        ],
        values=[["move", "=Height", 0.75]],
        props=[["move", "node_tree", {"node_group": "Test"}]],
        links=[["in", "@in", "move", "=Geometry"], ["move", "=Geometry", "out", "@out"]],
    )
    apply.apply_delta(
        step(
            new,
            outer,
            modifiers=[on("Plane", "Test"), on("Cube", "Test"), on("Sphere", "Outer")],
            inputs=[{"object": "Cube", "modifier": "GeoNode", "identifier": "=Height", "value": 4.25}],
        )
    )
    tree = bpy.data.node_groups["Test"]
    bpy.data.objects["Plane"].modifiers.new("Bend", "SIMPLE_DEFORM")
    move = tree.nodes["move"]
    move.inputs["Offset"].driver_add("default_value", 2).driver.expression = "frame * 0.1"
    move.inputs["Offset"].keyframe_insert("default_value", index=0, frame=3)
    for node in tree.nodes:
        node.select = node == move
    tree.nodes.active = move
    tree.use_fake_user = True
    tree.asset_mark()
    tree.asset_data.author = "Somebody"
    tree.asset_data.tags.new("moving")
    bpy.context.view_layer.update()
    return tree


def random_edit(draw: random.Random, number: int) -> dict[str, Any]:
    """A legal step of random content on `Test`: interface, nodes, values, links, frames, a zone, a modifier, a
    nested tree.
    """
    from geonode_assistant.host.identity import index

    tree = bpy.data.node_groups["Test"]
    ids = list(index(tree))
    edit: dict[str, Any] = {
        "tree": "Test",
        "create": False,
        "interface": [],
        "add": [],
        "values": [],
        "links": [],
        "props": [],
        "locations": [],
        "parents": [],
        "remove": [],
        "items": [],
        "pairs": [],
    }
    trees, inputs, modifiers = [edit], [], []
    for turn in range(draw.randint(1, 6)):
        name = f"n{number}_{turn}"
        match draw.randrange(9):
            case 0:
                edit["interface"].append(
                    socket(
                        f"@{name}",
                        name,
                        "INPUT",
                        draw.choice(["NodeSocketFloat", "NodeSocketInt"]),
                        default_value=draw.randint(1, 9),
                    )
                )
            case 1:
                edit["add"].append({"id": name, "type": "ShaderNodeMath"})
                edit["props"].append([name, "operation", draw.choice(["SINE", "ADD", "POWER"])])
                edit["values"].append([name, "Value", draw.random()])
                edit["locations"].append([name, draw.uniform(-900, 900), draw.uniform(-900, 900)])
            case 2 if "move" in ids and "move" not in edit["remove"]:
                edit["values"].append(["move", "Offset", [draw.random(), draw.random(), draw.random()]])
                edit["props"].append(["move", "mute", draw.random() < 0.5])
            case 3 if "move" in ids and not edit["values"] and not edit["props"] and not edit["parents"]:
                edit["remove"].append("move")
                ids.remove("move")
            case 4:
                edit["add"].append({"id": name, "type": "NodeFrame", "label": "Frame"})
                if ids:
                    edit["parents"].append([draw.choice(ids), name])
            case 5:
                edit["add"] += [
                    {"id": f"{name}.in", "type": "GeometryNodeSimulationInput"},
                    {"id": f"{name}.out", "type": "GeometryNodeSimulationOutput"},
                ]
                edit["pairs"].append([f"{name}.in", f"{name}.out"])
                edit["items"].append(
                    [
                        f"{name}.out",
                        "state_items",
                        [{"name": "Geometry", "socket_type": "GEOMETRY"}, {"name": "Age", "socket_type": "INT"}],
                    ]
                )
            case 6:
                trees.append(through(f"Made {name}"))
                modifiers.append(on(draw.choice(["Plane", "Suzanne"]), f"Made {name}", name))
            case 7 if edit["interface"] == []:
                height = next((i.identifier for i in tree.interface.items_tree if i.name == "Height"), None)
                if height is not None:
                    edit["interface"].append({"op": "remove", "identifier": height})
            case _:
                edit["add"].append({"id": name, "type": "GeometryNodeStringToCurves"})
    return step(*trees, modifiers=modifiers, inputs=inputs)


@pytest.mark.parametrize("seed", range(25))
def test_random_edits_are_restored(scene: Any, seed: int) -> None:
    draw = random.Random(seed)
    before = everything()
    transaction = Transaction(["Plane", "Suzanne"], ["Test"])
    for number in range(draw.randint(1, 3)):
        transaction.apply(random_edit(draw, number))
        evaluate.evidence(["Plane"], ["Test"], transaction.before)
    assert everything() != before
    assert transaction.restore() is True
    assert everything() == before


PHASES = [
    "_edit_interface",
    "_edit_nodes",
    "_edit_props",
    "_edit_items",
    "_edit_values",
    "_edit_late",
    "_edit_places",
    "_copy_defaults_to_users",
]


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_fault_in_any_phase_is_restored(scene: Any, phase: str, late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything()
    real = getattr(apply.TreeEdit, phase)

    def faulty(self: Any, *args: Any) -> None:
        if late:
            real(self, *args)
        raise MemoryError("injected")

    monkeypatch.setattr(apply.TreeEdit, phase, faulty)
    edit = {
        "tree": "Test",
        "create": False,
        "remove": ["move"],
        "interface": [socket("@n", "New", "INPUT", "NodeSocketFloat", default_value=3.0)],
        "add": [{"id": "a", "type": "GeometryNodeMenuSwitch"}],
        "props": [["a", "data_type", "FLOAT"]],
        "items": [["a", "enum_items", [{"name": "One"}, {"name": "Two"}]]],
        "values": [["a", "=One", 2.0]],
        "links": [["in", "@n", "a", "=Two"]],
        "late_values": [["a", "Menu", "Two"]],
        "locations": [["a", 5.0, 5.0]],
    }
    transaction = Transaction(["Plane"], ["Test"])
    with pytest.raises(MemoryError):
        transaction.apply(step(edit, through("Second")))
    assert transaction.restore() is True
    assert everything() == before


def test_a_fault_at_the_modifier_is_restored(scene: Any) -> None:
    before = everything()
    transaction = Transaction(["Plane"], [])
    with pytest.raises(HostError):
        transaction.apply(
            step(
                through("Second"),
                modifiers=[on("Plane", "Second", "New")],
                inputs=[{"object": "Plane", "modifier": "New", "identifier": "=Nothing", "value": 1}],
            )
        )
    assert "New" in bpy.data.objects["Plane"].modifiers
    assert transaction.restore() is True
    assert everything() == before


def test_references_follow_a_restore(scene: Any) -> None:
    """Drivers of other data-blocks, group nodes and modifiers refer to the restored tree."""
    holder = bpy.data.objects["Suzanne"]
    curve = holder.driver_add("location", 0)
    variable = curve.driver.variables.new()
    variable.targets[0].id_type = "NODETREE"
    variable.targets[0].id = scene
    transaction = Transaction([], ["Test"])
    transaction.apply(step({"tree": "Test", "create": False, "values": [["move", "Offset", [9.0, 9.0, 9.0]]]}))
    assert transaction.restore()
    tree = bpy.data.node_groups["Test"]
    assert holder.animation_data.drivers[0].driver.variables[0].targets[0].id == tree
    assert bpy.data.objects["Cube"].modifiers[0].node_group == tree
    assert bpy.data.node_groups["Outer"].nodes["move"].node_tree == tree
    assert tree.asset_data is not None and tree.asset_data.author == "Somebody"


def test_edits_of_the_artist_meanwhile_survive(scene: Any) -> None:
    transaction = Transaction(["Plane"], ["Test"])
    transaction.apply(step(through("Run's"), modifiers=[on("Plane", "Run's", "Run's")]))
    bpy.data.node_groups.new("Artist's", "GeometryNodeTree")
    bpy.data.objects["Plane"].modifiers.new("Artist's", "BEVEL")
    bpy.data.objects["Plane"].location.x = 3.0
    transaction.restore()
    assert context.names("node_group") == ["Artist's", "Outer", "Test"]
    assert [m.name for m in bpy.data.objects["Plane"].modifiers] == ["GeoNode", "Bend", "Artist's"]
    assert bpy.data.objects["Plane"].location.x == 3.0


def test_commit_is_one_undo_step(scene: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    before = everything()
    transaction = Transaction(["Plane"], ["Test"])
    for number in range(2):
        transaction.apply(step(through(f"Made {number}"), modifiers=[on("Plane", f"Made {number}", f"M{number}")]))
    transaction.commit("GeoNode: test")
    after = everything()
    assert after != before and not [g.name for g in bpy.data.node_groups if g.name.startswith(".")]
    bpy.ops.ed.undo()
    assert everything() == before
    bpy.ops.ed.redo()
    assert everything() == after


def test_saved_copies_are_hidden(scene: Any) -> None:
    transaction = Transaction(["Plane"], ["Test"])
    assert [g for g in evaluate.lists()["node_groups"] if g.startswith(".")] == []
    assert evaluate.lists() == transaction.before.names
    assert [g["name"] for g in context.capture_context("Plane")["node_groups"]] == ["Outer", "Test"]
    assert context.inspect([], ["Test"])["names"]["node_group"] == ["Outer", "Test"]
    transaction.commit("nothing")


def test_extend_covers_later_targets(scene: Any) -> None:
    before = everything()
    transaction = Transaction(["Plane"], [])
    transaction.apply(step(through("New")))
    transaction.extend(["Cube"], ["Test", "New"])
    transaction.apply(
        step(
            {"tree": "Test", "create": False, "remove": ["move"]}, {"tree": "New", "create": False, "remove": ["move"]}
        )
    )
    assert transaction.restore() is True
    assert everything() == before


def test_a_closed_transaction_stays_closed(scene: Any) -> None:
    transaction = Transaction([], ["Test"])
    transaction.restore()
    for call in (transaction.restore, lambda: transaction.commit("again")):
        with pytest.raises(HostError):
            call()


def test_linked_data_is_refused(scene: Any, tmp_path: Path) -> None:
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {bpy.data.node_groups["Test"], bpy.data.objects["Cube"]})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.node_groups, wanted.objects = ["Test"], ["Cube"]
    before = everything()
    for objects, trees in ((["Cube"], []), ([], ["Test"])):
        with pytest.raises(HostError) as refused:
            Transaction(objects, trees)
        assert refused.value.code == "library_data"
    with pytest.raises(HostError) as refused:
        apply.apply_delta(step({"tree": "Test", "create": False, "remove": ["move"]}))
    assert refused.value.code == "library_data"
    assert everything() == before
    assert context.inspect([], ["Test"])["tree_info"]["Test"]["library"] is True


def test_an_unknown_object_leaves_no_copies(scene: Any) -> None:
    before = everything()
    with pytest.raises(HostError, match="Suzanne"):
        Transaction(["Susanne"], ["Test"])
    assert everything() == before


def test_a_restore_keeps_what_blender_derives(scene: Any) -> None:
    """A driver whose path led nowhere for a moment lives on, how a zone is baked stays, and so do an asset's modes."""
    tree = through("Baked")
    tree["interface"].append(socket("@s", "Size", "INPUT", "NodeSocketFloat"))
    apply.apply_delta(step(tree, modifiers=[on("Plane", "Baked", "Baked")]))
    group = bpy.data.node_groups["Baked"]
    ends = [group.nodes.new(f"GeometryNodeSimulation{side}put") for side in ("In", "Out")]
    ends[0].pair_with_output(ends[1])
    group.asset_mark()
    plane = bpy.data.objects["Plane"]
    modifier: Any = plane.modifiers["Baked"]
    bpy.context.view_layer.update()
    bake = modifier.bakes[0]
    bake.use_custom_path, bake.directory, bake.frame_end = True, "//cache", 33
    identifier = next(item.identifier for item in group.interface.items_tree if item.name == "Size")
    if bpy.app.version >= (5, 2):
        curve = getattr(modifier.properties.inputs, identifier).driver_add("value")
    else:
        curve = plane.driver_add(f'modifiers["Baked"]["{identifier}"]')
    curve.driver.expression = "frame * 2"
    modes = group.asset_data["geometry_node_asset_traits_flag"]
    transaction = Transaction(["Plane"], ["Baked"])
    change = {
        "tree": "Baked",
        "create": False,
        "settings": {"is_tool": True},
        "interface": [{"op": "remove", "identifier": identifier, "in_out": "INPUT"}],
        "remove": [node.name for node in ends],
    }
    transaction.apply(step(change))
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    assert transaction.restore()
    bpy.context.scene.frame_set(9)
    assert read_inputs(modifier)[identifier] == 18.0
    assert [(one.use_custom_path, one.directory, one.frame_end) for one in modifier.bakes] == [(True, "//cache", 33)]
    assert bpy.data.node_groups["Baked"].asset_data["geometry_node_asset_traits_flag"] == modes


def test_a_step_that_changes_nothing_marks_nothing(scene: Any) -> None:
    transaction = Transaction([], ["Test"])
    del scene.nodes["move"]["geonode_id"]
    transaction.apply(step({"tree": "Test", "create": False, "stamp": ["move"]}))
    assert "geonode_id" not in scene.nodes["move"]
    transaction.restore()
