# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are dropped into the window: plans are shown first, trees are added, all else is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import geonode_assistant
import pytest
from asking import lift, wait
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.run import session
from geonode_assistant.ui import log, polling
from geonode_assistant.ui.operators import drop
from layouts import draw_sidebar


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    yield
    polling.stop()
    session.current.reset("")
    geonode_assistant.unregister()


def dropped(path: Path) -> set[str]:
    return bpy.ops.geonode.open_plan(filepath=str(path))


def plan_file(folder: Path, **step: Any) -> Path:
    path = folder / "lift it.json"
    path.write_text(json.dumps(lift(**step)), encoding="utf-8")
    return path


def test_a_plan_is_shown_before_it_is_applied(tmp_path: Path) -> None:
    before = e2e.document()
    # The plan itself does not ask.
    assert dropped(plan_file(tmp_path, requires_approval=False)) == {"FINISHED"}
    view = session.current
    assert view.prompt == "lift it"
    request_id = wait(view.handle)
    view.poll()
    assert e2e.document() == before and view.pending[0][1]["reason"]
    assert not bpy.ops.geonode.open_plan.poll(), "one run at a time"
    view.decide(request_id, True)
    while view.running:
        view.poll()
        view.handle.wait(50)
    assert view.summary == "DONE" and "Lift" in bpy.data.node_groups
    # Its name is no prompt: it is neither sent nor called one.
    assert not view.is_prompt and not bpy.ops.geonode.try_again.poll()
    assert log.whole(view)[0] == "Plan: lift it"
    view.undone = True
    drawn = draw_sidebar()
    assert "ed.redo" in drawn and "geonode.try_again" not in drawn


def test_a_tree_is_added(tmp_path: Path) -> None:
    tree = bpy.data.node_groups.new("Mine", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    path = api.save_tree(tree, tmp_path / "tree.json")
    assert dropped(path) == {"FINISHED"}
    assert {"Mine", "Mine.001"} <= set(bpy.data.node_groups.keys())
    assert not session.current.running


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"steps": 3}', b"\xff\xfe", b"{" * 5000, b'"trees"'])
def test_what_is_neither_changes_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    before = e2e.document()
    try:
        dropped(path)
    except RuntimeError as refused:
        assert "not UTF-8" in str(refused)
    else:
        view = session.current
        while view.running:
            view.poll()
            view.handle.wait(50)
        assert view.summary == "ERROR" and not view.pending
    assert e2e.document() == before


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="There is no file"):
        dropped(tmp_path / "gone.json")


def test_the_window_takes_them() -> None:
    handler = bpy.types.GEONODE_FH_plan
    assert handler.bl_import_operator == drop.GEONODE_OT_open_plan.bl_idname
    assert handler.bl_file_extensions == ".json"
