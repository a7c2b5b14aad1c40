# SPDX-License-Identifier: GPL-3.0-or-later
"""Ownership of trees, decided by mark and content, after saving, copying, appending and editing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant.host import context, export, ownership
from geonode_assistant.host.transaction import Transaction
from making import on, socket, step, through


@pytest.fixture
def tree(starter: None) -> Any:
    """A tree as a run left it."""
    new = through()
    new["interface"].append(socket("@h", "Height", "INPUT", "NodeSocketFloat", default_value=0.5))
    transaction = Transaction(["Plane"], ["Test"])
    transaction.apply(step(new, modifiers=[on("Plane", "Test")]))
    transaction.commit("GeoNode: test")
    return bpy.data.node_groups["Test"]


def as_left(tree: Any) -> bool | None:
    found = ownership.read_mark(tree)
    return None if found is None else found["as_left"]


def test_the_result_of_a_run_is_recognised(tree: Any) -> None:
    assert as_left(tree) is True
    assert ownership.read_mark(tree)["nodes"] == ["in", "move", "out"]
    document = context.inspect(["Plane"], [])
    assert document["tree_info"]["Test"]["made"]["as_left"] is True
    modifier = bpy.data.objects["Plane"].modifiers["GeoNode"]
    assert (
        document["objects"]["Plane"]["modifiers"][0]["left"] == document["objects"]["Plane"]["modifiers"][0]["inputs"]
    )
    assert ownership.marked_inputs(modifier)


def test_a_tree_of_the_artist_is_not_recognised(tree: Any) -> None:
    other = bpy.data.node_groups.new("Other", "GeometryNodeTree")
    assert as_left(other) is None
    assert "made" not in context.inspect([], ["Other"])["tree_info"]["Other"]


def test_ownership_survives_saving(tree: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "file.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert as_left(bpy.data.node_groups["Test"]) is True


def test_ownership_follows_undo_and_redo(starter: None) -> None:
    bpy.ops.ed.undo_push(message="before")
    transaction = Transaction(["Plane"], ["Test"])
    transaction.apply(step(through(), modifiers=[on("Plane", "Test")]))
    transaction.commit("GeoNode: test")
    bpy.ops.ed.undo()
    assert ownership.FILE not in bpy.context.scene and "Test" not in bpy.data.node_groups
    bpy.ops.ed.redo()
    assert as_left(bpy.data.node_groups["Test"]) is True


def test_a_restored_run_leaves_no_mark(starter: None) -> None:
    transaction = Transaction(["Plane"], [])
    transaction.apply(step(through(), modifiers=[on("Plane", "Test")]))
    assert transaction.restore()
    assert ownership.FILE not in bpy.context.scene


def test_a_copy_is_the_artists(tree: Any) -> None:
    copy = tree.copy()
    assert as_left(copy) is None and as_left(tree) is True
    # Once the names were changed, it is unknown which of the two was the original.
    tree.name = "Original"
    copy.name = "Test"
    assert as_left(copy) is None and as_left(tree) is None


@pytest.mark.parametrize("saved", [False, True])
def test_a_copy_with_the_name_of_its_removed_original_is_the_artists(tree: Any, saved: bool, tmp_path: Path) -> None:
    copy = tree.copy()
    bpy.data.node_groups.remove(tree)
    copy.name = "Test"
    copy.use_fake_user = True
    assert as_left(copy) is None
    if saved:
        ownership.disown_copies()
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
        ownership.note_all()
        copy = bpy.data.node_groups["Test"]
        assert as_left(copy) is None and ownership.is_lapsed(copy)
    ownership.assign_to_assistant(copy)
    assert as_left(copy) is True


def test_a_copy_that_is_made_after_loading_is_the_artists(tree: Any, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    ownership.note_all()
    original = bpy.data.node_groups["Test"]
    copy = original.copy()
    bpy.data.node_groups.remove(original)
    copy.name = "Test"
    assert as_left(copy) is None
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert as_left(bpy.data.node_groups["Test"]) is True


@pytest.mark.parametrize("undone", [False, True])
def test_a_tree_that_a_failed_run_restored_stays_the_assistants(tree: Any, undone: bool) -> None:
    bpy.ops.ed.undo_push(message="before")
    transaction = Transaction(["Plane"], ["Test"])
    transaction.apply(step({"tree": "Test", "create": False, "values": [["move", "Offset", [9.0, 9.0, 9.0]]]}))
    assert transaction.restore()
    assert as_left(bpy.data.node_groups["Test"]) is True
    if undone:
        bpy.data.node_groups["Test"].use_fake_user = True
        bpy.ops.ed.undo_push(message="more")
        bpy.ops.ed.undo()
        assert as_left(bpy.data.node_groups["Test"]) is True


def test_a_renamed_tree_is_the_artists(tree: Any) -> None:
    tree.name = "Mine now"
    assert as_left(tree) is None


@pytest.mark.parametrize("link", [False, True])
def test_an_appended_or_linked_tree_is_the_artists(tree: Any, tmp_path: Path, link: bool) -> None:
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {tree})
    for used in (False, True):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        if used:  # a file in which runs left something of their own
            transaction = Transaction([], [])
            transaction.apply(step(through("Own")))
            transaction.commit("GeoNode: own")
        with bpy.data.libraries.load(path, link=link) as (_, wanted):
            wanted.node_groups = ["Test"]
        assert bpy.data.node_groups["Test"].get(ownership.MARK)
        assert as_left(bpy.data.node_groups["Test"]) is None


EDITS: dict[str, Callable[[Any], object]] = {
    "a value": lambda tree: setattr(tree.nodes["move"].inputs["Offset"], "default_value", (1, 2, 3)),
    "a node": lambda tree: tree.nodes.new("ShaderNodeMath"),
    "a link less": lambda tree: tree.links.remove(tree.links[0]),
    "a node less": lambda tree: tree.nodes.remove(tree.nodes["move"]),
    "a property": lambda tree: setattr(tree.nodes["move"], "mute", True),
    "the interface": lambda tree: tree.interface.new_socket("More", in_out="INPUT", socket_type="NodeSocketInt"),
    "a default": lambda tree: setattr(tree.interface.items_tree["Height"], "default_value", 3.0),
    "a label": lambda tree: setattr(tree.nodes["move"], "label", "Mine"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_tree_that_was_changed_by_hand_is_the_artists(tree: Any, edit: str) -> None:
    EDITS[edit](tree)
    assert as_left(tree) is False


def test_moving_nodes_does_not_change_ownership(tree: Any) -> None:
    tree.nodes["move"].location = (500, 500)
    tree.nodes["move"].select = True
    assert as_left(tree) is True


@pytest.mark.parametrize("stamp", ["", "{}", "[]", "1", '{"version": 1}', '{"version": 2, "id": "x"}', "not JSON"])
def test_a_stamp_alone_does_not_count(tree: Any, stamp: str) -> None:
    tree[ownership.MARK] = stamp
    assert as_left(tree) is None


def test_the_mark_of_another_tree_does_not_count(tree: Any) -> None:
    other = bpy.data.node_groups.new("Other", "GeometryNodeTree")
    other[ownership.MARK] = tree[ownership.MARK]
    assert as_left(other) is None
    tree[ownership.MARK] = 7
    assert as_left(tree) is None


def test_another_run_marks_the_tree_again_and_keeps_values_set_by_hand(tree: Any) -> None:
    modifier = bpy.data.objects["Plane"].modifiers["GeoNode"]
    transaction = Transaction(["Plane"], ["Test"])
    transaction.apply(step({"tree": "Test", "create": False, "values": [["move", "Offset", [9.0, 9.0, 9.0]]]}))
    transaction.commit("GeoNode: again")
    assert as_left(tree) is True
    before = ownership.marked_inputs(modifier)
    height = next(i.identifier for i in tree.interface.items_tree if i.name == "Height")
    from geonode_assistant.host import modifiers

    modifiers.write_input(modifier, height, 4.0)
    transaction = Transaction(["Plane"], ["Test"])
    transaction.apply(step({"tree": "Test", "create": False, "values": [["move", "Offset", [1.0, 9.0, 9.0]]]}))
    transaction.commit("GeoNode: once more")
    assert as_left(tree) is True and ownership.marked_inputs(modifier) == before


def test_a_run_on_an_edited_tree_keeps_it_the_artists(tree: Any) -> None:
    tree.nodes.new("ShaderNodeMath").name = "Mine"
    transaction = Transaction(["Plane"], ["Test"])
    transaction.apply(step({"tree": "Test", "create": False, "add": [{"id": "own", "type": "ShaderNodeMath"}]}))
    transaction.commit("GeoNode: again")
    assert as_left(tree) is False
    assert ownership.read_mark(tree)["nodes"] == ["in", "move", "out", "own"]


def test_ownership_can_be_assigned_explicitly(tree: Any) -> None:
    ownership.assign_to_artist(tree)
    assert as_left(tree) is None
    ownership.assign_to_assistant(tree)
    assert as_left(tree) is True
    other = bpy.data.node_groups.new("Other", "GeometryNodeTree")
    ownership.assign_to_assistant(other)
    assert as_left(other) is True


def test_what_a_run_left_is_known_after_work_by_hand(tree: Any) -> None:
    assert "left" not in ownership.read_mark(tree)
    before = export.export_one(tree)[0]
    tree.nodes["move"].inputs["Offset"].default_value = (1, 2, 3)
    assert ownership.read_mark(tree)["left"] == before


def test_a_mark_of_an_earlier_version_does_not_tell_what_was_left(tree: Any) -> None:
    mark = json.loads(tree[ownership.MARK])
    del mark["left"]
    tree[ownership.MARK] = json.dumps(mark)
    assert as_left(tree) is True
    tree.nodes["move"].mute = True
    assert as_left(tree) is False and "left" not in ownership.read_mark(tree)
