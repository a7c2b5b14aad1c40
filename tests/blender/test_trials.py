# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts tried in the sandbox before they can be approved, and held afterwards to what they did there."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import bpy
import pytest
from asking import wait
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.host import census
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import driver, session
from geonode_assistant.run.driver import RunHandle

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
PATIENCE_S = 120.0
# What a script finds out about where it runs; the copy of a trial lacks data without users.
RECOGNISES = "import bpy\n\nif bpy.data.meshes.get('Loose') is None:\n    {there}\nelse:\n    {here}\n"
MAKE = "bpy.data.objects.new('{}', None)"


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    yield
    session.current.close()
    session.current.reset("")


ENDLESS = "n = 0\nwhile n < 1:\n    n -= 1\n"


def script(code: str) -> dict[str, Any]:
    # One that never ends is stopped soon.
    payload = {"code": code, "timeout_ms": 500} if code == ENDLESS else {"code": code}
    step = {"id": "s", "type": "PYTHON", "description": "Do it", "payload": payload}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": ""}


def asked(code: str, **settings: Any) -> RunHandle:
    """A run whose question was put and whose trial is over."""
    # A model that may be asked again would be asked to mend what failed.
    settings = {"retries": 0, **settings}
    handle = api.start("x", provider="replay", replies=[script(code)], approve="ask", settings=settings)
    wait(handle)
    waits: list[float] = []
    limit = time.monotonic() + PATIENCE_S
    while not any("result" in request["dry_run"] for request in handle.pending.values()):
        assert time.monotonic() < limit
        started = time.perf_counter()
        busy = handle.trying
        handle.poll(0)
        if busy and handle.trying:
            waits.append(time.perf_counter() - started)
        handle.wait(20)
    # A busy machine may stop a single look; one that waited for the process would make all of them long.
    assert median(waits or [0.0]) < 0.1, "the main thread waited for the trial"
    return handle


def result(handle: RunHandle) -> dict[str, Any]:
    [request] = handle.pending.values()
    return request["dry_run"]["result"]


def approve(handle: RunHandle) -> Any:
    [request_id] = handle.pending
    handle.approve(request_id)
    return driver.drive(handle)


def test_the_question_says_what_the_script_did_and_then_it_does_that() -> None:
    before = e2e.document()
    handle = asked(
        "import bpy\n\nfor n in range(3):\n    bpy.data.objects.new(f'New {n}', None)\n"
        "bpy.data.objects['Plane'].location.x = 2\nprint('made three')\n"
    )
    told = result(handle)
    assert told["ok"], told
    assert told["did"] == [
        "Objects made: New 0, New 1, New 2",
        "Objects changed: Plane",
        "Printed: made three",
    ]
    assert told["seconds"] > 0 and told["peak_mb"] > 50
    assert e2e.document() == before
    [request] = handle.pending.values()
    assert session.current.can_approve(request)
    assert approve(handle).status == "done"
    assert "New 2" in bpy.data.objects and bpy.data.objects["Plane"].location.x == 2


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (ENDLESS, "longer"),
        ("import bpy\n\nbpy.data.objects['Nowhere'].location.x = 1\n", "Nowhere"),
        ("x = ['x']\nwhile len(x) < 2:\n    x[0] = x[0] + x[0]\n", "emory|longer"),
    ],
    ids=["endless", "fails", "memory"],
)
def test_what_fails_there_cannot_be_approved(code: str, says: str) -> None:
    before = e2e.document()
    handle = asked(code)
    told = result(handle)
    assert not told["ok"] and re.search(says, told["text"]), told
    [(request_id, request)] = handle.pending.items()
    assert not session.current.can_approve(request)
    assert [finding["code"] for finding in request["findings"]] == ["trial_failed"]
    handle.approve(request_id)
    report = driver.drive(handle)
    assert report.status == "error" and report.error["code"] == "trial_failed"
    assert e2e.document() == before


@pytest.mark.parametrize(
    ("there", "here"),
    [
        (MAKE.format("A"), MAKE.format("B")),
        ("pass", MAKE.format("B")),
        ("pass", "bpy.data.objects.remove(bpy.data.objects['Plane'])"),
        ("pass", "bpy.data.objects['Plane'].location.x = 9"),
    ],
    ids=["another name", "makes", "removes", "changes"],
)
def test_a_script_that_recognises_its_trial_gains_nothing(there: str, here: str) -> None:
    bpy.data.meshes.new("Loose")
    before = e2e.document()
    handle = asked(RECOGNISES.format(there=there, here=here))
    assert result(handle)["ok"], result(handle)
    report = approve(handle)
    assert report.status == "error"
    assert [m["code"] for m in report.messages if m["severity"] == "error"] == ["script_breach"]
    assert e2e.document() == before
    assert bpy.data.objects["Plane"].location.x == 0


PARTS = (
    "import bpy\n\nplane = bpy.data.objects['Plane']\n[plane.modifiers][0].remove(plane.modifiers['Mine'])\n"
    "plane.modifiers.new('Theirs', 'BEVEL')\n"
    "made = bpy.data.objects.new('New', plane.data)\nmade.modifiers.new('Untold', 'BEVEL')\n"
)


def test_the_question_names_the_parts_that_are_removed() -> None:
    bpy.data.objects["Plane"].modifiers.new("Mine", "SUBSURF")
    handle = asked(PARTS)
    told = result(handle)["did"]
    assert "Modifiers removed: Plane › Mine" in told and "Modifiers made: Plane › Theirs" in told
    assert not any("Untold" in line for line in told)
    assert approve(handle).status == "done"
    assert [one.name for one in bpy.data.objects["Plane"].modifiers] == ["Theirs"]


def test_a_part_that_the_trial_did_not_remove_stays() -> None:
    bpy.data.meshes.new("Loose")
    bpy.data.objects["Plane"].modifiers.new("Mine", "SUBSURF")
    before = e2e.document()
    move = "bpy.data.objects['Plane'].location.x = 9"
    handle = asked(RECOGNISES.format(there=move, here=f"{move}; [bpy.data.objects['Plane'].modifiers][0].clear()"))
    assert result(handle)["ok"], result(handle)
    report = approve(handle)
    assert [m["code"] for m in report.messages if m["severity"] == "error"] == ["script_breach"]
    assert e2e.document() == before


def test_a_script_alone_is_tried_and_its_record_is_carried_out() -> None:
    asked: list[dict[str, Any]] = []
    result = api.run_script(
        "import bpy\n\nbpy.data.objects['Plane'].location.x = 2\nn = 1\nprint('moved')\n",
        approve=lambda request: asked.append(request) or "approved",
    )
    assert [request["dry_run"]["result"]["did"] for request in asked] == [["Objects changed: Plane", "Printed: moved"]]
    assert result.stdout == "moved\n" and result.namespace == {}
    assert bpy.data.objects["Plane"].location.x == 2
    with pytest.raises(AssistantError, match="Nowhere") as failed:
        api.run_script("import bpy\n\nbpy.data.objects['Nowhere'].location.x = 1\n", approve="all")
    assert failed.value.code == "trial_failed"


def test_whoever_insists_after_a_failed_trial_is_asked_once() -> None:
    asked: list[dict[str, Any]] = []
    code = "import bpy\n\nbpy.data.objects['Nowhere'].location.x = 1\n"
    report = api.apply_plan(script(code), approve=lambda request: asked.append(request) or "approved")
    assert report.status == "error" and report.error["code"] == "trial_failed"
    assert len(asked) == 1 and "Nowhere" in asked[0]["findings"][0]["message"]


def test_a_failed_trial_goes_to_the_model_before_the_artist_decides() -> None:
    bad = "import bpy\n\nbpy.data.objects['Plan'].location.x = 1\n"
    good = "import bpy\n\nbpy.data.objects['Plane'].location.x = 1\n"
    handle = api.start("x", provider="replay", replies=[script(bad), script(good)], approve="ask")
    limit = time.monotonic() + PATIENCE_S
    while not any("result" in request["dry_run"] for request in handle.pending.values()):
        assert time.monotonic() < limit and not handle.finished
        handle.poll()
        handle.wait(20)
    assert result(handle)["ok"]
    report = approve(handle)
    assert report.status == "done" and bpy.data.objects["Plane"].location.x == 1
    [again] = [message for message in report.messages if message["code"] == "trial_failed"]
    assert again["severity"] == "info" and "Line 3: KeyError" in again["text"] and "asked again" in again["text"]


def test_unattended_scripts_are_tried_and_held_too() -> None:
    bpy.data.meshes.new("Loose")
    before = e2e.document()
    assert api.apply_plan(script("import bpy\n\nbpy.data.objects.new('New', None)\n"), approve="all").ok
    assert "New" in bpy.data.objects
    report = api.apply_plan(script(RECOGNISES.format(there="pass", here=MAKE.format("B"))), approve="all")
    assert report.status == "error" and "B" not in bpy.data.objects
    report = api.apply_plan(script(ENDLESS), approve="all")
    assert report.status == "error"
    assert [m["code"] for m in report.messages if m["severity"] == "error"] == ["trial_failed"]
    bpy.data.objects.remove(bpy.data.objects["New"])
    assert e2e.document() == before


def test_without_a_sandbox_the_question_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from geonode_assistant.run.dry_run import start

    why = "This system has no sandbox for scripts: a test says so."
    monkeypatch.setattr(start, "_missing", lambda: why)
    handle = asked("import bpy\n\nbpy.data.objects.new('New', None)\n")
    told = result(handle)
    assert (told["ok"], told["tried"], told["code"]) == (False, False, "sandbox_unavailable")
    assert "no sandbox" in told["text"]
    [request] = handle.pending.values()
    assert session.current.can_approve(request)
    assert approve(handle).status == "done"


def test_a_stopped_trial_keeps_approve_closed_until_another_has_passed() -> None:
    handle = api.start(
        "x", provider="replay", replies=[script("import bpy\n\nbpy.data.objects.new('New', None)\n")], approve="ask"
    )
    wait(handle)
    while not handle.trying:
        handle.poll()
        handle.wait(20)
    handle.stop_dry_run()
    limit = time.monotonic() + PATIENCE_S
    while not handle.pending or "result" not in next(iter(handle.pending.values()))["dry_run"]:
        assert time.monotonic() < limit
        handle.poll()
        handle.wait(20)
    [(request_id, request)] = handle.pending.items()
    assert not session.current.can_approve(request)
    handle.dry_run(request_id)
    while request_id in handle.pending:
        assert time.monotonic() < limit
        handle.poll()
        handle.wait(20)
    assert result(handle)["ok"] and approve(handle).status == "done"


def test_names_are_complete_and_replacement_is_a_change() -> None:
    before = census.census()
    mesh = bpy.data.meshes.new("M")
    bpy.data.objects.remove(bpy.data.objects["Plane"])
    bpy.data.objects.new("Plane", mesh)
    bpy.data.scenes[0].frame_end = 12
    did = census.difference(before, census.census())
    assert did["made"] == {"meshes": ["M"]} and did["removed"] == {}
    assert did["changed"]["objects"] == ["Plane"] and "Scene" in did["changed"]["scenes"]
    held = census.Held({"made": {"meshes": ["N"]}})
    bpy.data.meshes.new("N")
    held.check()
    bpy.data.meshes.new("O")
    with pytest.raises(AssistantError) as breach:
        held.check()
    assert breach.value.code == "script_breach" and "Meshes made: O" in breach.value.message


def test_the_question_names_links_and_drivers_that_are_removed() -> None:
    plane = bpy.data.objects["Plane"]
    plane.driver_add("scale", 0)
    group = bpy.data.node_groups.new("Mine", "GeometryNodeTree")
    made = [group.nodes.new(name) for name in ("GeometryNodeMeshCube", "GeometryNodeJoinGeometry")]
    group.links.new(made[0].outputs[0], made[1].inputs[0])
    group.use_fake_user = True
    source = (
        "import bpy\n\nplane, tree = bpy.data.objects['Plane'], bpy.data.node_groups['Mine']\n"
        "for f in [tree.links.clear]:\n    f()\nfor f in [plane.driver_remove]:\n    f('scale', 0)\n"
    )
    handle = asked(source)
    told = result(handle)["did"]
    assert "Links removed: Mine › to Join Geometry › Geometry" in told and "Drivers removed: Plane › scale 0" in told
    assert approve(handle).status == "done"
    assert not len(group.links) and not plane.animation_data.drivers
