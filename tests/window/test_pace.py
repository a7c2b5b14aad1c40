# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a run keeps Blender's main thread from drawing."""

from __future__ import annotations

from collections.abc import Callable

from endpoint import Endpoint
from plans import lift
from window import Window

# Work that is Blender's own: what the run waits for is its doing, not its steering.
MEASURE = """
import time
from types import SimpleNamespace
handle, spent = current.handle, {"work": 0.0}
def timed(perform):
    def inner(effect):
        start = time.perf_counter()
        try:
            return perform(effect)
        finally:
            spent["work"] += time.perf_counter() - start
    return inner
handle.perform = timed(handle.perform)
ticks = bpy.app.driver_namespace["ticks"] = []
inner = handle.poll
def poll(budget_s=0.02):
    spent["work"] = 0.0
    start = time.perf_counter()
    try:
        return inner(budget_s)
    finally:
        ticks.append((time.perf_counter() - start - spent["work"], spent["work"]))
handle.poll = poll
"""


def test_the_main_thread_keeps_drawing(window: Window, model: Endpoint, figure: Callable[[str, str], None]) -> None:
    model.plan = lift()
    window.send_prompt("lift it", until="current.summary == 'PLANNING'")
    assert model.asked.wait(30)
    window.do(MEASURE)
    # Blender goes on answering while the model thinks.
    window.wait("len(bpy.app.driver_namespace['ticks']) > 20")
    assert window.ask("current.running")
    model.release.set()
    window.wait("not current.running")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    ticks = window.ask("bpy.app.driver_namespace['ticks']")
    figure("longest tick outside Blender's own work", f"{max(own for own, _ in ticks) * 1000:.1f} ms")
    figure("longest snapshot, application or evaluation", f"{max(work for _, work in ticks) * 1000:.1f} ms")
