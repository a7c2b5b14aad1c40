# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry runs: another process applies the plan to a copy of the file. Whatever happens there, this Blender continues."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import bpy
import pytest
from asking import HIGHER, lift, wait
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.run import driver, session
from geonode_assistant.run.driver import RunHandle
from geonode_assistant.run.dry_run import start as dry_run
from geonode_assistant.run.dry_run import trial

PATIENCE_S = 120.0
# Blender itself takes about half of this.
SMALL_MB = 700


def leftovers() -> tuple[list[str], list[str]]:
    """Folders of dry runs, and child processes that are still running."""
    folders = [str(path) for path in Path(bpy.app.tempdir).glob(f"{dry_run.PREFIX}*")]
    children = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            children.append(path.parent.name)
    return folders, children


def clean(within_s: float = 1.0) -> bool:
    limit = time.monotonic() + within_s
    while leftovers() != ([], []) and time.monotonic() < limit:
        time.sleep(0.02)
    return leftovers() == ([], [])


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    yield
    session.current.close()
    session.current.reset("")
    assert clean(), leftovers()


def start_question(plan: dict[str, Any], **settings: Any) -> tuple[RunHandle, str]:
    """A run that waits for its approval."""
    handle = api.start("x", provider="replay", replies=[plan], approve="ask", settings=settings)
    return handle, wait(handle)


def finish_trial(handle: RunHandle, request_id: str, *without: str) -> dict[str, Any]:
    """Waits for the dry run and returns its result; the question is open again."""
    waits: list[float] = []
    limit = time.monotonic() + PATIENCE_S
    handle.dry_run(request_id, without)
    while request_id in handle.pending:
        assert time.monotonic() < limit
        started = time.perf_counter()
        busy = handle.trying
        handle.poll(0)
        if busy and handle.trying:
            waits.append(time.perf_counter() - started)
        handle.wait(20)
    # A busy machine may stop a single look; one that waited for the process would make all of them long.
    assert median(waits or [0.0]) < 0.1, "the main thread waited for the trial"
    [request] = handle.pending.values()
    return request["dry_run"]["result"]


def risky(*operations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A plan that needs approval."""
    plan = lift()
    head = plan["steps"][0]["payload"]["operations"][1:2]
    plan["steps"][0]["payload"]["operations"] = [*head, *operations]
    return {**plan, **more}


def node(node_id: str, kind: str) -> dict[str, Any]:
    return {"op": "create_node", "node_id": node_id, "bl_idname": kind}


def value(node_id: str, socket: str, new: Any) -> dict[str, Any]:
    return {"op": "set_input_default", "node_id": node_id, "socket": socket, "value": new}


def link(source: str, output: str, target: str, into: str) -> dict[str, Any]:
    ends = {"from": {"node_id": source, "socket": output}, "to": {"node_id": target, "socket": into}}
    return {"op": "link", **ends}


def subdivided(level: int) -> dict[str, Any]:
    """A plan with so many levels of subdivision, in nodes of at most six levels each."""
    names = [f"fine{n}" for n in range(level // 6)]
    chain = [op for n in names for op in (node(n, "GeometryNodeSubdivideMesh"), value(n, "Level", 6))]
    links = [link(a, "Mesh", b, "Mesh") for a, b in zip(["cube", *names], names, strict=False)]
    return risky(
        node("cube", "GeometryNodeMeshCube"), *chain, *links, link(names[-1], "Mesh", "group_output", "Geometry")
    )


def points(count: int) -> dict[str, Any]:
    return risky(
        node("many", "GeometryNodePoints"),
        value("many", "Count", count),
        link("many", "Points", "group_output", "Geometry"),
    )


def repeated(iterations: int) -> dict[str, Any]:
    """A plan that doubles its geometry in each iteration."""
    return risky(
        {
            "op": "add_zone",
            "id": "twice",
            "kind": "repeat",
            "items": [{"name": "Geometry", "socket_type": "NodeSocketGeometry"}],
        },
        node("cube", "GeometryNodeMeshCube"),
        node("join", "GeometryNodeJoinGeometry"),
        node("away", "GeometryNodeTransform"),
        value("twice_in", "Iterations", iterations),
        link("cube", "Mesh", "twice_in", "Geometry"),
        link("twice_in", "Geometry", "away", "Geometry"),
        link("away", "Geometry", "join", "Geometry"),
        link("twice_in", "Geometry", "join", "Geometry"),
        link("join", "Geometry", "twice_out", "Geometry"),
        link("twice_out", "Geometry", "group_output", "Geometry"),
    )


def moved(iterations: int) -> dict[str, Any]:
    """A plan that moves a cube in each iteration."""
    return risky(
        {
            "op": "add_zone",
            "id": "on",
            "kind": "repeat",
            "items": [{"name": "Geometry", "socket_type": "NodeSocketGeometry"}],
        },
        node("cube", "GeometryNodeMeshCube"),
        node("away", "GeometryNodeTransform"),
        value("on_in", "Iterations", iterations),
        link("cube", "Mesh", "on_in", "Geometry"),
        link("on_in", "Geometry", "away", "Geometry"),
        link("away", "Geometry", "on_out", "Geometry"),
        link("on_out", "Geometry", "group_output", "Geometry"),
    )


def test_a_dry_run_leaves_this_file_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "mine.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.context.object.location.x = 3
    bpy.ops.ed.undo_push(message="Moved")
    before, dirty, written = e2e.document(), bpy.data.is_dirty, path.stat().st_mtime_ns
    handle, request_id = start_question(lift())
    result = finish_trial(handle, request_id)
    assert result["ok"], result
    assert result["seconds"] > 0 and 50 < result["peak_mb"] < 4096
    assert result["made"][0].startswith("Plane")
    assert result["without"] == []
    assert (bpy.data.filepath, bpy.data.is_dirty, path.stat().st_mtime_ns) == (str(path), dirty, written)
    assert e2e.document() == before
    assert clean(), leftovers()
    [second] = handle.pending
    handle.approve(second)
    assert driver.drive(handle).ok
    bpy.ops.ed.undo()
    assert e2e.document() == before
    assert bpy.data.objects["Plane"].location.x == 3


def test_a_dry_run_of_a_page_makes_the_same_edit_as_the_run() -> None:
    tree = bpy.data.node_groups.new("Tower", "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    ends = [tree.nodes.new(f"NodeGroup{end}") for end in ("Input", "Output")]
    tree.links.new(ends[1].inputs[0], ends[0].outputs[0])
    bpy.data.objects["Plane"].modifiers.new("Tower", "NODES").node_group = tree

    text = 'with edit("Tower"):\n    ball = ico_sphere()\n    return join_geometry(geometry, ball)\n'
    text += '\napply("Tower", object="Plane")\n'
    step = {"id": "s", "type": "NODE_TREE", "description": "A tree", "payload": {"text": text}}
    plan = {"version": "1.2", "steps": [{**step, "requires_approval": True}], "done": True, "final_message": "Done."}
    handle, request_id = start_question(plan)
    result = finish_trial(handle, request_id)
    assert result["ok"], result
    [second] = handle.pending
    handle.approve(second)
    report = driver.drive(handle)
    assert report.ok, report.messages
    assert [group.name for group in bpy.data.node_groups] == ["Tower"]
    assert not any("Node groups made" in line or "Tower.001" in line for line in result["did"]), result["did"]


def test_a_dry_run_omits_operations_that_are_left_out() -> None:
    handle, request_id = start_question(lift())
    result = finish_trial(handle, request_id, HIGHER)
    assert result["ok"] and result["without"] == [HIGHER]
    [request] = handle.pending.values()
    assert request["without"] == [HIGHER]
    handle.cancel()


def test_a_dry_run_reports_failed_checks() -> None:
    # The plane's geometry goes nowhere.
    handle, request_id = start_question(risky(node("lost", "GeometryNodeTransform")))
    result = finish_trial(handle, request_id)
    assert not result["ok"]
    assert result["failed_gates"], result
    assert result["text"].startswith("The dry run failed")
    handle.cancel()


@pytest.mark.parametrize(
    ("plan", "seconds", "codes"),
    [
        (subdivided(12), 45, {"dry_run_memory", "dry_run_timeout"}),
        (points(1_000_000_000), 45, {"dry_run_memory"}),
        (repeated(26), 45, {"dry_run_memory", "dry_run_timeout"}),
    ],
    ids=["subdivision", "points", "doubling"],
)
def test_a_dry_run_of_a_plan_that_is_too_large_ends_at_its_limits(
    plan: dict[str, Any], seconds: int, codes: set[str]
) -> None:
    before = e2e.document()
    handle, request_id = start_question(
        {**plan, "steps": [{**plan["steps"][0], "requires_approval": True}]}, dry_run_s=seconds, dry_run_mb=SMALL_MB
    )
    started = time.monotonic()
    result = finish_trial(handle, request_id)
    assert not result["ok"]
    assert result["code"] in codes, result
    assert time.monotonic() - started < 60
    assert e2e.document() == before
    assert clean(), leftovers()
    [second] = handle.pending
    handle.reject(second)
    assert driver.drive(handle).status == "cancelled"


def test_a_dry_run_that_takes_too_long_is_reported() -> None:
    handle, request_id = start_question(moved(2_000_000_000), dry_run_s=4, dry_run_mb=100_000)
    started = time.monotonic()
    result = finish_trial(handle, request_id)
    assert (result["ok"], result["code"]) == (False, "dry_run_timeout"), result
    assert "after 4 s" in result["text"]
    assert time.monotonic() - started < 30
    handle.cancel()


def test_a_dry_run_can_be_stopped_and_the_question_stays_open() -> None:
    handle, request_id = start_question(lift())
    handle.stop_dry_run()  # no dry run is under way, so nothing happens
    handle.dry_run(request_id)
    while not handle.trying:
        handle.poll()
        handle.wait(20)
    handle.stop_dry_run()
    assert clean(), leftovers()
    limit = time.monotonic() + PATIENCE_S
    while request_id in handle.pending:
        assert time.monotonic() < limit
        handle.poll()
        handle.wait(20)
    [(again, request)] = handle.pending.items()
    result = request["dry_run"]["result"]
    assert (result["ok"], result["code"]) == (False, "cancelled") and "stopped" in result["text"]
    handle.approve(again)
    assert driver.drive(handle).status == "done"


@pytest.mark.parametrize("end", ["cancel", "approve", "reject", "close", "load"])
def test_the_end_of_the_question_ends_the_dry_run_within_a_second(end: str) -> None:
    handle, request_id = start_question(lift())
    handle.dry_run(request_id)
    while not handle.trying:
        handle.poll()
        handle.wait(20)
    begun = time.monotonic()
    while not leftovers()[1]:  # it is started by another thread
        assert time.monotonic() - begun < 20
        time.sleep(0.01)
    if end == "load":
        from geonode_assistant.ui import polling

        polling.end_before_load()
    elif end in ("cancel", "close"):
        getattr(handle, end)()
    else:
        getattr(handle, end)(request_id)
    assert clean(), leftovers()
    assert driver.drive(handle).status == ("done" if end == "approve" else "cancelled")


def test_dry_run_processes_end_with_this_process() -> None:
    """The process of a dry run ends when its Blender is killed."""
    script = (
        "import sys, tempfile, time\n"
        f"sys.path.insert(0, {str(Path(trial.__file__).parents[3])!r})\n"
        "from pathlib import Path\n"
        "from geonode_assistant.run.dry_run.trial import Trial\n"
        "folder = Path(tempfile.mkdtemp())\n"
        "made = Trial([sys.executable, '-c', 'import time; time.sleep(60)'], folder, 60, 4096)\n"
        "print(made._process.pid, folder, flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True)
    pid, folder = done.stdout.split()
    assert not Path(f"/proc/{pid}").exists() and not Path(folder).exists()


# Misbehaviour of a process, and the code of the result.
MISBEHAVIOUR = {
    "garbage": ("open('report.json', 'w').write('{\"status\": 3')", "dry_run_crashed"),
    "another form": ("open('report.json', 'w').write('[1]')", "dry_run_crashed"),
    "too much": ("open('report.json', 'w').write(' ' * 3_000_000 + '{}')", "dry_run_crashed"),
    "deep": ("open('report.json', 'w').write('[' * 100_000)", "dry_run_crashed"),
    "nothing": ("pass", "dry_run_crashed"),
    "crash": ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "dry_run_crashed"),
    "hang": ("import time; time.sleep(60)", "dry_run_timeout"),
    "noise": ("import sys\nwhile True: sys.stdout.write('x' * 4096)", "dry_run_crashed"),
    "memory": ("x = []\nwhile True: x.append(bytearray(b'x' * 10_000_000))", "dry_run_memory"),
    "no memory": ("import sys; sys.stderr.write('Malloc returns null: len=9'); sys.exit(1)", "dry_run_memory"),
    "the disk": (
        "for n in range(400): open(str(n), 'wb').write(bytes(4 << 20))\nimport time; time.sleep(60)",
        "dry_run_crashed",
    ),
    "deep folders": ("import os\nfor _ in range(1200): os.mkdir('d'); os.chdir('d')", "dry_run_crashed"),
    "children": ("import subprocess, time; subprocess.Popen(['sleep', '60']); time.sleep(60)", "dry_run_timeout"),
}


@pytest.mark.parametrize("name", MISBEHAVIOUR)
def test_a_misbehaving_process_gives_a_result(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, expected = MISBEHAVIOUR[name]
    if name == "the disk":
        monkeypatch.setattr(trial, "DISK_BYTES", 64 << 20)
    folder = tmp_path / "trial"
    folder.mkdir()
    # Only a process that is to be stopped at this limit may reach it, however busy the machine is.
    seconds = 2 if expected == "dry_run_timeout" else 60
    one = trial.Trial([sys.executable, "-c", code], folder, seconds, 300)
    looks = 0
    try:
        while (result := one.poll()) is None:
            looks += 1
            time.sleep(0.02)
    finally:
        one.stop(wait=True)
        one.stop(wait=True)
    assert (result["ok"], result["code"]) == (False, expected), result
    # A look that waited for the process would be the only one.
    assert looks > 10 or expected != "dry_run_timeout"
    assert not folder.exists()


def test_a_dry_run_gets_no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "MY_SECRET", "PYTHONSTARTUP", "LD_PRELOAD"):
        monkeypatch.setenv(name, "sk-secret")
    seen = trial.environment(tmp_path)
    assert "sk-secret" not in seen.values()
    assert seen["HOME"] == seen["BLENDER_USER_RESOURCES"] == str(tmp_path)


def test_a_copy_that_cannot_be_saved_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    handle, request_id = start_question(lift())
    monkeypatch.setattr(dry_run.tempfile, "mkdtemp", lambda **_: str(tmp_path / "nowhere"))
    result = finish_trial(handle, request_id)
    assert (result["ok"], result["code"]) == (False, "output_not_writable"), result
    [second] = handle.pending
    handle.approve(second)
    assert driver.drive(handle).ok


def scripted(mode: str) -> dict[str, Any]:
    code = "import bpy\n\nfor n in range(3):\n    bpy.data.objects.new(f'New {n}', None)\n"
    step = {"id": "s", "type": "PYTHON", "description": "Make", "payload": {"code": code, "mode": mode}}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": ""}


def test_a_script_in_safe_mode_can_be_tried_and_a_trusted_one_cannot() -> None:
    before = e2e.document()
    handle, request = start_question(scripted("safe"))
    result = finish_trial(handle, request)
    assert result["ok"], result
    assert e2e.document() == before
    handle.cancel()
    driver.drive(handle)
    handle, request = start_question(scripted("trusted"), python="trusted")
    assert handle.pending[request]["dry_run"]["available"] is False
    handle.cancel()
    driver.drive(handle)
    assert e2e.document() == before
