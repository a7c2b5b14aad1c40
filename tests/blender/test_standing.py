# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sidebar says about a result follows the file: undo, redo, work of the artist's, another file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import geonode_assistant
import pytest
from asking import lift
from geonode_assistant.cli import e2e
from geonode_assistant.host import sliders, visibility
from geonode_assistant.host.modifiers import inputs_of
from geonode_assistant.run import driver, session, starting
from geonode_assistant.ui import examples
from layouts import draw_sidebar

NOTHING = "Done: nothing had to be changed."
NEW = "import bpy\n\nbpy.data.objects.new('Helper', None)\n"


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    bpy.ops.ed.undo_push(message="Start")
    yield
    geonode_assistant.unregister()


def send(prompt: str = "scatter 20 cubes on the plane", target: str = "Plane", **more: Any) -> None:
    """As the button does, to the run's end."""
    driver.drive(starting.start(prompt, object=target, approve="all", **more))
    session.current.poll()
    assert session.current.report is not None and session.current.report.ok, session.current.messages


def test_an_undone_result_is_not_called_done() -> None:
    send()
    assert not session.current.undone and not session.current.unchanged
    bpy.ops.ed.undo()
    assert not bpy.data.objects["Plane"].modifiers and session.current.undone
    bpy.ops.ed.redo()
    assert bpy.data.objects["Plane"].modifiers and not session.current.undone


def test_the_inputs_of_the_result_are_at_hand() -> None:
    send()
    [modifier] = session.current.results
    assert modifier.id_data.name == "Plane"
    found = {slider.name: slider for slider in sliders.of(modifier)}
    count = found["Count"]
    held = getattr(count.owner, count.path) if count.path == "value" else count.owner.path_resolve(count.path)
    assert held == 20
    assert [s.name for s in found.values()] == [
        item.name for item in inputs_of(modifier.node_group) if item.name in found
    ]
    modifier.name = "Renamed"
    send("make it 30")
    assert [m.name for m in session.current.results] == ["Renamed"]
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert session.current.results == []


def test_what_hides_the_result_is_said() -> None:
    send()
    [modifier] = session.current.results
    plane, layer = modifier.id_data, bpy.context.view_layer

    def said() -> str:
        return visibility.why_unseen(modifier, layer)

    assert said() == ""
    bpy.ops.object.mode_set(mode="EDIT")
    assert modifier.show_in_editmode or "Edit Mode" in said()
    modifier.show_in_editmode = False
    assert "Edit Mode" in said()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert said() == ""
    modifier.show_viewport = False
    assert "switched off" in said()
    modifier.show_viewport = True
    plane.hide_set(True)
    assert "is hidden" in said()
    plane.hide_set(False)
    plane.hide_viewport = True
    assert "is hidden" in said()
    plane.hide_viewport = False
    assert said() == ""
    aside = bpy.data.collections.new("Aside")
    bpy.context.scene.collection.children.link(aside)
    for collection in plane.users_collection:
        collection.objects.unlink(plane)
    aside.objects.link(plane)
    layer.layer_collection.children["Aside"].exclude = True
    layer.update()
    assert "view layer" in said()


def test_undoing_what_came_after_leaves_the_result() -> None:
    send()
    bpy.data.objects["Plane"].location.x = 3
    bpy.ops.ed.undo_push(message="Move")
    bpy.ops.ed.undo()
    assert bpy.data.objects["Plane"].location.x == 0 and not session.current.undone
    bpy.ops.ed.undo()
    assert session.current.undone


def test_an_undone_change_of_an_existing_tree_is_noticed() -> None:
    send()
    send("make it 30")
    bpy.ops.ed.undo()
    assert session.current.undone and bpy.data.objects["Plane"].modifiers
    bpy.ops.ed.redo()
    assert not session.current.undone


def test_an_undone_script_is_noticed() -> None:
    step = {"id": "s", "type": "PYTHON", "description": "Make", "payload": {"code": NEW, "mode": "safe"}}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": ""}
    send("x", provider="replay", settings={"try_scripts": "never"}, replies=[plan])
    assert "Helper" in bpy.data.objects
    bpy.ops.ed.undo()
    assert "Helper" not in bpy.data.objects and session.current.undone
    bpy.ops.ed.redo()
    assert not session.current.undone


def test_nothing_of_a_former_file_is_shown() -> None:
    send()
    assert session.current.summary == "DONE"
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert session.current.summary == "IDLE" and not session.current.messages and not session.current.undone


def test_a_run_that_changes_nothing_makes_no_undo_step() -> None:
    send("x", provider="replay", replies=[lift()])
    assert not session.current.unchanged
    send("x", provider="replay", replies=[lift()])
    assert session.current.unchanged and session.current.report.diff == []
    assert NOTHING in draw_sidebar(width=900)
    bpy.ops.ed.undo()
    assert not bpy.data.objects["Plane"].modifiers, "the first undo takes back the run that did something"


def test_an_answer_is_no_change_that_was_not_needed() -> None:
    send("how many faces does the plane have")
    drawn = draw_sidebar(width=900)
    assert session.current.unchanged and any("1 face" in text for text in drawn), drawn
    assert NOTHING not in drawn


def test_the_example_fits_the_scene_and_works() -> None:
    assert examples.first(bpy.context) == "Scatter 200 rocks on Plane"
    send(examples.first(bpy.context))
    bpy.ops.curve.primitive_bezier_curve_add()
    curve = bpy.context.object
    assert examples.first(bpy.context) == f"Make a tube along {curve.name}"
    send(examples.first(bpy.context), curve.name)
    assert [modifier.type for modifier in curve.modifiers] == ["NODES"]
    bpy.ops.object.light_add()
    assert "mesh or a curve" in examples.first(bpy.context)
    bpy.context.view_layer.objects.active = None
    assert examples.first(bpy.context) == "Stairs with 12 steps"
