# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo after a run that was restored: Blender does not crash, and the file is as it was one step before."""

from __future__ import annotations

from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.host import checkpoint, transaction, undo
from geonode_assistant.run.report import RunReport
from whole_file import empty, everything, fresh_scene, plan

pytestmark = pytest.mark.usefixtures("untried")


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


def test_undo_after_a_restore_rereads_the_whole_file() -> None:
    registered = hasattr(bpy.types.WindowManager, "geonode_assistant")
    if not registered:
        geonode_assistant.register()
    try:
        cube, tree = bpy.data.objects["Cube"], bpy.data.node_groups.new("Tree", "GeometryNodeTree")
        cube.modifiers.new("Nodes", "NODES").node_group = tree
        bpy.context.scene.cursor.location = (1, 2, 3)
        # Two undo steps with the same object, which Blender would keep in memory.
        bpy.ops.ed.undo_push(message="one")
        bpy.data.objects["Light"].location.x = 7
        bpy.ops.ed.undo_push(message="two")
        opened = transaction.Transaction(["Cube"], ["Tree"])
        bpy.data.node_groups["Tree"].nodes.new("ShaderNodeMath")
        assert opened.restore()
        preferences = bpy.context.preferences
        chosen = (preferences.view.show_developer_ui, preferences.experimental.use_undo_legacy, preferences.is_dirty)
        bpy.ops.ed.undo()
        bpy.context.view_layer.update()
        assert bpy.data.objects["Cube"].modifiers["Nodes"].node_group == bpy.data.node_groups["Tree"]
        assert bpy.data.objects["Light"].location.x != 7
        assert tuple(bpy.context.scene.cursor.location) == (1, 2, 3)
        assert bpy.context.scene.cursor.rotation_mode == "XYZ"
        assert undo.is_settled()
        assert chosen == (
            preferences.view.show_developer_ui,
            preferences.experimental.use_undo_legacy,
            preferences.is_dirty,
        )
    finally:
        if not registered:
            geonode_assistant.unregister()


SCRIPT = {
    "id": "script",
    "type": "PYTHON",
    "description": "Make and move",
    "payload": {"code": "import bpy\n\nbpy.data.materials.new('Made')\nbpy.data.objects['Cube'].location.x += 1\n"},
}
# Both fail their gates after they have written.
RUNS = {
    "tree": plan(*empty()),
    "script": plan(*empty()) | {"steps": [SCRIPT, *plan(*empty())["steps"]]},
}
# The part of a restore that fails: in the middle, or at the end.
FAULTS = {
    "tree, half way": (transaction.Transaction, "_restore_modifiers"),
    "tree, at the end": (transaction.Transaction, "_is_as_before"),
    "script, at the start": (transaction.Transaction, "_marked"),
    "script, half way": (checkpoint, "_undo_whole"),
    "script, at the end": (transaction.Transaction, "_is_as_before"),
}


def run_with(monkeypatch: pytest.MonkeyPatch, fault: str, times: int) -> RunReport:
    """A run whose restore fails this many times."""
    place, name = FAULTS[fault]
    usual, restore, left = getattr(place, name), transaction.Transaction.restore, [times]

    def broken(*arguments: Any) -> Any:
        left[0] -= 1
        if left[0] >= 0:
            raise OSError(28, "No space left on device")
        return usual(*arguments)

    def restoring(self: transaction.Transaction) -> bool:
        with monkeypatch.context() as inner:
            inner.setattr(place, name, staticmethod(broken) if name == "_marked" else broken)
            return restore(self)

    with monkeypatch.context() as outer:
        outer.setattr(transaction.Transaction, "restore", restoring)
        return api.apply_plan(RUNS[fault.split(",")[0]], approve="all")


def artist_at_work() -> dict[str, Any]:
    """Makes a scene with undo steps; returns the state of the file before the run."""
    fresh_scene()
    bpy.ops.ed.undo_push(message="Scene")
    bpy.data.objects["Cube"].location.x = 3
    bpy.ops.ed.undo_push(message="Move")
    return everything()


def place() -> float:
    return bpy.data.objects["Cube"].location.x


@pytest.mark.parametrize("fault", FAULTS)
def test_a_restore_that_fails_once_is_repeated(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    before = artist_at_work()
    report = run_with(monkeypatch, fault, 1)
    assert [message["code"] for message in report.messages][-1] != "restore_failed"
    assert "gate_failed" in [message["code"] for message in report.messages]
    assert everything() == before and place() == 3


@pytest.mark.parametrize("fault", FAULTS)
def test_one_undo_after_a_failed_restore_returns_to_before_the_run(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    before = artist_at_work()
    report = run_with(monkeypatch, fault, 2)
    [said] = [message["text"] for message in report.messages if message["code"] == "restore_failed"]
    assert "No space left" in said and "Undo once (Ctrl+Z)" in said
    ours = (transaction.KEEP_PREFIX, transaction.MARK)
    assert [group.name for group in bpy.data.node_groups if group.name.startswith(ours)] == []
    undo.before()
    bpy.ops.ed.undo()
    undo.after()
    assert everything() == before and place() == 3
    # A run with a script and its restore make additional undo steps, which change nothing.
    for _ in range(3):
        if place() == 3:
            bpy.ops.ed.undo()
    assert place() == 0
