# SPDX-License-Identifier: GPL-3.0-or-later
"""What a prompt did to the nodes of a tree that was there: known until it is accepted or undone, never written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import geonode_assistant
import pytest
from asking import lift, raised
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.run import session, starting
from geonode_assistant.ui import group_rows, overlay
from geonode_assistant.ui.panels import tree as panel
from layouts import draw_sidebar


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    session.current.reset("")
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    bpy.ops.ed.undo_push(message="Start")
    yield
    geonode_assistant.unregister()
    session.current.reset("")


def send(plan: dict[str, Any]) -> Any:
    starting.start("x", provider="replay", replies=[plan], approve="all")
    while session.current.running:
        session.current.poll()
    assert session.current.summary == "DONE", session.current.messages
    return bpy.data.node_groups["Lift"]


def marks(tree: Any) -> dict[str, str]:
    return {mark.name: mark.kind for mark in session.current.marks(tree)}


def edited() -> Any:
    """A tree whose node was changed, removed and joined by another."""
    send(lift())
    plan = raised(5.0)
    operations = plan["steps"][0]["payload"]["operations"]
    add = {"op": "create_node", "node_id": "turn", "bl_idname": "GeometryNodeSetPosition"}
    links = [
        {"op": "link", "from": {"node_id": a, "socket": "Geometry"}, "to": {"node_id": b, "socket": "Geometry"}}
        for a, b in (("move", "turn"), ("turn", "group_output"))
    ]
    operations += [add, *links]
    return send(plan)


def test_a_new_tree_is_not_marked_and_an_edited_one_is() -> None:
    assert marks(send(lift())) == {}
    session.current.reset("")
    tree = edited()
    found = marks(tree)
    assert (found["move"], found["turn"]) == ("changed", "added") and "Group Input" not in found
    shown = draw_sidebar(panel.GEONODE_PT_tree_view3d, width=900)
    assert {"geonode.accept_changes", "geonode.take_back", "move: changed", "turn: added"} <= set(shown)


def test_a_removed_node_keeps_its_place() -> None:
    tree = edited()
    where = tuple(tree.nodes["turn"].location)
    plan = raised(5.0)
    plan["steps"][0]["payload"]["operations"] = [
        {"op": "delete_node", "node_id": "turn"},
        {
            "op": "link",
            "from": {"node_id": "move", "socket": "Geometry"},
            "to": {"node_id": "group_output", "socket": "Geometry"},
        },
    ]
    send(plan)
    [gone] = [mark for mark in session.current.marks(tree) if mark.kind == "removed"]
    assert gone.name == "turn" and gone.box is not None and gone.box[:2] == pytest.approx(where)
    [box] = [box for kind, box in overlay.boxes(tree, [gone], 2.0) if kind == "removed"]
    assert box[0] == pytest.approx(2 * where[0]) and box[2] > box[0] and box[3] < box[1]


def test_accepted_marks_go_and_the_file_stays() -> None:
    tree = edited()
    before = e2e.document()
    assert bpy.ops.geonode.accept_changes() == {"FINISHED"}
    assert marks(tree) == {} and e2e.document() == before
    assert not bpy.ops.geonode.accept_changes.poll()
    assert "geonode.accept_changes" not in draw_sidebar(panel.GEONODE_PT_tree_view3d)


def test_changes_are_taken_back_unless_there_is_later_work() -> None:
    edited()
    assert bpy.ops.geonode.take_back() == {"FINISHED"}
    tree = bpy.data.node_groups["Lift"]
    assert "turn" not in tree.nodes and marks(tree) == {}
    bpy.ops.ed.redo()
    tree = bpy.data.node_groups["Lift"]
    assert marks(tree)["turn"] == "added"
    tree.nodes["turn"].label = "Mine"
    bpy.ops.ed.undo_push(message="Label")
    assert bpy.ops.geonode.take_back() == {"CANCELLED"}
    assert bpy.data.node_groups["Lift"].nodes["turn"].label == "Mine"


def two_groups() -> tuple[Any, dict[str, int]]:
    """A tree in which one value was changed, and two linked nodes added beside it; the group of each marked node."""
    send(lift())
    plan = raised(5.0)
    operations = plan["steps"][0]["payload"]["operations"]
    for node_id, kind in (("cone", "GeometryNodeMeshCone"), ("aside", "GeometryNodeSetPosition")):
        operations.append({"op": "create_node", "node_id": node_id, "bl_idname": kind})
    link = {"from": {"node_id": "cone", "socket": "Mesh"}, "to": {"node_id": "aside", "socket": "Geometry"}}
    operations.append({"op": "link", **link})
    tree = send(plan)
    return tree, {mark.id: mark.group for mark in session.current.marks(tree)}


def test_each_group_has_a_row_above_its_nodes() -> None:
    tree, groups = two_groups()
    view = SimpleNamespace(view_to_region=lambda x, y, clip: (int(x) + 2000, int(y) + 2000))
    region = SimpleNamespace(view2d=view, width=4000, height=4000)
    found = {row.group: row for row in group_rows.rows(tree, region, 1.0)}
    assert set(found) == {groups["move"], groups["cone"]}
    assert found[groups["cone"]].text.endswith(": 2 added") and found[groups["move"]].text.endswith(": 1 changed")
    for name in ("move", "cone"):
        assert found[groups[name]].y > tree.nodes[name].location.y + 2000
    # What is out of sight has none, and what would lie over another lies above it.
    region.width = 100
    assert group_rows.rows(tree, region, 1.0) == []
    region.width, view.view_to_region = 4000, lambda x, y, clip: (500, 500)
    low, high = group_rows.rows(tree, region, 1.0)
    assert (low.x, high.x) == (500, 500) and high.y == low.y + group_rows.ROW_PX
    bpy.ops.geonode.settle_group(group=groups["cone"], accept=True)
    assert [row.group for row in group_rows.rows(tree, region, 1.0)] == [groups["move"]]


def test_one_group_of_changes_is_taken_back_and_the_rest_stays() -> None:
    before = api.export_tree(send(lift()))["trees"]["Lift"]
    session.current.reset("")
    bpy.data.node_groups.remove(bpy.data.node_groups["Lift"])
    bpy.data.objects["Plane"].modifiers.clear()
    tree, groups = two_groups()
    assert groups["cone"] == groups["aside"] != groups["move"]
    tree.nodes["aside"].label = "Mine"
    bpy.ops.ed.undo_push(message="Label")
    shown = draw_sidebar(panel.GEONODE_PT_tree_view3d, width=900)
    assert shown.count("Take Back") == 2 and "geonode.take_back" in shown
    assert bpy.ops.geonode.settle_group(group=groups["move"], accept=False) == {"FINISHED"}
    tree = bpy.data.node_groups["Lift"]
    assert marks(tree) == {"cone": "added", "aside": "added"} and tree.nodes["aside"].label == "Mine"
    [node] = [node for node in api.export_tree(tree)["trees"]["Lift"]["nodes"] if node["id"] == "move"]
    [was] = [node for node in before["nodes"] if node["id"] == "move"]
    assert node == was
    bpy.ops.ed.undo()
    session.current.follow_undo()
    assert marks(bpy.data.node_groups["Lift"])["move"] == "changed"
    bpy.ops.ed.redo()
    session.current.follow_undo(redo=True)
    tree = bpy.data.node_groups["Lift"]
    assert "move" not in marks(tree)
    assert bpy.ops.geonode.settle_group(group=groups["cone"], accept=True) == {"FINISHED"}
    assert marks(tree) == {} and "cone" in tree.nodes


def test_added_and_removed_nodes_come_back_with_their_links() -> None:
    edited()
    plan = raised(5.0)
    plan["steps"][0]["payload"]["operations"] = [
        {"op": "delete_node", "node_id": "turn"},
        {"op": "create_node", "node_id": "box", "bl_idname": "GeometryNodeBoundBox"},
        {
            "op": "link",
            "from": {"node_id": "move", "socket": "Geometry"},
            "to": {"node_id": "box", "socket": "Geometry"},
        },
        {
            "op": "link",
            "from": {"node_id": "box", "socket": "Bounding Box"},
            "to": {"node_id": "group_output", "socket": "Geometry"},
        },
    ]
    before = api.export_tree(bpy.data.node_groups["Lift"])["trees"]["Lift"]
    tree = send(plan)
    [group] = {mark.group for mark in session.current.marks(tree)}
    session.current.take_group_back(tree, group, "Back")
    now = api.export_tree(bpy.data.node_groups["Lift"])["trees"]["Lift"]

    def links(of: dict[str, Any]) -> list[str]:
        return sorted(str(link) for link in of["links"])

    def nodes(of: dict[str, Any]) -> list[str]:
        return sorted(str({**node, "location": None}) for node in of["nodes"])

    assert links(now) == links(before) and nodes(now) == nodes(before)


def test_what_cannot_be_as_before_is_not_touched() -> None:
    tree, groups = two_groups()
    tree.nodes["move"].mute = True
    before = api.export_tree(tree)
    with pytest.raises(RuntimeError, match="too much has changed"):
        bpy.ops.geonode.settle_group(group=groups["move"], accept=False)
    assert api.export_tree(bpy.data.node_groups["Lift"]) == before
    assert marks(bpy.data.node_groups["Lift"])["move"] == "changed"


def test_a_tree_is_exported_compared_and_imported_by_buttons(tmp_path: Path) -> None:
    tree = send(lift())
    file = tmp_path / "lift"
    assert bpy.ops.geonode.export_tree(filepath=str(file)) == {"FINISHED"}
    written = tmp_path / "lift.json"
    assert bpy.ops.geonode.compare_tree(filepath=str(written)) == {"FINISHED"}
    assert "As in lift.json." in draw_sidebar(panel.GEONODE_PT_tree_view3d, width=900)
    tree.nodes["move"].inputs["Translation"].default_value = (0, 0, 7)
    assert bpy.ops.geonode.compare_tree(filepath=str(written)) == {"FINISHED"}
    shown = draw_sidebar(panel.GEONODE_PT_tree_view3d, width=900)
    assert "Since lift.json:" in shown and any("Translation" in text and "7" in text for text in shown)
    assert bpy.ops.geonode.import_tree(filepath=str(written)) == {"FINISHED"}
    assert bpy.data.node_groups["Lift.001"].use_fake_user
    (tmp_path / "no.json").write_text("{")
    before = len(bpy.data.node_groups)
    for call in (bpy.ops.geonode.import_tree, bpy.ops.geonode.compare_tree):
        with pytest.raises(RuntimeError, match="no.json"):
            call(filepath=str(tmp_path / "no.json"))
    assert len(bpy.data.node_groups) == before


def test_an_input_that_fed_only_what_is_taken_back_goes_too() -> None:
    """Another one, which feeds what stays as well, is kept."""
    send(lift())
    plan = raised(5.0)
    operations = plan["steps"][0]["payload"]["operations"]
    operations.append({"op": "create_node", "node_id": "aside", "bl_idname": "GeometryNodeSetPosition"})
    for name, nodes in (("Aside", ["aside"]), ("Both", ["aside", "move"])):
        operations.append({"op": "set_group_io", "direction": "input", "name": name, "socket_type": "NodeSocketVector"})
        for node, socket in zip(nodes, ("Offset", "Scale"), strict=False):
            socket = "Position" if name == "Both" and node == "aside" else socket
            ends = {"from": {"node_id": "group_input", "socket": name}, "to": {"node_id": node, "socket": socket}}
            operations.append({"op": "link", **ends})
    tree = send(plan)
    groups = {mark.id: mark.group for mark in session.current.marks(tree)}
    assert groups["aside"] != groups["move"]
    assert bpy.ops.geonode.settle_group(group=groups["aside"], accept=False) == {"FINISHED"}
    tree = bpy.data.node_groups["Lift"]
    names = [item.name for item in tree.interface.items_tree if item.in_out == "INPUT"]
    assert "aside" not in tree.nodes and names == ["Geometry", "Both"]


def joined(*removed: str) -> dict[str, Any]:
    """A plan that joins three cones to what is there, or removes some of them."""
    operations: list[dict[str, Any]] = [{"op": "delete_node", "node_id": one} for one in removed]
    for name in () if removed else ("a", "b", "c"):
        operations.append({"op": "create_node", "node_id": name, "bl_idname": "GeometryNodeMeshCone"})
        ends = {"from": {"node_id": name, "socket": "Mesh"}, "to": {"node_id": "join", "socket": "Geometry"}}
        operations.append({"op": "link", **ends})
    if not removed:
        join = {"op": "create_node", "node_id": "join", "bl_idname": "GeometryNodeJoinGeometry"}
        ends = {
            "from": {"node_id": "join", "socket": "Geometry"},
            "to": {"node_id": "group_output", "socket": "Geometry"},
        }
        moved = {"op": "link", "from": {**ends["from"], "node_id": "move"}, "to": {**ends["from"], "node_id": "join"}}
        operations = [join, moved, *operations, {"op": "link", **ends}]
    plan = raised(5.0)
    plan["steps"][0]["payload"]["operations"] = operations
    return plan


def test_links_into_one_input_come_back_in_their_order() -> None:
    def order() -> list[str]:
        return [link.from_node.name for link in bpy.data.node_groups["Lift"].nodes["join"].inputs[0].links]

    send(lift())
    send(joined())
    before = order()
    assert bpy.ops.geonode.accept_changes() == {"FINISHED"}
    send(joined("a", "c"))
    assert order() == ["b", "move"]
    assert bpy.ops.geonode.take_back() == {"FINISHED"}
    assert order() == before and len(before) == 4
    assert bpy.ops.geonode.accept_changes.poll() is False
    tree = send(joined("a", "c"))
    groups = {mark.group for mark in session.current.marks(tree) if mark.kind == "removed"}
    for group in sorted(groups):
        assert bpy.ops.geonode.settle_group(group=group, accept=False) == {"FINISHED"}
    assert order() == before
