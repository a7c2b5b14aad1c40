# SPDX-License-Identifier: GPL-3.0-or-later
"""PYTHON steps in a real Blender: kept as one undo step, or the whole file is restored."""

from __future__ import annotations

import threading
from typing import Any

import bpy
import geonode_core as core
import pytest
from geonode_assistant import api, scripting
from geonode_assistant.host.errors import HostError
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import driver
from geonode_assistant.run.report import RunReport
from whole_file import empty, everything, fresh_scene, lift, plan

pytestmark = pytest.mark.usefixtures("untried")

GOOD = """
import bpy

scene = bpy.context.scene
mesh = bpy.data.meshes.new("Made")
mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
made = bpy.data.objects.new("Made", mesh)
group = bpy.data.collections.new("Group")
scene.collection.children.link(group)
group.objects.link(made)
material = bpy.data.materials.new("Red")
material.diffuse_color = (1, 0, 0, 1)
mesh.materials.append(material)
cube = bpy.data.objects["Cube"]
cube.location.z = 3
cube.data.vertices[0].co.x = -7
cube.modifiers["Artist"].show_viewport = False
made.keyframe_insert("location", frame=5)
scene.frame_current = 12
print("made", made.name)
"""
REMOVES = """
import bpy

bpy.data.objects.remove(bpy.data.objects["Cube"])
bpy.data.materials.remove(bpy.data.materials["Mine"])
bpy.data.collections.remove(bpy.data.collections["Set"])
"""
FAILS = GOOD + REMOVES.replace("import bpy\n", "") + 'raise ValueError("half way")\n'
LONG = GOOD + "\nfor a in range(100000):\n    for b in range(100000):\n        c = a * b\n"
MARK = 'import bpy\nbpy.data.objects["Plane"].location.x += 1\nprint("moved")\n'


def script(code: str, name: str = "script", **payload: Any) -> dict[str, Any]:
    return {"id": name, "type": "PYTHON", "description": "Do it", "payload": {"code": code, **payload}}


def scripts(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"version": "1.1", "steps": list(steps), "done": True, "final_message": "Done."}


def contents() -> dict[str, Any]:
    """All data-blocks of the file, with the state of objects, meshes and materials that a script could change."""
    objects = {
        obj.name: (
            [tuple(row) for row in obj.matrix_basis],
            [s.material and s.material.name for s in obj.material_slots],
        )
        for obj in bpy.data.objects
    }
    meshes = {mesh.name: [tuple(vertex.co) for vertex in mesh.vertices] for mesh in bpy.data.meshes}
    members = {one.name: sorted(obj.name for obj in one.objects) for one in bpy.data.collections}
    colours = {one.name: tuple(one.diffuse_color) for one in bpy.data.materials}
    shown = {(o.name, m.name): m.show_viewport for o in bpy.data.objects for m in o.modifiers}
    frame = bpy.context.scene.frame_current
    return everything() | {"at": (objects, meshes, members, colours, shown, frame), "mode": bpy.context.mode}


def codes(report: RunReport) -> list[str]:
    return [message["code"] for message in report.messages]


@pytest.fixture(autouse=True)
def scene() -> None:
    fresh_scene()
    cube = bpy.data.objects["Cube"]
    cube.data.materials.append(bpy.data.materials.new("Mine"))
    shelf = bpy.data.collections.new("Set")
    bpy.context.scene.collection.children.link(shelf)
    shelf.objects.link(cube)
    bpy.context.view_layer.update()


def test_a_good_script_is_one_undo_step() -> None:
    before = contents()
    report = api.apply_plan(scripts(script(GOOD)), approve="all")
    assert report.ok, report.messages
    [step] = report.steps
    assert (step["action_type"], step["status"], step["message"]) == ("PYTHON", "done", "made Made")
    after = contents()
    assert after["at"] != before["at"] and "Made" in bpy.data.objects
    bpy.ops.ed.undo()
    assert contents() == before
    bpy.ops.ed.redo()
    assert contents() == after


def test_a_script_alone_is_asked_about_like_a_plan() -> None:
    before = contents()
    with pytest.raises(AssistantError, match="lines? .*4, 5, 6") as refused:
        api.run_script(REMOVES)
    assert refused.value.code == "approval_required" and contents() == before
    for answer, code in (("rejected", "user_rejected"), ("cancelled", "cancelled")):
        asked: list[dict[str, Any]] = []

        def decide(request: dict[str, Any], asked: list[Any] = asked, answer: str = answer) -> str:
            asked.append(request)
            return answer

        with pytest.raises(AssistantError) as ended:
            api.run_script(REMOVES, approve=decide)
        assert ended.value.code == code and contents() == before
        assert '"Cube"' in asked[0]["reason"] and asked[0]["steps"][0]["script"]["code"] == REMOVES
    result = api.run_script(REMOVES + "left = 3\nprint('gone')", approve="all")
    assert result.stdout == "gone\n" and result.namespace["left"] == 3 and result.duration_ms > 0
    assert "Cube" not in bpy.data.objects and "Mine" not in bpy.data.materials
    bpy.ops.ed.undo()
    assert contents() == before


@pytest.mark.parametrize(
    ("code", "timeout_ms", "error", "expected"),
    [
        (FAILS, 4000, core.CoreError, "script_failed"),
        (LONG, 400, core.ScriptTimeout, "script_timeout"),
        ("open('x')", 4000, core.PolicyError, "script_refused"),
        ("x = 1", 0, AssistantError, "invalid_argument"),
    ],
)
def test_a_script_alone_fails_the_same_way_with_and_without_a_question(
    code: str, timeout_ms: int, error: type[Exception], expected: str
) -> None:
    before = contents()
    for run in (scripting.run, api.run_script):
        given = {} if run is scripting.run else {"approve": "all"}
        with pytest.raises(error) as failed:
            run(code, timeout_ms=timeout_ms, **given)
        assert failed.value.code == expected and contents() == before


def test_a_script_alone_runs_where_plans_may_have_none() -> None:
    given: dict[str, Any] = {"settings": {"python": "off", "max_python_ms": 100}}
    assert api.run_script("x = 1", timeout_ms=3000, approve="all", **given).namespace == {"x": 1}


def test_without_undo_no_script_runs() -> None:
    before = contents()
    # Blender makes undo steps only where there is a window.
    with bpy.context.temp_override(window=None):
        assert not bpy.ops.ed.undo_push.poll()
        report = api.apply_plan(scripts(script(MARK)), approve="all")
        with pytest.raises(HostError) as caught:
            api.run_script(MARK)
    assert (report.status, codes(report)) == ("error", ["undo_unavailable"])
    assert caught.value.code == "undo_unavailable"
    assert contents() == before
    assert api.apply_plan(scripts(script(MARK)), approve="all").ok, "with a window it does"


@pytest.mark.parametrize(("count", "fits"), [(3, True), (200, False)])
def test_expected_results_of_a_script_are_measured(count: int, fits: bool) -> None:
    before = contents()
    proposal = scripts(script(GOOD))
    proposal["meta"] = {"expects": [{"object_name": "Made", "component": "vertices", "count": count}]}
    report = api.apply_plan(proposal, approve="all")
    assert report.ok == fits, report.messages
    if fits:
        bpy.ops.ed.undo()
    else:
        assert report.gates["failed_gates"] == ["EXPECTED_EFFECTS"] and "has 3" in report.error["text"]
    assert contents() == before


def test_two_scripts_are_one_undo_step() -> None:
    before = contents()
    report = api.apply_plan(scripts(script(MARK, "a"), script(MARK, "b")), approve="all")
    assert report.ok, report.messages
    assert bpy.data.objects["Plane"].location.x == 2
    bpy.ops.ed.undo()
    assert contents() == before


@pytest.mark.parametrize(
    ("code", "payload", "expected", "line"),
    [
        (FAILS, {}, "script_failed", FAILS.splitlines().index('raise ValueError("half way")') + 1),
        (LONG, {"timeout_ms": 400}, "script_timeout", None),
    ],
    ids=["raises", "too long"],
)
def test_a_script_that_fails_leaves_the_file_unchanged(
    code: str, payload: dict[str, Any], expected: str, line: int | None
) -> None:
    before = contents()
    report = api.apply_plan(scripts(script(MARK, "first"), script(code, "second", **payload)), approve="all")
    assert report.status == "error"
    assert report.error["code"] == expected, report.messages
    assert "“second”" in report.error["text"]
    if line is not None:
        assert str(line) in report.error["text"] and "half way" in report.error["text"]
    assert [step["status"] for step in report.steps] == ["restored", "failed"]
    assert contents() == before


def test_the_file_can_be_used_after_a_restore() -> None:
    assert api.apply_plan(scripts(script(FAILS)), approve="all").status == "error"
    before = contents()
    assert api.apply_plan(scripts(script(GOOD)), approve="all").ok
    bpy.ops.ed.undo()
    assert contents() == before
    assert api.apply_plan(plan(*lift())).ok


def test_a_refused_script_is_corrected_by_the_model() -> None:
    replies = [scripts(script("import socket\n" + GOOD)), scripts(script(GOOD))]
    report = driver.drive(api.start("make it", provider="replay", replies=replies, approve="all"))
    assert report.ok, report.messages
    assert "script_import" in codes(report)
    assert "Made" in bpy.data.objects


def test_a_refused_script_changes_nothing() -> None:
    before = contents()
    report = api.apply_plan(scripts(script(MARK), script("import socket\n", "bad")), approve="all")
    assert codes(report) == ["script_import"]
    assert contents() == before


@pytest.mark.parametrize("answer", ["approved", "rejected"])
def test_a_script_that_removes_data_is_asked_about_by_name(answer: str) -> None:
    before = contents()
    asked = []
    report = api.apply_plan(scripts(script(REMOVES)), approve=lambda request: asked.append(request) or answer)
    [request] = asked
    assert '"Cube"' in request["reason"] and '"Mine"' in request["reason"]
    assert request["steps"][0]["script"]["code"] == REMOVES
    assert request["steps"][0]["destructive"]
    if answer == "approved":
        assert report.ok, report.messages
        assert "Cube" not in bpy.data.objects and "Mine" not in bpy.data.materials
        bpy.ops.ed.undo()
    else:
        assert report.status == "cancelled"
    assert contents() == before


TRUSTED = 'import os\nimport bpy\nbpy.data.objects["Plane"].name = "P" + str(os.getpid())\n'


def test_a_trusted_script_needs_the_setting_and_an_approval() -> None:
    step = script(TRUSTED, mode="trusted")
    before = contents()
    for settings, approve in (
        ({}, "all"),
        ({}, lambda _: "approved"),
        ({"python": "trusted"}, "all"),
        ({"python": "trusted"}, None),
    ):
        assert api.apply_plan(scripts(step), approve=approve, settings=settings).status == "error"
        assert contents() == before
    asked = []
    report = api.apply_plan(
        scripts(step), approve=lambda request: asked.append(request) or "approved", settings={"python": "trusted"}
    )
    assert report.ok, report.messages
    assert len(asked) == 1 and asked[0]["steps"][0]["script"]["code"] == TRUSTED
    assert "Plane" not in bpy.data.objects
    bpy.ops.ed.undo()
    assert contents() == before


def test_scripts_are_refused_without_an_artist_or_when_switched_off() -> None:
    before = contents()
    assert codes(api.apply_plan(scripts(script(MARK)))) == ["approval_required"]
    off = api.apply_plan(scripts(script(MARK)), approve="all", settings={"python": "off"})
    assert codes(off) == ["python_not_allowed"]
    assert contents() == before


@pytest.mark.parametrize("first", ["script", "tree"])
def test_a_script_and_a_tree_are_one_undo_step(first: str) -> None:
    before = contents()
    both = plan(*lift())
    both["steps"].insert(0 if first == "script" else 1, script(MARK))
    report = api.apply_plan(both, approve="all")
    assert report.ok, report.messages
    assert bpy.data.objects["Plane"].location.x == 1
    assert bpy.data.objects["Plane"].modifiers["Lift"].node_group.name == "Lift"
    bpy.ops.ed.undo()
    assert contents() == before


@pytest.mark.parametrize("first", ["script", "tree"])
def test_failed_gates_restore_the_changes_of_a_script(first: str) -> None:
    before = contents()
    both = plan(*empty())
    both["steps"].insert(0 if first == "script" else 1, script(GOOD))
    report = api.apply_plan(both, approve="all")
    assert "gate_failed" in codes(report), report.messages
    assert contents() == before


def test_a_second_attempt_starts_from_the_same_file() -> None:
    bad, good = plan(*empty()), plan(*lift())
    for one in (bad, good):
        one["steps"].insert(0, script(MARK))
    report = driver.drive(api.start("lift", provider="replay", replies=[bad, good], approve="all"))
    assert report.ok, report.messages
    assert bpy.data.objects["Plane"].location.x == 1


def test_a_cancel_between_two_scripts_restores_the_first() -> None:
    before = contents()
    handle = api.start("x", provider="replay", replies=[scripts(script(GOOD, "a"), script(MARK, "b"))], approve="ask")
    while "Made" not in bpy.data.objects:
        handle.poll(0)
        for request in list(handle.pending):
            handle.approve(request)
        handle.wait(50)
        assert not handle.finished, handle.report().messages
    handle.cancel()
    report = driver.drive(handle)
    assert report.status == "cancelled"
    assert contents() == before


def test_a_cancel_while_a_script_runs_restores_the_file() -> None:
    before = contents()
    busy = GOOD + "\ntotal = 0\nfor a in range(1500000):\n    total += a\n"
    handle = api.start("x", provider="replay", replies=[scripts(script(busy), script(MARK, "b"))], approve="ask")
    seen = []

    def perform(effect: dict[str, Any]) -> Any:
        if effect["effect"] == "execute_step":
            seen.append(effect["step_id"])
            timer = threading.Timer(0.02, handle.core.cancel)
            timer.start()
        return usual(effect)

    usual, handle.perform = handle.perform, perform
    while not handle.finished:
        handle.poll(0)
        for request in list(handle.pending):
            handle.approve(request)
        handle.wait(50)
    assert handle.report().status == "cancelled"
    assert seen == ["script"]
    assert contents() == before


def test_a_script_in_edit_mode_ends_in_object_mode() -> None:
    enters = """
import bpy

bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.select_all(action="SELECT")
bpy.ops.mesh.subdivide(number_cuts=1)
"""
    before = contents()
    report = api.apply_plan(scripts(script(enters)), approve="all")
    assert report.ok, report.messages
    assert (bpy.context.mode, len(bpy.data.objects["Cube"].data.vertices)) == ("OBJECT", 26)
    bpy.ops.ed.undo()
    assert contents() == before
    report = api.apply_plan(scripts(script(enters + "raise ValueError()\n")), approve="all")
    assert report.status == "error"
    assert contents() == before


def test_a_script_is_restored_even_if_undo_is_switched_off() -> None:
    edit = bpy.context.preferences.edit
    edit.use_global_undo = False
    try:
        before = contents()
        assert api.apply_plan(scripts(script(FAILS)), approve="all").status == "error"
        assert contents() == before
        assert api.apply_plan(scripts(script(MARK)), approve="all").ok
        assert not edit.use_global_undo
    finally:
        edit.use_global_undo = True


def test_a_script_cannot_see_temporary_data_of_the_run() -> None:
    clears = """
import bpy

print([group.name for group in bpy.data.node_groups])
for group in list(bpy.data.node_groups):
    bpy.data.node_groups.remove(group)
"""
    before = contents()
    both = plan(*lift())
    both["steps"] += [script(clears), script(MARK, "after")]
    report = api.apply_plan(both, approve="all")
    assert report.steps[1]["message"] == "['Artist', 'Lift']"
    # The gates miss the tree that the plan made and the script removed.
    assert report.status == "error" and "gate_failed" in codes(report)
    assert contents() == before
    report = api.apply_plan(scripts(script(clears)), approve="all")
    assert report.ok, report.messages
    assert not bpy.data.node_groups
    bpy.ops.ed.undo()
    assert contents() == before


def test_two_undo_steps_in_the_preferences_are_enough() -> None:
    edit = bpy.context.preferences.edit
    usual, edit.undo_steps = edit.undo_steps, 2
    try:
        before = contents()
        assert api.apply_plan(scripts(script(FAILS)), approve="all").status == "error"
        assert contents() == before
        assert api.apply_plan(scripts(script(GOOD)), approve="all").ok
        bpy.ops.ed.undo()
        assert contents() == before
    finally:
        edit.undo_steps = usual


def test_an_undo_in_between_is_noticed() -> None:
    handle = api.start("x", provider="replay", replies=[scripts(script(GOOD, "a"), script(MARK, "b"))], approve="ask")
    while "Made" not in bpy.data.objects:
        handle.poll(0)
        for request in list(handle.pending):
            handle.approve(request)
        handle.wait(50)
    bpy.ops.ed.undo_push(message="Somebody")
    bpy.ops.ed.undo()
    report = driver.drive(handle)
    assert report.status == "error"
    assert "touched_by_artist" in codes(report)
    assert "Made" not in bpy.data.objects


def test_an_undo_step_made_by_others_in_between_does_not_disturb_a_restore() -> None:
    before = contents()
    handle = api.start("x", provider="replay", replies=[scripts(script(GOOD, "a"), script(FAILS, "b"))], approve="ask")
    while "Made" not in bpy.data.objects:
        handle.poll(0)
        for request in list(handle.pending):
            handle.approve(request)
        handle.wait(50)
    for name in ("Somebody", "Somebody else"):
        bpy.ops.ed.undo_push(message=name)
    report = driver.drive(handle)
    assert report.status == "error"
    assert contents() == before


def test_long_output_is_cut() -> None:
    report = api.apply_plan(scripts(script("for i in range(2000):\n    print('line', i)\n")), approve="all")
    assert report.ok, report.messages
    said = report.steps[0]["message"]
    assert said.startswith("line 0\n") and said.endswith("characters more") and len(said) < 2100


def test_a_script_without_output_says_how_long_it_took() -> None:
    report = api.apply_plan(scripts(script("x = 1\n")), approve="all")
    assert report.steps[0]["message"].startswith("Ran in ")
