# SPDX-License-Identifier: GPL-3.0-or-later
"""Events that end a run early: cancel, loading a file, switching the add-on off."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from endpoint import Endpoint
from plans import lift
from window import ADDON, Window


def start_without_reply(window: Window, model: Endpoint) -> None:
    """Starts a run whose model does not answer."""
    window.send_prompt("lift it", until="current.summary == 'PLANNING'")
    assert model.asked.wait(30)


def test_cancel_ends_a_run_that_waits_for_the_model(
    window: Window, model: Endpoint, figure: Callable[[str, str], None]
) -> None:
    before = window.ask("exported()")
    start_without_reply(window, model)
    at = window.find("geonode.cancel", across=0.8)
    start = time.monotonic()
    window.click(*at)
    window.wait("not current.running")
    figure("from the click on Cancel to CANCELLED", f"{time.monotonic() - start:.2f} s")
    assert window.ask("current.summary") == "CANCELLED"
    assert window.ask("exported()") == before
    window.photograph("cancelled")
    # The next prompt is served.
    window.do(f"bpy.context.preferences.addons[{ADDON!r}].preferences.provider = 'offline'")
    window.send_prompt("ring of 12 spheres")
    assert window.ask("current.summary") == "DONE"


@pytest.mark.parametrize("accept", [True, False], ids=["approved", "rejected"])
def test_the_artist_decides(window: Window, model: Endpoint, accept: bool) -> None:
    model.plan = lift(ask=True)
    model.release.set()
    before = window.ask("exported()")
    window.send_prompt("lift it", until="current.pending")
    assert window.ask("exported()") == before, "nothing is written before the approval"
    window.press(f"accept={accept}", across=0.3 if accept else 0.8)
    window.wait("not current.running")
    window.settle()
    window.photograph("approved" if accept else "rejected")
    if accept:
        assert window.ask("current.summary") == "DONE", window.ask("current.messages")
        assert window.ask("[m.name for m in C.object.modifiers]") == ["Lift"]
    else:
        assert window.ask("current.summary") in ("ERROR", "CANCELLED")
        assert window.ask("exported()") == before


@pytest.mark.parametrize("how", ["read_homefile", "open_mainfile"])
def test_another_file_ends_the_run(window: Window, model: Endpoint, how: str) -> None:
    path = str(window.files / "other.blend")
    window.do(f"C.object.name = 'Other'; bpy.ops.wm.save_as_mainfile(filepath={path!r}, copy=True)")
    start_without_reply(window, model)
    window.do(f"bpy.ops.wm.{how}({'filepath=' + repr(path) if how == 'open_mainfile' else ''})")
    window.wait("bool(C.window_manager.windows)")
    assert window.ask("current.summary") == "IDLE", "nothing is shown of the former file"
    assert not window.ask("current.running or bpy.app.timers.is_registered(polling.tick)")
    model.release.set()
    assert window.ask("'Other' in D.objects") == (how == "open_mainfile")
    assert window.ask("len(D.node_groups)") == 0
    window.open_tab()
    window.photograph(f"after_{how}")


def test_a_file_can_be_saved_during_planning(window: Window, model: Endpoint) -> None:
    model.plan = lift()
    start_without_reply(window, model)
    window.do(f"bpy.ops.wm.save_as_mainfile(filepath={str(window.files / 'saved.blend')!r}, copy=True)")
    model.release.set()
    window.wait("not current.running")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")


def test_switching_the_add_on_off_ends_the_run(window: Window, model: Endpoint) -> None:
    start_without_reply(window, model)
    window.do(f"import addon_utils; addon_utils.disable({ADDON!r})")
    try:
        assert not window.ask("hasattr(bpy.types, 'GEONODE_PT_view3d')")
        window.settle()
        window.photograph("switched_off")
    finally:
        window.do(f"import addon_utils; addon_utils.enable({ADDON!r})")
    window.open_tab()
    window.do(f"bpy.context.preferences.addons[{ADDON!r}].preferences.provider = 'offline'")
    window.send_prompt("ring of 12 spheres")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
