# SPDX-License-Identifier: GPL-3.0-or-later
"""Python steps of a run in a window: approved, carried out, undone, and stopped if they do not end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from endpoint import Endpoint
from window import ADDON, RealWindow, Screen, Window

MOVES = """import bpy

cube = bpy.data.objects["Cube"]
cube.location.x = 4
made = bpy.data.materials.new("Made")
cube.data.materials.append(made)
print("moved", cube.name, "WWWWWWWWWWWWWWWWWWWWWWWWW", "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii")
"""
ENDLESS = """import bpy

bpy.data.objects["Cube"].location.x = 4
count = 0
while count < 1:
    count -= 1
"""
LIMIT_MS = 1000
SEEN = "[round(D.objects['Cube'].location.x, 3), [m.name for m in D.materials], sorted(D.objects.keys())]"


def script(code: str, **payload: Any) -> dict[str, Any]:
    step = {"id": "script", "type": "PYTHON", "description": "Move the cube", "payload": {"code": code, **payload}}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "It is moved."}


@pytest.fixture
def real(screen: Screen, installed: None, tmp_path: Path) -> Iterator[Window]:
    """A window that gets events of a mouse and a keyboard."""
    one = RealWindow(screen, tmp_path / "blender")
    yield one
    one.close()


def open_question(window: Window, server: Endpoint, plan: dict[str, Any]) -> dict[str, Any]:
    """Sends a prompt by hand; returns the question that follows."""
    window.do(
        f"p = bpy.context.preferences.addons[{ADDON!r}].preferences\n"
        f"p.provider, p.model, p.base_url, p.python = 'openai-compatible', 'm', {server.url!r}, 'safe'\n"
        "p.try_scripts = 'never'"
    )
    server.plan = plan
    server.release.set()
    window.send_prompt("move it", until="bool(current.pending or current.report)")
    assert window.ask("len(current.pending)") == 1, window.ask("current.messages")
    window.settle()
    return window.ask("current.pending[0][1]")


def test_a_run_with_a_script_by_mouse_and_keyboard(real: Window) -> None:
    server = Endpoint()
    try:
        real.open_tab()
        before = (real.ask(SEEN), real.ask("exported()"))
        request = open_question(real, server, script(MOVES))
        assert request["steps"][0]["script"]["code"] == MOVES
        assert real.ask("(" + SEEN + ", exported())") == list(before), "nothing runs before the approval"
        shown = real.photograph("script_question")
        x, y = real.find("geonode.copy_script", across=0.79)
        # Every line ends before the box does: none is cut off.
        left, _, width, _ = real.box("VIEW_3D")
        lines = shown.cut(left, y - 155, width, 120)
        assert lines.colours() > 10
        assert lines.cut(width - 58, 0, 8, 120).colours() == 1
        real.click(x, y)
        assert real.ask("C.window_manager.clipboard") == MOVES
        real.press("accept=True")
        real.wait("not current.running")
        assert real.ask("current.summary") == "DONE", real.ask("current.messages")
        after = (real.ask(SEEN), real.ask("exported()"))
        assert after[0][:2] == [4, sorted([*before[0][1], "Made"])]
        assert real.ask("current.report.steps[0]['message']").startswith("moved Cube")
        real.move(300, 200)
        real.photograph("script_done")
        real.undo()
        real.wait("round(C.object.location.x, 3) == 0")
        assert (real.ask(SEEN), real.ask("exported()")) == before
        real.redo()
        real.wait("round(C.object.location.x, 3) == 4")
        assert (real.ask(SEEN), real.ask("exported()")) == after
        real.undo()
        real.wait("round(C.object.location.x, 3) == 0")
        assert (real.ask(SEEN), real.ask("exported()")) == before
        assert "Traceback" not in real.printed()
    finally:
        server.close()


def test_a_script_is_read_in_the_text_editor(window: Window, model: Endpoint) -> None:
    code = "import bpy\n" + "\n".join(f"bpy.data.objects['Cube'].location.x = {n}" for n in range(60))
    removes = "for light in list(bpy.data.lights):\n    bpy.data.lights.remove(light)\n"
    open_question(window, model, script(f"{code}\n{removes}"))
    step = window.ask("current.pending[0][1]['steps'][0]['id']")
    window.press("geonode.read_script", across=0.7)
    window.wait("len(C.window_manager.windows) == 2")
    space = "C.window_manager.windows[1].screen.areas[0].spaces.active"
    window.wait(f"{space}.type == 'TEXT_EDITOR' and {space}.text is not None")
    window.settle()
    window.photograph("script_in_the_text_editor")
    assert window.ask(f"{space}.text.lines[62].body").endswith("removes data")
    assert window.ask(f"current.unread(current.pending[0][1]) == '' and {step!r} in current.read")
    window.do("current.decide(current.pending[0][0], True)")
    window.wait("not current.running")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    assert window.ask("(len(C.window_manager.windows), len(D.texts), len(D.lights))") == [1, 0, 0]
    window.undo()
    window.wait("len(D.lights) == 1")
    assert window.ask("len(D.texts)") == 0


def test_an_endless_script_is_stopped_and_the_window_stays_usable(
    window: Window, model: Endpoint, figure: Callable[[str, str], None]
) -> None:
    before = (window.ask(SEEN), window.ask("exported()"))
    open_question(window, model, script(ENDLESS, timeout_ms=LIMIT_MS))
    window.press("accept=True")
    window.wait("not current.running")
    assert window.ask("current.summary") == "ERROR"
    assert "script_timeout" in window.ask("[m['code'] for m in current.messages]"), window.ask("current.messages")
    [took] = window.ask(
        "[s['ended_at'] - s['started_at'] for s in current.report.steps if s['action_type'] == 'PYTHON']"
    )
    figure(f"an endless script with a limit of {LIMIT_MS} ms", f"{took * 1000:.0f} ms")
    # Without the watchdog it would never end; how much sooner is the machine's.
    assert LIMIT_MS / 1000 <= took < 30
    assert (window.ask(SEEN), window.ask("exported()")) == before
    # It draws, hears the keyboard, and carries out the next prompt.
    window.move(300, 200)
    place = window.box("VIEW_3D", "WINDOW")
    stopped = window.photograph("script_stopped").cut(*place)
    window.key("TAB")
    window.wait("C.mode == 'EDIT_MESH'")
    window.settle()
    assert window.photograph("after_script_stopped").cut(*place).rows != stopped.rows
    window.key("TAB")
    window.wait("C.mode == 'OBJECT'")
    open_question(window, model, script(MOVES))
    window.press("accept=True")
    window.wait("not current.running")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    window.undo()
    assert (window.ask(SEEN), window.ask("exported()")) == before
