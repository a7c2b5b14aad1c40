# SPDX-License-Identifier: GPL-3.0-or-later
"""One run is one undo step, whatever comes before and after it."""

from __future__ import annotations

import pytest
from endpoint import Endpoint
from plans import lift
from window import BARE, Window

RING, MORE = "ring of 12 spheres, radius 3 m", "ring of 24 spheres, radius 5 m"


def run_to_done(window: Window, prompt: str) -> dict:
    window.send_prompt(prompt)
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    return window.ask("exported()")


def shift(window: Window) -> None:
    """The artist moves the cube along x by two metres."""
    window.move(*BARE)
    for kind, text in (("G", "g"), ("X", "x"), ("TWO", "2"), ("RET", "")):
        window.key(kind, text)
    window.wait("round(C.object.location.x, 3) == 2")


def test_a_run_is_one_undo_step(window: Window) -> None:
    before = window.ask("exported()")
    after = run_to_done(window, RING)
    assert after != before
    window.undo()
    assert window.ask("exported()") == before
    assert window.ask("current.undone")
    window.settle()
    window.photograph("undone")
    window.redo()
    assert window.ask("exported()") == after
    assert not window.ask("current.undone")
    window.undo()
    assert window.ask("exported()") == before


def test_a_second_run_on_the_same_tree_is_a_separate_undo_step(window: Window) -> None:
    before = window.ask("exported()")
    first = run_to_done(window, RING)
    second = run_to_done(window, MORE)
    assert len({str(state) for state in (before, first, second)}) == 3
    for state in (first, before):
        window.undo()
        assert window.ask("exported()") == state
    for state in (first, second):
        window.redo()
        assert window.ask("exported()") == state


def test_an_edit_between_two_runs_stays_a_separate_undo_step(window: Window) -> None:
    first = run_to_done(window, RING)
    shift(window)
    run_to_done(window, MORE)
    window.undo()
    assert window.ask("exported()") == first
    assert window.ask("round(C.object.location.x, 3)") == 2
    window.undo()
    assert window.ask("exported()") == first
    assert window.ask("C.object.location.x") == 0
    window.undo()
    assert window.ask("(len(D.node_groups), len(C.object.modifiers))") == [0, 0]


def test_undo_during_planning_only_undoes_the_artists_step(window: Window, model: Endpoint) -> None:
    shift(window)
    before = window.ask("exported()")
    window.send_prompt("move it up", until="current.summary == 'PLANNING'")
    assert model.asked.wait(30)
    window.photograph("planning")
    window.undo()
    assert window.ask("C.object.location.x") == 0
    assert window.ask("current.running")
    window.press("geonode.cancel", across=0.8)
    window.wait("not current.running")
    assert window.ask("current.summary") == "CANCELLED"
    assert window.ask("exported()") == before
    window.redo()
    assert window.ask("round(C.object.location.x, 3)") == 2


def test_undo_while_a_plan_waits_for_approval(window: Window, model: Endpoint) -> None:
    model.plan = lift(ask=True)
    model.release.set()
    before = window.ask("exported()")
    shift(window)
    window.send_prompt("lift it", until="current.pending")
    window.photograph("approval")
    window.undo()
    assert window.ask("C.object.location.x") == 0
    assert window.ask("exported()") == before
    window.press("accept=True")
    # The scene is another one now: the plan is made, and asked for, anew.
    window.wait("current.pending or not current.running")
    window.settle()
    if window.ask("bool(current.pending)"):
        window.press("accept=True")
    window.wait("not current.running")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    assert window.ask("[m.name for m in C.object.modifiers]") == ["Lift"]
    after = window.ask("exported()")
    window.undo()
    assert window.ask("exported()") == before
    window.redo()
    assert window.ask("exported()") == after


@pytest.mark.parametrize("back", [True, False], ids=["undo", "redo"])
def test_undo_while_a_run_writes_leaves_nothing_half_written(window: Window, back: bool) -> None:
    shift(window)
    before = window.ask("exported()")
    if not back:
        window.undo()
    # Held between two writes, as a slow machine may hold it.
    window.do(
        f"api.start({RING!r}, provider='offline')\n"
        "import time\n"
        "deadline = time.monotonic() + 30\n"
        "while not current.handle.half_written and time.monotonic() < deadline:\n"
        "    current.poll(0)\n"
        "    current.handle.core.wait(1)"
    )
    assert window.ask("current.handle.half_written and current.running")
    (window.undo if back else window.redo)()
    assert window.ask("current.summary") == "CANCELLED"
    assert window.ask("round(C.object.location.x, 3)") == (0 if back else 2)
    assert window.ask("exported()") == before
    assert window.ask("[g.name for g in D.node_groups]") == []
    run_to_done(window, RING)
    window.undo()
    assert window.ask("exported()") == before


def test_a_run_that_ends_in_edit_mode_is_one_step_as_well(window: Window, model: Endpoint) -> None:
    model.plan = lift()
    before = window.ask("exported()")
    window.send_prompt("lift it", until="current.summary == 'PLANNING'")
    assert model.asked.wait(30)
    window.key("TAB")
    window.wait("C.mode == 'EDIT_MESH'")
    model.release.set()
    window.wait("not current.running")
    assert window.ask("(C.mode, current.summary)") == ["EDIT_MESH", "DONE"]
    after = window.ask("exported()")
    assert after != before
    window.undo()
    assert window.ask("exported()") == before
    window.redo()
    assert window.ask("exported()") == after
