# SPDX-License-Identifier: GPL-3.0-or-later
"""A script under approval in the Text Editor: all of it, with remarks, and gone before anything happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import geonode_assistant
import pytest
from asking import wait
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.host import reading
from geonode_assistant.run import session
from geonode_assistant.ui import polling

LINES = "\n".join(f"bpy.data.objects['Plane'].location.x = {n}" for n in range(60))
CODE = f"import bpy\n{LINES}\nfor one in list(bpy.data.lights):\n    bpy.data.lights.remove(one)\n"


@pytest.fixture(autouse=True)
def question() -> Iterator[None]:
    """A run that asks about a script of three pages."""
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    bpy.data.lights.new("Lamp", "POINT")
    step: dict[str, Any] = {"id": "s", "type": "PYTHON", "description": "Move it", "payload": {"code": CODE}}
    plan = {"version": "1.1", "steps": [step], "done": True, "final_message": "Moved."}
    api.start("move it", provider="replay", replies=[plan], approve="ask", settings={"try_scripts": "never"})
    wait(session.current.handle)
    session.current.poll()
    yield
    polling.stop()
    session.current.reset("")
    geonode_assistant.unregister()


def texts() -> list[str]:
    return [text.name for text in bpy.data.texts]


def test_it_is_all_there_with_what_it_removes_marked() -> None:
    view = session.current
    [(request_id, request)] = view.pending
    [step] = request["steps"]
    assert not view.can_approve(request)
    assert bpy.ops.geonode.read_script(step_id=step["id"]) == {"FINISHED"}
    [text] = [text for text in bpy.data.texts if text.name.startswith(reading.NAME)]
    shown = [line.body for line in text.lines]
    assert [line.removesuffix(reading.REMARK) for line in shown] == CODE.splitlines()
    marked = [at for at, line in enumerate(shown, 1) if line.endswith(reading.REMARK)]
    assert marked == list(step["script"]["marks"]) and marked
    # Read to its end, so it can be approved; and what the run finds is without the text.
    assert view.can_approve(request)
    view.decide(request_id, True)
    while view.running:
        polling.tick()
        assert not view.running or view.pending or not texts()
        view.handle.wait(50)
    assert view.summary == "DONE", view.messages
    assert texts() == [] and not bpy.data.lights
    bpy.ops.ed.undo()
    assert texts() == [] and "Lamp" in bpy.data.lights


def test_a_text_of_the_artists_of_that_name_stays() -> None:
    bpy.data.texts.new(reading.NAME).write("mine")
    [(_, request)] = session.current.pending
    assert bpy.ops.geonode.read_script(step_id=request["steps"][0]["id"]) == {"FINISHED"}
    assert len(texts()) == 2 and reading.is_shown()
    reading.close()
    assert texts() == [reading.NAME] and bpy.data.texts[0].as_string() == "mine"


def test_it_is_not_saved(tmp_path: Path) -> None:
    [(_, request)] = session.current.pending
    assert bpy.ops.geonode.read_script(step_id=request["steps"][0]["id"]) == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    assert texts() == []
    assert session.current.pending, "the question stays open"


def test_what_an_undo_brings_back_is_taken_out_again() -> None:
    [(_, request)] = session.current.pending
    bpy.ops.geonode.read_script(step_id=request["steps"][0]["id"])
    bpy.ops.ed.undo_push(message="with it")
    session.current.cancel()
    while session.current.running:
        polling.tick()
    assert texts() == []
    bpy.ops.ed.undo_push(message="without it")
    bpy.ops.ed.undo()
    assert texts() == []


def test_a_question_that_was_answered_shows_nothing() -> None:
    with pytest.raises(RuntimeError, match="answered in the meantime"):
        bpy.ops.geonode.read_script(step_id="/steps/7")
    assert texts() == []
