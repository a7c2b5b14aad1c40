# SPDX-License-Identifier: GPL-3.0-or-later
"""Approval in a window: an operation is left out, the plan is tried in the background, rejected with words,
approved.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from endpoint import Endpoint
from plans import lift
from window import Window

HIGHER = "/operations/3"
TRIAL_S = 90.0
# A look at the trial, measured inside Blender.
MEASURE = """
import time
handle = current.handle
looks = bpy.app.driver_namespace["looks"] = []
inner = handle.follow_trial
def look():
    busy = handle.trying
    start = time.perf_counter()
    inner()
    if busy and handle.trying:
        looks.append(time.perf_counter() - start)
handle.follow_trial = look
"""
PROC = "__import__('pathlib').Path('/proc').glob('[0-9]*/cmdline')"
CHILDREN = f"[p for p in {PROC} if b'dry_run/process.py' in p.read_bytes()]"


def ask(window: Window, model: Endpoint, **plan: Any) -> None:
    model.plan = lift(ask=True) | plan
    model.release.set()
    window.send_prompt("lift it", until="current.pending")
    window.settle()


def test_an_operation_is_left_out_tried_and_approved(
    window: Window, model: Endpoint, figure: Callable[[str, str], None]
) -> None:
    before = window.ask("exported()")
    ask(window, model)
    window.photograph("question")
    window.click(*window.find(HIGHER, across=0.1))
    window.wait("len(current.left_out) == 1")
    window.do(MEASURE)
    state = "[D.filepath, D.is_dirty, len(D.objects)]"
    was = window.ask(state)
    started = time.monotonic()
    window.press("geonode.dry_run")
    window.wait("current.trying")
    window.move(300, 200)
    window.photograph("trying")
    window.wait("not current.trying and current.pending", TRIAL_S)
    figure("a dry run from the click to its result", f"{time.monotonic() - started:.1f} s")
    looks = window.ask("bpy.app.driver_namespace['looks']")
    figure("longest look at a dry run", f"{max(looks) * 1000:.1f} ms in {len(looks)}")
    result = window.ask("current.pending[0][1]['dry_run']['result']")
    assert result["ok"], result
    assert window.ask(state) == was
    assert window.ask("exported()") == before, "nothing is written before the approval"
    window.settle()
    window.photograph("tried")
    window.press("accept=True")
    window.wait("not current.running")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    assert window.ask("[n.name for n in D.node_groups['Lift'].nodes if 'Transform' in n.bl_idname]")
    height = "[n for n in D.node_groups['Lift'].nodes if 'Transform' in n.bl_idname][0].inputs['Translation']"
    assert window.ask(f"{height}.default_value[2]") == 0
    window.undo()
    window.wait("'Lift' not in [m.name for m in C.object.modifiers]")


def test_words_of_a_rejection_go_to_the_model(window: Window, model: Endpoint) -> None:
    ask(window, model)
    first = window.ask("current.pending[0][0]")
    window.click(*window.find(".words"))
    window.write("Lower, please")
    window.key("RET")
    window.wait("bpy.context.window_manager.geonode_assistant.words == 'Lower, please'")
    window.photograph("words")
    window.press("accept=False", across=0.8)
    window.wait(f"current.pending and current.pending[0][0] != {first!r}")
    assert window.ask("current.handle.report().approvals[0]['words']") == "Lower, please"
    assert window.ask("bpy.context.window_manager.geonode_assistant.words") == ""
    window.press("accept=False", across=0.8)
    window.wait("not current.running")
    assert window.ask("current.summary") == "CANCELLED"


def test_cancel_ends_the_dry_run(window: Window, model: Endpoint) -> None:
    ask(window, model)
    window.press("geonode.dry_run")
    window.wait("current.trying")
    window.press("geonode.cancel", across=0.8)
    window.wait("not current.running")
    window.wait(f"not {CHILDREN}", 2.0)
    folder = "__import__('pathlib').Path(bpy.app.tempdir).glob('geonode-dry-run-*')"
    window.wait(f"not list({folder})", 2.0)


def test_a_large_plan_is_asked_as_a_few_groups(window: Window) -> None:
    window.do("preferences.choices.stored().preview = True")
    try:
        window.send_prompt("scatter 40 cubes on the cube", until="current.pending")
        window.settle()
        window.photograph("groups")
        window.find("accept=True")
        window.press("geonode.open_group", across=0.8)
        window.wait("bool(current.opened)")
        window.move(300, 200)
        window.photograph("group_opened")
        window.press("geonode.open_group", across=0.8)
        window.wait("not current.opened")
        window.move(300, 200)
        window.press("accept=True")
        window.wait("not current.running")
        assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    finally:
        window.do("preferences.choices.stored().preview = False")
