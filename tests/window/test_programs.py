# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs while an artist works in a window: renders, opens files, edits, quits, runs two Blenders."""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from program import VERSION, Later, Program
from window import ADDON, Screen, Window

SERVER = "server.current"
SWITCH = f"bpy.context.preferences.addons[{ADDON!r}].preferences.agents"
# How long each tick holds the main thread.
MEASURE = """
import time
ticks = bpy.app.driver_namespace["ticks"] = []
inner = server.current.tick
def tick():
    start = time.perf_counter()
    try:
        return inner()
    finally:
        ticks.append(time.perf_counter() - start)
server.current.tick = tick
"""
SLOW_RENDER = """
scene = bpy.context.scene
scene.render.engine, scene.cycles.device = "CYCLES", "CPU"
scene.cycles.samples, scene.cycles.time_limit = 100000, 5.0
scene.cycles.use_adaptive_sampling = scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y = 320, 240
bpy.context.preferences.view.render_display_type = "NONE"
with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
    bpy.ops.render.render("INVOKE_DEFAULT")
"""
RENDERS = "bpy.app.is_job_running('RENDER')"


def connected(window: Window) -> Program:
    window.do(f"{SWITCH} = True")
    window.wait(f"{SERVER}.running")
    return Program(window.ask(f"{SERVER}.configuration()"))


@pytest.fixture
def program(window: Window) -> Iterator[Program]:
    yield connected(window)
    window.do(f"{SWITCH} = False")


def longest_ms(window: Window) -> float:
    ticks = window.ask("bpy.app.driver_namespace['ticks']")
    window.do("bpy.app.driver_namespace['ticks'].clear()")
    return max(ticks) * 1000


def colours(picture: str) -> tuple[int, int, int]:
    """Width, height and number of different colours of a PNG whose rows are not filtered."""
    data = base64.b64decode(picture)
    width, height = struct.unpack(">II", data[16:24])
    start = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[start - 4 : start])
    rows = zlib.decompress(data[start + 4 : start + 4 + length])
    line = 1 + 3 * width
    pixels = (rows[at * line + 1 : (at + 1) * line] for at in range(height))
    return width, height, len({row[i : i + 3] for row in pixels for i in range(0, len(row), 3)})


def test_pictures_of_the_viewport_an_object_and_the_camera(
    window: Window, program: Program, figure: Callable[[str, str], None]
) -> None:
    window.do(MEASURE)
    for view, size in (("viewport", None), ("perspective", (512, 384)), ("render", (512, 288))):
        shown = program.call("picture", view=view, **({"object_name": "Cube"} if view == "perspective" else {}))
        assert "error" not in shown, shown
        figure(f"a picture ({view}) holds the main thread at most", f"{longest_ms(window):.1f} ms")
        assert size in (None, (shown["width"], shown["height"])), shown
        if view == "viewport":
            width, height, found = colours(shown["picture"])
            assert (width, height) == (shown["width"], shown["height"])
            assert max(width, height) == 512 and min(width, height) > 100
            assert found > 20, "the cube, the grid and the background"
    assert window.ask("[one.name for one in bpy.data.objects]") == ["Camera", "Cube", "Light"]


def test_what_the_buttons_copy_connects(window: Window, program: Program) -> None:
    for button in ("copy_client_configuration", "copy_client_command"):
        window.do(f"bpy.ops.geonode.{button}()")
        copied = window.ask("bpy.context.window_manager.clipboard")
        if button == "copy_client_configuration":
            assert Program(copied).code("scene_summary") == ""
            continue
        server = json.loads(copied)["mcpServers"]["blender"]
        hello = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "Command", "version": "1"}}
        call = {"name": "scene_summary", "arguments": {}}
        messages = (
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": call},
        )
        lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
        command = [server["command"], *server["args"]]
        ran = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60)
        answers = {one["id"]: one["result"] for one in map(json.loads, ran.stdout.splitlines())}
        assert answers[2]["structuredContent"]["objects"], ran.stderr


def test_during_a_render_calls_wait_or_are_refused(window: Window, program: Program) -> None:
    window.do(SLOW_RENDER)
    window.wait(RENDERS)
    for tool, arguments in (
        ("scene_summary", {}),
        ("geometry_stats", {}),
        ("picture", {"view": "render"}),
        ("apply_preset", {"preset": "wireframe"}),
        ("tree_generate", {"description": "scatter 5 rocks"}),
    ):
        assert program.code(tool, **arguments) == "tool_busy", tool
    assert program.code("search_nodes", query="cone") == "", "which needs no scene"
    assert window.ask(RENDERS), "all of it during the render"
    window.wait(f"not {RENDERS}")
    assert program.code("scene_summary") == ""
    assert not window.ask("len(bpy.data.objects['Cube'].modifiers)")


def test_opening_files_and_edit_mode(window: Window, program: Program) -> None:
    asked = Later(program, "apply_preset", preset="wireframe")
    window.wait("current.pending")
    reads = [Later(Program(window.ask(f"{SERVER}.configuration()")), "scene_summary") for _ in range(4)]
    for _ in range(3):
        window.do("bpy.ops.wm.read_homefile(use_factory_startup=True, use_splash=False)")
    assert asked.result()["error"]["code"] in ("cancelled", "touched_by_artist", "stale_base")
    for one in reads:
        found = one.result()
        assert "objects" in found or found["error"]["code"] in ("cancelled", "tool_busy"), found
    window.wait("bool(bpy.context.window_manager.windows)")
    assert not window.ask("len(bpy.data.objects['Cube'].modifiers)")
    window.do("bpy.ops.object.mode_set(mode='EDIT')")
    assert program.call("geometry_stats", object_name="Cube")["evaluated"]
    shown = program.call("picture", object_name="Cube")
    assert "picture" in shown, shown
    window.do(f"{SERVER}.allowed.update(one['session'] for one in {SERVER}.clients())")
    changed = program.call("apply_preset", preset="wireframe", object="Cube")
    assert changed.get("status") == "done" or changed["error"]["code"], changed
    assert window.ask("bpy.context.mode") == "EDIT_MESH", "the artist goes on"
    window.do("bpy.ops.object.mode_set(mode='OBJECT')")


def test_a_second_blender_says_that_it_is_elsewhere_and_both_answer_until_they_quit(
    window: Window, program: Program, screen: Screen, tmp_path: Path
) -> None:
    second = Window(screen, tmp_path / "second")
    try:
        other = connected(second)
        assert other.url != program.url
        assert not window.ask(f"{SERVER}.elsewhere")
        assert second.ask(f"{SERVER}.elsewhere"), "its preferences say so"
        file = Path(second.ask(f"str({SERVER}._server.file)"))
        assert file.exists()
        assert other.code("scene_summary") == program.code("scene_summary") == ""
        waits = Later(other, "apply_preset", preset="wireframe")
        second.wait("current.pending")
        second.do("bpy.app.timers.register(lambda: bpy.ops.wm.quit_blender() and None, first_interval=0.1)")
        assert waits.result()["error"]["code"] == "cancelled"
        second.process.wait(60)
        assert not file.exists()
        with pytest.raises(OSError):
            other.call("scene_summary")
        assert program.code("scene_summary") == "", "the first one goes on"
    finally:
        second.close()
