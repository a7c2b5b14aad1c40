# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests in Blender: undo and untouched parts are compared by what the whole file holds, frames are played."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant.cli import e2e
from geonode_assistant.cli.console import Console
from geonode_assistant.cli.manifest import ManifestReport
from geonode_assistant.host import folders
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import driver

# What is compared after a script is the same with and without its trial, which is a whole Blender for each.
untried = pytest.mark.usefixtures("untried")

# What a script does that leaves every name, modifier and tree as it was.
SMALL_CHANGES = {
    "place of an object": "bpy.data.objects['Ball'].location.x += 1",
    "corner of a mesh": "bpy.data.objects['Ball'].data.vertices[3].co.z += 0.1",
    "custom property": "bpy.data.objects['Ball']['weight'] = 2.5",
    "frame range": "bpy.context.scene.frame_end = 33",
    "visibility": "bpy.data.objects['Ball'].hide_render = True",
    "shading": "bpy.data.objects['Ball'].data.polygons[0].use_smooth = True",
}


def manifest(replies: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "manifest": 1,
        "name": "test",
        "prompt": "move the ball",
        "start": {"objects": [{"name": "Ball", "primitive": "ico_sphere"}, {"name": "Plane", "primitive": "plane"}]},
        "provider": "replay" if replies else "offline",
        **({"replies": replies} if replies else {}),
        "timeout_s": 120,
        **more,
    }


def script(code: str) -> dict[str, Any]:
    step = {"id": "s", "type": "PYTHON", "description": "Change it", "payload": {"code": f"import bpy\n{code}\n"}}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "Changed."}


def run(tmp_path: Path, data: dict[str, Any]) -> ManifestReport:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(data))
    return e2e.run_manifest(path)


def failed(report: ManifestReport) -> list[str]:
    return [check.line() for check in report.checks if not check.ok]


@untried
@pytest.mark.parametrize("change", SMALL_CHANGES)
def test_undo_is_compared_by_values(tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = manifest([script(SMALL_CHANGES[change])], expect={"status": "done", "undo_restores": True})
    report = run(tmp_path, data)
    assert report.ok, failed(report)
    monkeypatch.setattr(e2e.undo, "step_back", lambda: None)
    assert [line.split(":")[0] for line in failed(run(tmp_path, data))] == ["FAIL  undo restores"]


@untried
def test_a_failed_run_that_changes_something_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = manifest([script("raise ValueError")], expect={"status": "error"})
    report = run(tmp_path, data)
    assert report.ok, failed(report)

    def careless(*arguments: Any) -> Any:
        report = real(*arguments)
        bpy.data.objects["Ball"].rotation_euler.x += 0.5
        return report

    real = driver.drive
    monkeypatch.setattr(driver, "drive", careless)
    assert [line.split(":")[0] for line in failed(run(tmp_path, data))] == ["FAIL  nothing changed"]


@untried
def test_what_must_stay_is_named(tmp_path: Path) -> None:
    untouched = [{"kind": "objects", "name": "Ball"}, {"kind": "meshes", "name": "Plane"}]
    data = manifest([script("bpy.data.objects['Ball'].location.x += 1")])
    data["expect"] = {"status": "done", "untouched": untouched}
    assert [line.split(":")[0] for line in failed(run(tmp_path, data))] == ["FAIL  objects Ball untouched"]


def test_follow_ups_go_on_in_the_conversation_and_each_is_undone(tmp_path: Path) -> None:
    expect = {
        "status": "done",
        "geometry": [{"object": "Plane", "instances": 30}],
        "undo_restores": True,
    }
    data = manifest(prompt="scatter 20 cubes on the plane", follow_ups=["make it 30"], expect=expect)
    report = run(tmp_path, data)
    assert report.ok, failed(report)
    assert [check.name for check in report.checks if check.name.startswith("status")] == [
        "status of prompt 1",
        "status",
    ]


def test_conversations_of_manifests_are_not_kept_among_the_artists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    monkeypatch.setattr(folders, "own_folder", lambda: mine)
    data = manifest(prompt="scatter 20 cubes on the plane", follow_ups=["make it 30"], expect={"status": "done"})
    report = run(tmp_path, data)
    assert report.ok, failed(report)
    assert report.run["conversation_turns"] == 2
    kept = [path for path in mine.rglob("*") if path.is_file() and "catalogue" not in str(path.relative_to(mine))]
    assert kept == []


def test_the_limit_of_time_holds_for_frames(tmp_path: Path) -> None:
    data = manifest(prompt="scatter 20 cubes on the plane")
    data["expect"] = {"status": "done", "geometry": [{"object": "Plane", "frame": 10_000, "instances": 20}]}
    path = tmp_path / "m.json"
    path.write_text(json.dumps(data))
    around = e2e.Circumstances(timeout_s=1e6)
    frames = []

    def check() -> None:
        frames.append(bpy.context.scene.frame_current)
        if len(frames) == 6:
            around.timeout_s = 1e-9
        e2e.Circumstances.check(around)

    around.check = check  # type: ignore[method-assign]
    started = time.monotonic()
    with Console() as console:
        (report,) = e2e.run_each([path], lambda _: around, console, e2e.Progress(None))
    assert report.error is not None and report.error["code"] == "run_timeout"
    assert not report.ok and len(frames) == 6 and time.monotonic() - started < 60


def test_a_prompt_has_what_is_left_of_the_time(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(manifest([script("while True: pass")], expect={"status": "error"})))
    with pytest.raises(AssistantError) as caught:
        e2e.run_manifest(path, timeout_s=0.01)
    assert caught.value.code == "run_timeout"


@untried
def test_another_planner_replaces_the_one_of_the_manifest_but_not_recorded_replies(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    planner = e2e.Planner("openai-compatible", "m", "http://127.0.0.1:9/v1")

    def provider(data: dict[str, Any]) -> str:
        path.write_text(json.dumps(data))
        with Console() as console:
            around = e2e.Circumstances(planner=planner)
            (report,) = e2e.run_each([path], lambda _: around, console, e2e.Progress(None))
        return report.run["provider"]

    expect = {"status": "error"}
    assert provider(manifest(prompt="scatter 20 cubes on the plane", expect=expect)) == "openai-compatible"
    assert provider(manifest([script("raise ValueError")], expect=expect)) == "replay"


def test_a_picture_shows_the_result_and_changes_nothing(tmp_path: Path) -> None:
    path, picture = tmp_path / "m.json", tmp_path / "deep" / "0.jpg"
    expect = {"status": "done", "undo_restores": True}
    path.write_text(json.dumps(manifest(prompt="scatter 20 cubes on the plane", expect=expect)))
    with Console() as console:
        around = e2e.Circumstances(picture=picture)
        (report,) = e2e.run_each([path], lambda _: around, console, e2e.Progress(None))
    assert report.ok, failed(report)
    assert report.picture == "0.jpg" and picture.read_bytes().startswith(b"\xff\xd8")
    assert set(report.times) == {"start", "prompts", "measuring", "picture", "undo"}


def moves(axis: str) -> dict[str, Any]:
    return script(f"bpy.data.objects['Ball'].location.{axis} += 1")


def test_each_prompt_has_its_own_replies_and_its_own_undo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replies = [moves("x"), script("raise ValueError"), moves("y"), moves("z")]
    data = manifest(replies, follow_ups=["and y", "and z"], expect={"status": "done", "undo_restores": True})
    report = run(tmp_path, data)
    assert report.ok, failed(report)
    assert [check.name for check in report.checks[-3:]] == [f"undo of prompt {n} restores" for n in (3, 2, 1)]
    real, undone = e2e.undo.step_back, []

    def once_only() -> None:
        undone.append(True)
        if len(undone) == 1:
            real()

    monkeypatch.setattr(e2e.undo, "step_back", once_only)
    lines = [line.split(":")[0] for line in failed(run(tmp_path, data))]
    assert lines == ["FAIL  undo of prompt 2 restores", "FAIL  undo of prompt 1 restores"]


@untried
def test_a_failed_follow_up_must_change_nothing_of_what_stood_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = [moves("x"), *[script("raise ValueError")] * 4]
    data = manifest(replies, follow_ups=["and y"], expect={"status": "error"})
    report = run(tmp_path, data)
    assert report.ok, failed(report)
    assert bpy.data.objects["Ball"].location.x == 1

    def careless(*arguments: Any) -> Any:
        found = real(*arguments)
        if found.status == "error":
            bpy.data.objects["Ball"].rotation_euler.x += 0.5
        return found

    real = driver.drive
    monkeypatch.setattr(driver, "drive", careless)
    assert [line.split(":")[0] for line in failed(run(tmp_path, data))] == ["FAIL  nothing changed"]


def test_frames_are_played_from_the_first_one_on(tmp_path: Path) -> None:
    def z(frame: int, low: float, high: float) -> dict[str, Any]:
        return {
            "object": "Ball",
            "frame": frame,
            "bounds": {"min": [-1, -1, low], "max": [1, 1, high], "tolerance": 0.06},
        }

    page = (
        "def fall(geometry: Geometry) -> Geometry:\n"
        "    with simulation(items={'Geometry': Geometry(geometry)}) as (before, after):\n"
        "        after.geometry = set_position(before.geometry, offset=(0, 0, -0.1))\n    return after.geometry\n\n"
        "apply('Fall', object='Ball')\n"
    )
    plan = {
        "version": "1.2",
        "steps": [{"id": "f", "type": "NODE_TREE", "description": "Let it fall", "payload": {"text": page}}],
        "done": True,
        "final_message": "It falls.",
    }
    data = manifest([plan], prompt="let the ball fall")
    data["expect"] = {"status": "done", "geometry": [z(21, -3.1, -1.1), z(11, -2.1, -0.1)]}
    report = run(tmp_path, data)
    assert report.ok, failed(report)
    assert bpy.context.scene.frame_current == 1
    data["expect"]["geometry"] = [z(11, -3.1, -1.1)]
    assert len(failed(run(tmp_path, data))) == 2


def test_attributes_and_warnings_are_measured(tmp_path: Path) -> None:
    page = (
        "def heat(geometry: Geometry) -> Geometry:\n"
        "    z = position().z\n"
        "    return store_named_attribute(geometry, data_type='FLOAT', domain='POINT', name='heat', value=z)\n\n"
        "apply('Heat', object='Ball')\n"
    )
    plan = {
        "version": "1.2",
        "steps": [{"id": "f", "type": "NODE_TREE", "description": "Store", "payload": {"text": page}}],
        "done": True,
        "final_message": "Stored.",
    }
    data = manifest([plan])
    heat = {"domain": "POINT", "type": "FLOAT", "min": [-1.01, -0.99], "max": [0.99, 1.01]}
    data["expect"] = {"status": "done", "geometry": [{"object": "Ball", "attributes": {"heat": heat}}]}
    report = run(tmp_path, data)
    assert report.ok, failed(report)
    data["expect"]["geometry"][0]["attributes"] = {"heat": heat | {"max": 2}, "cold": {}}
    assert [line.split(":")[0] for line in failed(run(tmp_path, data))] == [
        "FAIL  max of heat of Ball",
        "FAIL  attribute cold of Ball",
    ]


def test_attributes_of_instances_are_of_instances(tmp_path: Path) -> None:
    page = (
        "def heat(geometry: Geometry) -> Geometry:\n"
        "    balls = instance_on_points(geometry, instance=ico_sphere().mesh)\n"
        "    return store_named_attribute(balls, data_type='FLOAT', domain='INSTANCE', name='heat', value=0.1)\n\n"
        "apply('Heat', object='Ball')\n"
    )
    step = {"id": "f", "type": "NODE_TREE", "description": "Store", "payload": {"text": page}}
    data = manifest([{"version": "1.2", "steps": [step], "done": True, "final_message": "Stored."}])
    heat = {"domain": "INSTANCE", "type": "FLOAT", "min": 0.1, "max": 0.1}
    data["expect"] = {"status": "done", "geometry": [{"object": "Ball", "attributes": {"heat": heat}}]}
    report = run(tmp_path, data)
    if bpy.app.version < (4, 5):  # which shows no instances to Python
        assert [line.split(":")[0] for line in failed(report)] == ["FAIL  attribute heat of Ball"]
    else:
        assert report.ok, failed(report)


@untried
def test_what_is_out_of_sight_was_touched(tmp_path: Path) -> None:
    hidden = script("bpy.data.objects['Ball'].hide_set(True)")
    data = manifest([hidden], expect={"status": "done", "untouched": [{"kind": "objects", "name": "Ball"}]})
    assert [line.split(":")[0] for line in failed(run(tmp_path, data))] == ["FAIL  objects Ball untouched"]


@untried
def test_a_prompt_that_changes_nothing_has_nothing_to_undo(tmp_path: Path) -> None:
    data = manifest([script("pass")], expect={"status": "done", "undo_restores": True})
    report = run(tmp_path, data)
    assert report.error is None and report.ok, failed(report)


@untried
def test_what_has_no_geometry_fails_its_checks_and_no_others(tmp_path: Path) -> None:
    code = "bpy.context.scene.collection.objects.link(bpy.data.objects.new('Void', None))"
    wanted = {
        "status": "done",
        "geometry": [{"object": "Void", "vertices": 0}, {"object": "Plane", "vertices": 4}],
        "pictures": [{"object": "Void", "like": "void.png"}, {"object": "Nobody", "like": "nobody.png"}],
    }
    report = run(tmp_path, manifest([script(code)], expect=wanted))
    assert report.error is None
    assert [line.split(":")[0] for line in failed(report)] == [
        "FAIL  geometry of Void",
        "FAIL  picture of Void (perspective)",
        "FAIL  picture of Nobody (perspective)",
    ]


def look(tmp_path: Path, prompt: str, keep: bool = False, **wanted: Any) -> ManifestReport:
    """The report of a prompt whose result has to look like ``kept/ball.png``."""
    expect = {
        "status": "done",
        "undo_restores": True,
        "pictures": [{"object": "Plane", "like": "kept/ball.png", **wanted}],
    }
    path = tmp_path / "m.json"
    path.write_text(json.dumps(manifest(prompt=prompt, object="Plane", expect=expect)))
    [report] = e2e.run_each([path], lambda _: e2e.Circumstances(keep_pictures=keep), Console(), e2e.Progress(None))
    return report


def test_a_result_is_compared_with_a_picture(tmp_path: Path) -> None:
    prompt = "scatter 12 cubes on the plane"
    assert "kept" in failed(look(tmp_path, prompt))[0]
    assert look(tmp_path, prompt, keep=True).ok
    kept = (tmp_path / "kept/ball.png").read_bytes()
    report = look(tmp_path, prompt, keep=True)
    assert report.ok, failed(report)
    assert (tmp_path / "kept/ball.png").read_bytes() == kept
    other = look(tmp_path, "scatter 3 cones on the plane")
    assert "picture of Plane (perspective)" in failed(other)[0]
    above = look(tmp_path, prompt, view="top")
    assert "picture of Plane (top)" in failed(above)[0]
    assert look(tmp_path, "scatter 3 cones on the plane", similarity=0).ok
    (tmp_path / "kept/ball.png").write_bytes(b"no picture")
    assert "is no PNG picture" in failed(look(tmp_path, prompt))[0]
    # A picture of another size is not stretched, and one of a thousand megapixels is not opened.
    for width, height in ((160, 400), (30_000, 30_000)):
        head = kept[:16] + width.to_bytes(4, "big") + height.to_bytes(4, "big") + kept[24:]
        (tmp_path / "kept/ball.png").write_bytes(head)
        assert f"has {width} × {height} pixels, not 320 × 240" in failed(look(tmp_path, prompt))[0]


def test_pictures_stay_below_the_folder_of_the_manifest(tmp_path: Path) -> None:
    for outside in ("../ball.png", "/tmp/ball.png", "a/../../ball.png", "a\\ball.png"):
        report = look(tmp_path, "scatter 12 cubes on the plane", like=outside)
        assert report.error is not None and "/expect/pictures/0/like" in report.error["message"], outside


def test_links_do_not_lead_out_of_the_folder_of_the_manifest(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    folder.mkdir()
    (folder / "folder").symlink_to(outside)
    (folder / "ball.png").symlink_to(outside / "ball.png")
    (folder / "circle.png").symlink_to("circle.png")
    for like in ("folder/ball.png", "folder/new/ball.png", "ball.png", "circle.png"):
        [line] = failed(look(folder, "scatter 12 cubes on the plane", keep=True, like=like))
        assert like == "circle.png" or "leads out of the folder of the manifest" in line, line
        assert not [*outside.iterdir()], like
    (folder / "kept").mkdir()
    (folder / "pictures").symlink_to("kept")
    assert look(folder, "scatter 12 cubes on the plane", keep=True, like="pictures/ball.png").ok
    assert (folder / "kept/ball.png").is_file()


def test_the_start_is_a_file_below_the_folder_of_the_manifest(tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Ball", bpy.data.meshes.new("Ball")))
    for file in (tmp_path / "outside.blend", folder / "scene.blend"):
        bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True)
    (folder / "link.blend").symlink_to("../outside.blend")
    (folder / "folder").symlink_to("..")
    (folder / "same.blend").symlink_to("scene.blend")
    data = manifest([moves("x")], expect={"status": "done", "objects": ["Ball"]})
    for inside in ("scene.blend", "./scene.blend", "same.blend"):
        assert run(folder, data | {"start": {"blend": inside}}).ok, inside
    outside = ["../outside.blend", str(tmp_path / "outside.blend"), "folder/outside.blend", "link.blend"]
    for path in [*outside, "scene.blend/", "scene.blend\0", "folder/../outside.blend"]:
        with pytest.raises(AssistantError) as caught:
            run(folder, data | {"start": {"blend": path}})
        assert caught.value.code == "manifest_invalid", path
        assert "/start/blend" in caught.value.message or "leads out of the folder" in caught.value.message, path


def test_what_was_found_before_an_error_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(e2e, "_undone", broken)
    data = manifest([moves("x")], name="Ball", expect={"status": "done", "objects": ["Ball"], "undo_restores": True})
    path = tmp_path / "m.json"
    path.write_text(json.dumps(data))
    [report] = e2e.run_each([path], lambda _: e2e.Circumstances(), Console(), e2e.Progress(None))
    assert report.error is not None and "broken" in report.error["message"] and not report.ok
    assert (report.name, report.prompts) == ("Ball", ["move the ball"])
    assert [check.ok for check in report.checks] and all(check.ok for check in report.checks)
    assert report.run["status"] == "done"


def test_the_report_draws_the_tree_that_was_made(tmp_path: Path) -> None:
    report = look(tmp_path, "scatter 12 cubes on the plane", keep=True)
    [tree] = report.trees
    made = {node["title"] for node in tree["nodes"]}
    assert tree["name"] == "Scatter" and {"Group Input", "Group Output", "Instance on Points", "Multiply"} <= made
    for source, output, target, entry in tree["links"]:
        assert output < len(tree["nodes"][source]["outputs"]) and entry < len(tree["nodes"][target]["inputs"])
    assert len({tuple(node["place"]) for node in tree["nodes"] if node["kind"] != "frame"}) > 5


ATTENDED = """
import os, subprocess, sys, time
from geonode_assistant.cli import attended
attended.end_with_input()
assert sys.stdin.read() == "", "what is started from here finds nothing to read"
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print("ready", flush=True)
COMPUTE
"""


@pytest.mark.skipif(os.name != "posix", reason="groups of processes")
@pytest.mark.parametrize(
    "compute",
    [
        "time.sleep(60)",
        # No thread of Python's runs meanwhile.
        pytest.param(
            "int('9' * 20_000_000)",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="the system ends it only there"),
        ),
    ],
)
def test_a_process_that_loses_the_one_that_started_it_ends_with_its_own(compute: str) -> None:
    code = f"import sys; sys.set_int_max_str_digits(0)\n{ATTENDED.replace('COMPUTE', compute)}"
    kept, output = subprocess.PIPE, subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=kept, stdout=output, start_new_session=True) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(0.5)
        assert child.poll() is None
        begun = time.monotonic()
        child.stdin.close()
        # The output ends with the last process that has it.
        assert child.stdout.read() == b""
        assert child.wait(10) == -signal.SIGKILL
        assert time.monotonic() - begun < 5
