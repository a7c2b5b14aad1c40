# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a run keeps Blender's main thread from drawing."""

from __future__ import annotations

from collections.abc import Callable

from conftest import WORK
from endpoint import Endpoint
from plans import lift
from window import ADDON, Screen, Window

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


CALLBACKS = """
import time
handles = __import__(ADDON + ".run.driver", fromlist=["RunHandle"]).RunHandle
space = bpy.app.driver_namespace
callbacks, effects = space.setdefault("callbacks", []), space.setdefault("effects", [])
inner, perform = polling.tick, handles.perform
def performing(self, effect):
    effects.append(effect["effect"])
    return perform(self, effect)
def tick():
    effects.clear()
    start = time.thread_time()
    try:
        return inner()
    finally:
        callbacks.append((time.thread_time() - start, list(effects)))
handles.perform, polling.tick = performing, tick
"""
APART = {"begin", "apply_step", "verify", "commit"}


def test_the_first_run_of_a_session_takes_many_short_callbacks(
    screen: Screen, installed: None, figure: Callable[[str, str], None]
) -> None:
    window = Window(screen, WORK / "first")
    try:
        window.do(f"bpy.context.preferences.addons[{ADDON!r}].preferences.provider = 'offline'")
        window.open_tab()
        warming = f"__import__('{ADDON}.ui.warming', fromlist=['warming'])"
        # Node types are described a few at a time.
        window.wait(f"not bpy.app.timers.is_registered({warming}._go_on)", patience_s=300.0)
        window.do(CALLBACKS.replace("ADDON", repr(ADDON)))
        for run in ("first", "second"):
            window.do("bpy.app.driver_namespace['callbacks'].clear()")
            window.send_prompt("scatter 20 cubes on cube" if run == "first" else "make a brick wall")
            assert window.ask("current.summary") == "DONE", window.ask("current.messages")
            callbacks = window.ask("bpy.app.driver_namespace['callbacks']")
            longest = max(seconds for seconds, _ in callbacks)
            figure(f"processor time of the longest callback in the {run} run", f"{longest * 1000:.1f} ms")
            done = [effect for _, effects in callbacks for effect in effects]
            assert APART <= set(done)
            heavy = [[effect for effect in effects if effect in APART] for _, effects in callbacks]
            assert max(map(len, heavy)) == 1, heavy
    finally:
        window.close()


DRAWS = """
import time
from types import SimpleNamespace
panel = bpy.types.GEONODE_PT_view3d
inner, draws = panel.draw, bpy.app.driver_namespace.setdefault("draws", [])
def draw(self, context):
    start = time.thread_time()
    try:
        return inner(self, context)
    finally:
        draws.append(time.thread_time() - start)
bpy.app.driver_namespace["inner"] = inner
panel.draw = draw
"""
QUESTION = """
from types import SimpleNamespace
topics = ("new_nodes", "interface", "changes", "removals")
operations = [
    {{"id": f"/steps/0/payload/ops/{{n}}", "words": f"Set the input number {{n}} of “Node {{n}}” to 0.25",
      "destructive": False, "topic": topics[n % 3]}}
    for n in range({operations})
]
code = "\\n".join(f"    value_{{n}} = bpy.data.objects['Cube'].location.x + {{n}}" for n in range({lines}))
script = {{"mode": "trusted", "code": code, "lines": {lines}, "timeout_ms": 1000, "removes": [], "marks": [3, 5]}}
step = {{"id": "/steps/0", "step_id": "s", "description": "Scatter", "destructive": False, "reason": None}}
step |= {{"operations": operations, "script": script if {lines} else None, "action_type": "NODE_TREE"}}
request = {{"reason": "It is shown first.", "steps": [step], "diff": [], "summary": ["Adds the modifier: 24 nodes."]}}
current.reset("x")
current.handle = SimpleNamespace(pending={{"1": request}}, finished=False, trying=False, close=lambda: None,
                                 poll=lambda *_: [], state="applying", summary="VALIDATING")
current.summary = "VALIDATING"
"""


def test_long_questions_are_drawn_quickly(window: Window, figure: Callable[[str, str], None]) -> None:
    window.do(DRAWS)
    try:
        for name, numbers in (
            ("127 operations", {"operations": 127, "lines": 0}),
            ("a script of 434 lines", {"operations": 0, "lines": 434}),
        ):
            window.do(QUESTION.format(**numbers))
            window.do("bpy.app.driver_namespace['draws'].clear()")
            for _ in range(25):
                window.do("region('VIEW_3D').tag_redraw()")
                window.settle()
            draws = sorted(window.ask("bpy.app.driver_namespace['draws']"))
            assert len(draws) >= 25
            figure(
                f"processor time of the panel with {name}, of 20 draws the slowest but one",
                f"{draws[int(len(draws) * 0.95)] * 1000:.2f} ms",
            )
            window.photograph(f"question_{name.split()[0]}")
    finally:
        window.do("current.handle = None\ncurrent.reset('')")
        window.do("bpy.types.GEONODE_PT_view3d.draw = bpy.app.driver_namespace['inner']")
