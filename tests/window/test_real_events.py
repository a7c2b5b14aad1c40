# SPDX-License-Identifier: GPL-3.0-or-later
"""A prompt sent with real X events, which pass through code that simulated ones skip."""

from __future__ import annotations

from pathlib import Path

from window import RealWindow, Screen


def test_a_prompt_by_mouse_and_keyboard(screen: Screen, installed: None, tmp_path: Path) -> None:
    window = RealWindow(screen, tmp_path / "blender")
    try:
        window.open_tab()
        window.send_prompt("ring of 12 spheres")
        window.photograph("real_events")
        assert window.ask("current.summary") == "DONE", window.ask("current.messages")
        assert window.ask("len(C.object.modifiers)") == 1
        window.undo()
        window.wait("len(C.object.modifiers) == 0")
        assert "Traceback" not in window.printed()
    finally:
        window.close()
