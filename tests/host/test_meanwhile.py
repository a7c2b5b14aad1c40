# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits by others are found wherever they are made, and nothing is read where nobody can have made any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import pytest
from geonode_assistant.host import apply, evaluate, export, modifiers
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.transaction import Transaction
from making import on, socket, step, through


@pytest.fixture
def scene(starter: None) -> Any:
    """`Test` on the plane, and `Alone`, which nothing uses."""
    new = through()
    new["interface"].append(socket("@h", "Height", "INPUT", "NodeSocketFloat", default_value=0.5))
    apply.apply_delta(step(new, through("Alone"), modifiers=[on("Plane", "Test")]))
    return bpy.data.node_groups["Test"]


@pytest.fixture
def exports(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The trees that are exported from now on."""
    found: list[str] = []
    usual = export.export_one

    def counted(tree: Any, whole: bool = False) -> Any:
        found.append(tree.name)
        return usual(tree, whole)

    monkeypatch.setattr(export, "export_one", counted)
    return found


def moved(z: float, tree: str = "Test") -> Any:
    return step({"tree": tree, "create": False, "values": [["move", "Offset", [0.0, 0.0, z]]]})


def test_writes_without_a_pause_read_nothing_and_what_is_judged_is_not_read_again(
    scene: Any, exports: list[str]
) -> None:
    transaction = Transaction(["Plane"], ["Test", "Alone"], announced=True)
    assert sorted(exports) == ["Alone", "Test"]
    exports.clear()
    transaction.apply(moved(1.5))
    transaction.apply(moved(2.0))
    assert exports == []
    transaction.note_read(evaluate.evidence(["Plane"], ["Test"], transaction.before)["trees"])
    transaction.pause()
    assert exports == ["Test"]
    transaction.apply(moved(3.0))
    assert exports == ["Test", "Test"]  # others may have edited it
    transaction.pause()
    assert exports == ["Test", "Test", "Test"]
    assert transaction.restore()
    assert of("Test").inputs["Offset"].default_value[2] != 3.0


def of(name: str) -> Any:
    return bpy.data.node_groups[name].nodes["move"]


def turn() -> None:
    modifier = bpy.data.objects["Plane"].modifiers["GeoNode"]
    item = next(item for item in modifiers.inputs_of(modifier.node_group) if item.name == "Height")
    modifiers.write_input(modifier, item.identifier, 7.0)


def insert(name: str) -> None:
    bpy.data.node_groups[name].nodes.new("ShaderNodeMath")


# Neither a label nor a place nor anything in a tree that no object shows is told by Blender.
EDITS: dict[str, Callable[[str], Any]] = {
    "value": lambda name: setattr(of(name).inputs["Offset"], "default_value", (5.0, 5.0, 5.0)),
    "label": lambda name: setattr(of(name), "label", "Mine"),
    "place": lambda name: setattr(of(name), "location", (777.0, 7.0)),
    "name": lambda name: setattr(of(name), "name", "mine"),
    "mute": lambda name: setattr(of(name), "mute", True),
    "colour": lambda name: setattr(of(name), "color", (0.1, 0.2, 0.3)),
    "hidden socket": lambda name: setattr(of(name).inputs["Selection"], "hide", True),
    "node": insert,
    "links": lambda name: bpy.data.node_groups[name].links.clear(),
    "input": lambda name: bpy.data.node_groups[name].interface.new_socket("Mine", socket_type="NodeSocketFloat"),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("tree", ["Test", "Alone"])
@pytest.mark.parametrize("written", [False, True])
def test_any_edit_after_a_pause_stops_the_next_write(scene: Any, tree: str, edit: str, written: bool) -> None:
    transaction = Transaction(["Plane"], ["Test", "Alone"], announced=True)
    if written:
        transaction.apply(moved(1.5, tree))
    transaction.pause()
    EDITS[edit](tree)
    with pytest.raises(HostError) as refused:
        transaction.apply(moved(2.0, tree))
    assert refused.value.code == "touched_by_artist"
    transaction.restore()
    assert transaction.set_aside == ([f"{tree} (edited)"] if written else [])


def uses_alone(tree: Any) -> None:
    node = tree.nodes.new("GeometryNodeGroup")
    node.name, node.node_tree = "Part", bpy.data.node_groups["Alone"]


def test_a_group_is_covered_after_a_tree_that_uses_it(scene: Any) -> None:
    uses_alone(scene)
    transaction = Transaction(["Plane"], ["Test"], announced=True)
    transaction.apply(moved(1.5))
    transaction.extend([], ["Alone"])
    transaction.apply(moved(1.5, "Alone"))
    assert transaction.restore(), "the copy from before is no tree of the file"
    assert scene_names() == ["Alone", "Test"]


def scene_names() -> list[str]:
    return sorted(tree.name for tree in bpy.data.node_groups)


def delete(tree: Any) -> None:
    bpy.data.node_groups.remove(tree)


def rename(tree: Any) -> None:
    tree.name = "Renamed"


@pytest.mark.parametrize("edit", [delete, rename])
@pytest.mark.parametrize("both", [False, True])
def test_a_group_may_go_whose_node_the_run_removed(scene: Any, both: bool, edit: Callable[[Any], None]) -> None:
    uses_alone(scene)
    transaction = Transaction(["Plane"], ["Test", "Alone"], announced=True)
    transaction.apply(step({"tree": "Test", "create": False, "remove": ["Part"]}))
    if both:
        transaction.apply(moved(1.5, "Alone"))
    transaction.pause()
    edit(bpy.data.node_groups["Alone"])
    assert transaction.restore(), "the node comes back with what its group is now"
    assert "Alone" not in bpy.data.node_groups
    group = bpy.data.node_groups["Test"].nodes["Part"].node_tree
    assert group is None if edit is not rename else group.name == "Renamed"


def test_a_tree_that_was_deleted_by_hand_leaves_its_modifier_without(scene: Any) -> None:
    transaction = Transaction(["Plane"], ["Test"], announced=True)
    transaction.apply(moved(1.5))
    transaction.pause()
    bpy.data.node_groups.remove(bpy.data.node_groups["Test"])
    transaction.restore()
    assert "Test" not in bpy.data.node_groups
    assert bpy.data.objects["Plane"].modifiers["GeoNode"].node_group is None


def test_what_is_kept_aside_may_use_a_group_that_is_restored(scene: Any) -> None:
    uses_alone(scene)
    transaction = Transaction(["Plane"], ["Test", "Alone"], announced=True)
    transaction.apply(moved(1.5))
    transaction.apply(moved(1.5, "Alone"))
    transaction.pause()
    EDITS["value"]("Test")
    assert transaction.restore(), "the users of the group are told apart"
    assert transaction.set_aside == ["Test (edited)"]


@pytest.mark.parametrize("written", [False, True])
def test_an_input_turned_after_a_pause_keeps_its_value(scene: Any, written: bool) -> None:
    transaction = Transaction(["Plane"], ["Test"], announced=True)
    if written:
        transaction.apply(moved(1.5))
    transaction.pause()
    turn()
    height = next(item.identifier for item in modifiers.inputs_of(scene) if item.name == "Height")
    entry = {"object": "Plane", "modifier": "GeoNode", "identifier": height, "value": 1.0}
    with pytest.raises(HostError) as refused:
        transaction.apply(step(inputs=[entry]))
    assert refused.value.code == "touched_by_artist"
    transaction.restore()
    assert modifiers.read_inputs(bpy.data.objects["Plane"].modifiers["GeoNode"])[height] == 7.0


def test_a_pause_without_edits_stops_nothing(scene: Any) -> None:
    transaction = Transaction(["Plane"], ["Test", "Alone"], announced=True)
    for number in range(3):
        transaction.pause()
        transaction.apply(moved(float(number)))
        transaction.apply(moved(float(number), "Alone"))
    assert transaction.restore() and transaction.set_aside == []


def test_what_a_changed_interface_does_to_users_is_the_runs_own(scene: Any) -> None:
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
    apply.apply_delta(step(outer))
    transaction = Transaction(["Plane"], ["Test"], announced=True)
    added = socket("@more", "More", "INPUT", "NodeSocketFloat", default_value=3.0)
    transaction.apply(step({"tree": "Test", "create": False, "interface": [added]}))
    transaction.pause()
    transaction.apply(moved(2.0))
    entry = {"tree": "Outer", "create": False, "values": [["move", "=More", 4.0]]}
    transaction.apply(step(entry))
    assert transaction.restore() and transaction.set_aside == []
