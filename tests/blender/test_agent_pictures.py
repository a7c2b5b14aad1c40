# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for other programs: another process renders them while Blender goes on."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from geonode_assistant.agents import pictures
from geonode_assistant.agents.server import Programs
from geonode_assistant.host import census, picture
from geonode_assistant.messages import AssistantError
from geonode_assistant.run.dry_run import start, trial
from geonode_assistant.run.tools import register_tool, unregister
from test_agents import Client


@pytest.fixture(scope="module")
def programs() -> Iterator[Programs]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add()
    made = Programs()
    made.start()
    assert made.error is None
    yield made
    made.stop()


@pytest.fixture
def client(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(pictures, "not_before", 0.0)
    return Client(programs).connect()


def size(image: dict[str, str]) -> tuple[int, int]:
    data = base64.b64decode(image["data"])
    assert data.startswith(b"\x89PNG")
    assert len(data) > 1000, "something is on it"
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def copies() -> list[Path]:
    return [*Path(bpy.app.tempdir).glob(f"{start.PREFIX}*")]


def removed(files: list[Path]) -> bool:
    """Whether no other copies are left once the processes have ended."""
    end = time.monotonic() + 20
    while copies() != files and time.monotonic() < end:
        time.sleep(0.02)
    return copies() == files


def taken(client: Client, **arguments: Any) -> tuple[dict[str, Any], list[str], int]:
    """Result, what kinds of content came, and the ticks meanwhile."""
    ticks = 0

    def count() -> None:
        nonlocal ticks
        ticks += 1

    answer = client.ask("tools/call", {"name": "picture", "arguments": arguments}, count)["result"]
    return answer["structuredContent"], [part["type"] for part in answer["content"]], ticks


def test_an_object_is_rendered_elsewhere_while_blender_goes_on(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "_render", lambda *_: pytest.fail("not in this process"))
    before, files = census.census(), copies()
    preferences = bpy.context.preferences
    kept = (preferences.filepaths.file_preview_type, preferences.is_dirty)
    shown, kinds, ticks = taken(client, object_name="Cube", view="top")
    assert kinds == ["text", "image"], shown
    assert (shown["object"], shown["width"], shown["height"]) == ("Cube", 512, 384)
    assert ticks > 20, "Blender had its turns"
    assert not any(census.difference(before, census.census()).values())
    assert (preferences.filepaths.file_preview_type, preferences.is_dirty) == kept
    assert removed(files)


def test_the_scene_is_rendered_through_its_camera(client: Client) -> None:
    assert taken(client, view="render")[0]["error"]["code"] == "no_view"
    bpy.ops.object.camera_add(location=(0, -8, 0), rotation=(1.5708, 0, 0))
    scene = bpy.context.scene
    scene.camera = bpy.context.object
    scene.render.resolution_x, scene.render.resolution_y = 300, 600
    try:
        answer = client.ask("tools/call", {"name": "picture", "arguments": {"view": "render"}})["result"]
        shown = answer["structuredContent"]
        assert (shown["width"], shown["height"]) == (192, 384), shown
        (image,) = [part for part in answer["content"] if part["type"] == "image"]
        assert size(image) == (192, 384)
        assert scene.render.resolution_y == 600, "the file is as it was"
    finally:
        bpy.data.objects.remove(scene.camera)


def test_without_a_window_there_is_no_viewport(client: Client) -> None:
    refused = taken(client, view="viewport")[0]["error"]
    assert refused["code"] == "no_view"
    assert "without a window" in refused["message"]
    assert taken(client, object_name="None of these")[0]["error"]["code"] == "unknown_object"
    assert taken(client, view="below")[0]["error"]["code"] == "tool_validation_error"
    bpy.ops.object.light_add()
    light = bpy.context.object
    try:
        for tool in ("picture", "geometry_stats"):
            refused = client.call(tool, object_name=light.name)["error"]
            assert (refused["code"], light.name in refused["message"]) == ("object_type_unsupported", True), refused
    finally:
        bpy.data.objects.remove(light)


def test_a_picture_that_fails_or_that_nobody_waits_for_leaves_nothing(
    client: Client, programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = copies()
    polls = trial.Trial.poll
    monkeypatch.setattr(trial.Trial, "poll", lambda self: self._failed("dry_run_timeout", "", 1.0))
    assert taken(client, object_name="Cube")[0]["error"]["code"] == "tool_timeout"
    monkeypatch.setattr(trial.Trial, "poll", lambda self: self._failed("dry_run_crashed", "It ended.", 1.0))
    monkeypatch.setattr(pictures, "not_before", 0.0)
    assert taken(client, object_name="Cube")[0]["error"]["code"] == "execution_failed"
    monkeypatch.setattr(trial.Trial, "poll", polls)
    for end in (programs.leave_file, programs.revoke):
        monkeypatch.setattr(pictures, "not_before", 0.0)
        client = Client(programs).connect()
        answer = client.call("picture", lambda end=end: pictures.at_work and end(), object_name="Cube")
        assert answer["error"]["code"] == "cancelled", answer
        assert not pictures.at_work
    assert removed(files)


def test_saving_copies_takes_a_small_part_of_blenders_time(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(pictures, "not_before", 0.0)
    monkeypatch.setattr(pictures.time, "monotonic", lambda: now)

    def saves(*_: Any) -> Any:
        nonlocal now
        now += 0.1
        return SimpleNamespace(poll=lambda: None, stop=lambda: None)

    monkeypatch.setattr(start, "take_picture", saves)
    first, second = (pictures.take({"object_name": "Cube"}) for _ in range(2))
    assert "Rendering" in next(first)
    assert "Waiting" in next(second), "one at a time"
    first.close()
    assert "Waiting" in next(second), "and not at once"
    now += 0.11 / pictures.SHARE
    assert "Rendering" in next(second)
    second.close()


def test_a_tool_in_steps_says_how_far_it_is(programs: Programs) -> None:
    def steps(_arguments: Any) -> Iterator[str]:
        yield "First."
        yield "Second."
        return {"done": True}

    def fails(_arguments: Any) -> Iterator[str]:
        yield "First."
        raise AssistantError("invalid_argument", "It cannot.")

    nothing = {"type": "object", "properties": {}}
    for id, function in (("in_steps", steps), ("fails_late", fails)):
        register_tool(id, "In steps.", nothing, {"type": "object"}, function)
    try:
        programs.revoke()
        client = Client(programs).connect()
        body = {"name": "in_steps", "arguments": {}, "_meta": {"progressToken": "t"}}
        message = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": body}
        _, _, text = client.post(json.dumps(message).encode(), client.headers())
        said = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
        assert [one["params"]["message"] for one in said[:-1]] == ["First.", "Second."]
        assert [one["params"]["progress"] for one in said[:-1]] == [1, 2]
        assert said[-1]["result"]["structuredContent"] == {"done": True}
        assert client.call("fails_late")["error"]["code"] == "invalid_argument"
    finally:
        unregister("in_steps")
        unregister("fails_late")
