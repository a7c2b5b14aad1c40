# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar draws every state. Needs no window: each call is checked against Blender's definition of layouts."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import native
from geonode_assistant.messages import AssistantError, select_for_artist
from geonode_assistant.run import offers, session
from geonode_assistant.run.driver import RunHandle
from geonode_assistant.ui import audit, keys, log, preferences
from geonode_assistant.ui.operators import start
from geonode_assistant.ui.panels import sidebar, wrapping
from layouts import FUNCTIONS, Layout, draw_sidebar
from scripted import HAPPY, FakeHost, ScriptedCore


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    # Earlier tests of this process may have changed the session and the file.
    session.current.reset("")
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    geonode_assistant.register()
    yield
    geonode_assistant.unregister()
    session.current.reset("")


def test_examples_can_be_read_at_every_width() -> None:
    bpy.context.object.name = "A Rather Long Name of a Cube"
    for width, name in ((2000, bpy.context.object.name), (220, "it")):
        assert {f"Scatter 200 rocks on {name}", f"Displace {name} with noise"} <= set(draw_sidebar(width=width))


@pytest.mark.parametrize("panel", sidebar.CLASSES)
def test_both_editors_show_the_same(panel: type) -> None:
    shown = draw_sidebar(panel)
    assert shown[:4] == ["geonode.send", "geonode.cancel", "Works on", "Planned by"]
    assert shown == draw_sidebar(sidebar.CLASSES[0])
    assert panel.bl_region_type == "UI"


def test_each_text_is_shown_once() -> None:
    form = {"severity": "error", "text": "The plan has a mistake in its form."}
    told = [{**form, "planner": {"text": text}} for text in ("`a` is missing.", "`b` is missing.")]
    repair = {"severity": "info", "code": "repaired", "text": "“move” was taken to mean “Move”."}
    other = {"severity": "warning", "text": "Something else."}
    assert select_for_artist([*told, repair, other]) == [told[0], other]
    assert select_for_artist([*told, other], form["text"]) == [other]


@pytest.mark.parametrize("width", [1, 100, 300, 2000])
def test_every_state_of_a_run_is_drawn(width: int) -> None:
    session.current.claim(lambda: RunHandle(ScriptedCore(), FakeHost()))
    for _ in range(len(HAPPY) + 1):
        assert any(text.endswith("…") for text in draw_sidebar(width=width))
        session.current.progress = 0.4
        assert not any(text.endswith("…") for text in draw_sidebar(width=width)), "the progress bar has the text"
        session.current.progress = None
        session.current.poll(0)
        if not session.current.running:
            break
    assert "Scattered." in " ".join(draw_sidebar(width=width))


def test_a_request_shows_its_reason_and_two_answers() -> None:
    request = {"reason": "It removes 9 nodes.", "steps": [], "diff": [f"Remove node {n}" for n in range(20)]}
    core = ScriptedCore((("ask_approval", {"request": request}), *HAPPY))
    session.current.claim(lambda: RunHandle(core, FakeHost()))
    session.current.poll(0)
    session.current.text = '{"version": "1.1"'
    assert "Waiting for your answer" in draw_sidebar()
    assert not any("characters" in text for text in draw_sidebar())
    shown = draw_sidebar()
    assert {"It removes 9 nodes.", "Remove node 0", "Show 8 More Changes", "Approve", "Reject"} <= set(shown)
    assert "Remove node 19" not in shown
    bpy.ops.geonode.open_group(group="changes")
    assert {"Remove node 19", "Show Fewer"} <= set(draw_sidebar())
    [(request_id, _)] = session.current.pending
    bpy.ops.geonode.decide(request_id=str(request_id), accept=True)
    assert core.decisions == [("approve", int(request_id), [])]


def open_question(**more: Any) -> ScriptedCore:
    """A session with an open question about two operations and a step without operations."""
    operations = [
        {"id": "/steps/0/payload/ops/0", "words": "Add Math “a”", "destructive": False},
        {"id": "/steps/0/payload/ops/1", "words": "Remove Math “b”", "destructive": True},
    ]
    steps = [
        {"id": "/steps/0", "step_id": "s", "description": "Tidy up", "destructive": True, "operations": operations},
        {"id": "/steps/1", "step_id": "t", "description": "Bake it", "destructive": False, "operations": []},
    ]
    request = {"reason": "It removes.", "steps": steps, "diff": ["A line"], "dry_run": {"available": True}} | more
    core = ScriptedCore((("ask_approval", {"request": request}), *HAPPY))
    session.current.claim(lambda: RunHandle(core, FakeHost()))
    session.current.poll(0)
    return core


def test_operations_can_be_left_out() -> None:
    core = open_question()
    shown = draw_sidebar()
    assert {"Add Math “a”", "Remove Math “b”", "Bake it", "Tidy up", "geonode.dry_run"} <= set(shown)
    assert "A line" not in shown
    assert shown.count("geonode.choose") == 3
    [(request_id, _)] = session.current.pending
    bpy.ops.geonode.choose(operation_id="/steps/0/payload/ops/1")
    bpy.ops.geonode.choose(operation_id="/steps/1")
    bpy.ops.geonode.choose(operation_id="/steps/0/payload/ops/1")
    draw_sidebar()
    bpy.ops.geonode.decide(request_id=request_id, accept=True)
    assert core.decisions == [("approve", int(request_id), ["/steps/1"])]


def operation(number: int, topic: str, *needs: int) -> dict[str, Any]:
    """An operation of the first step."""
    place = "/steps/0/payload/ops/{}"
    named = {"id": place.format(number), "words": f"Do {number}", "destructive": topic == "removals", "topic": topic}
    return named | {"needs": [place.format(other) for other in needs]}


def left_out() -> set[int]:
    return {int(name.rpartition("/")[2]) for name in session.current.left_out}


def grouped(*operations: dict[str, Any]) -> None:
    step = {"id": "/steps/0", "step_id": "s", "description": "Scatter", "destructive": False}
    open_question(steps=[step | {"operations": list(operations)}], summary=["Adds the modifier “Scatter”: 9 nodes."])


def test_many_operations_are_a_few_groups_with_a_sentence() -> None:
    many = [operation(n, "new_nodes") for n in range(100)]
    grouped(*many, operation(100, "interface"), operation(101, "interface"))
    shown = draw_sidebar(width=900)
    assert shown.index("Adds the modifier “Scatter”: 9 nodes.") < shown.index("Approve") < shown.index("Scatter")
    assert {"Scatter", "New nodes and their links: 100", "Inputs, outputs, values: 2"} <= set(shown)
    assert "geonode.choose" not in shown and len(shown) < 40
    bpy.ops.geonode.open_group(group="/steps/0#interface")
    assert draw_sidebar(width=900).count("geonode.choose") == 2
    bpy.ops.geonode.choose_group(step_id="/steps/0", topic="interface")
    assert left_out() == {100, 101}
    assert "Inputs, outputs, values: 0 of 2" in draw_sidebar(width=900)
    bpy.ops.geonode.choose_group(step_id="/steps/0", topic="interface")
    assert left_out() == set()


def test_what_takes_something_away_is_always_shown_one_by_one() -> None:
    grouped(*[operation(n, "new_nodes") for n in range(20)], operation(20, "removals"), operation(21, "changes"))
    shown = draw_sidebar(width=900)
    assert "Do 20" in shown and "Do 21" not in shown and "Do 0" not in shown


def test_what_needs_an_unticked_operation_goes_along_and_is_said() -> None:
    grouped(
        operation(0, "new_nodes"), operation(1, "new_nodes", 0), operation(2, "new_nodes", 1), operation(3, "interface")
    )
    bpy.ops.geonode.choose(operation_id="/steps/0/payload/ops/0")
    assert left_out() == {0, 1, 2}
    assert "2 more went along, because they need each other." in draw_sidebar(width=900)
    bpy.ops.geonode.choose(operation_id="/steps/0/payload/ops/2")
    assert left_out() == set()
    bpy.ops.geonode.choose(operation_id="/steps/0/payload/ops/3")
    assert left_out() == {3}
    assert not any("went along" in text for text in draw_sidebar(width=900))


def test_a_repeated_request_keeps_the_choice_and_shows_the_findings() -> None:
    found = [{"severity": "error", "code": "unknown_node", "path": "/steps/0", "message": "There is no node “a”."}]
    open_question(without=["/steps/1"], findings=found)
    assert session.current.left_out == {"/steps/1"}
    assert "There is no node “a”." in draw_sidebar()


def test_a_rejection_sends_its_words() -> None:
    core = open_question()
    [(request_id, _)] = session.current.pending
    data = bpy.context.window_manager.geonode_assistant
    data.words = "  Smaller, please. "
    bpy.ops.geonode.decide(request_id=request_id, accept=False)
    assert core.decisions == [("reject", int(request_id), "Smaller, please.")]
    assert data.words == ""


def test_a_dry_run_is_offered_if_it_is_possible() -> None:
    core = open_question()
    [(request_id, _)] = session.current.pending
    assert bpy.ops.geonode.dry_run.poll() and not bpy.ops.geonode.stop_dry_run.poll()
    bpy.ops.geonode.dry_run(request_id=request_id)
    assert core.decisions == [("dry_run", int(request_id), [])]
    session.current.reset("")
    open_question(dry_run={"available": False, "why": "Only here."})
    assert not bpy.ops.geonode.dry_run.poll()
    session.current.reset("")
    open_question(dry_run={"available": True, "result": {"ok": False, "text": "The dry run ended after 60 s."}})
    assert "The dry run ended after 60 s." in draw_sidebar(width=600)
    assert bpy.ops.geonode.dry_run.poll()


def test_a_long_plan_is_cut_in_the_sidebar() -> None:
    grouped(*[operation(n, "new_nodes") for n in range(50)])
    bpy.ops.geonode.open_group(group="/steps/0#new_nodes")
    assert {"Do 39", "and 10 more"} <= set(draw_sidebar())
    assert "Do 40" not in draw_sidebar()


def script_step(lines: int, mode: str, removes: tuple[str, ...] = ()) -> dict[str, Any]:
    """A step with a script of so many different lines."""
    code = "\n".join(f"if x{n}:" if n % 2 else f"    y{n} = {n}" for n in range(1, lines + 1))
    marks = [int(place.partition(":")[0].removeprefix("line ")) for place in removes]
    script = {"mode": mode, "code": code, "lines": lines, "timeout_ms": 4000, "removes": list(removes), "marks": marks}
    step = {"id": "/steps/0", "step_id": "s", "description": "Move it", "destructive": bool(removes)}
    return step | {"action_type": "PYTHON", "operations": [], "script": script}


def code_of(shown: list[str]) -> list[str]:
    """The numbered lines of scripts, with ordinary spaces in place of no-break ones."""
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in shown if "\N{NO-BREAK SPACE}" in text]


def test_a_script_is_shown_with_its_lines_and_removals() -> None:
    open_question(steps=[script_step(6, "safe", ("line 2: bpy.data.objects.remove(a)",))])
    shown = draw_sidebar(width=600)
    assert code_of(shown) == ["1  if x1:", "2      y2 = 2", "3  if x3:", "4      y4 = 4", "5  if x5:", "6      y6 = 6"]
    assert {"Move it", "Safe mode (6 lines)"} <= set(shown)
    assert not any("line 2" in text for text in shown), "what removes data is marked at its line, once"
    assert {"geonode.copy_script", "geonode.choose", "Approve", "Reject"} <= set(shown)
    bpy.ops.geonode.copy_script(step_id="/steps/0")


def approve(core: ScriptedCore) -> bool:
    """Presses Approve; returns whether the answer went to the core."""
    [(request_id, request)] = session.current.pending
    done = bpy.ops.geonode.decide(request_id=request_id, accept=True)
    assert session.current.can_approve(request) == (done == {"FINISHED"}) == bool(core.decisions)
    return bool(core.decisions)


def test_a_long_script_is_read_page_by_page_and_approved_on_the_last() -> None:
    core = open_question(steps=[script_step(100, "safe")], dry_run=None)
    shown = draw_sidebar(width=900)
    assert len(code_of(shown)) == 30 and {"Next Page", "Page 1 of 4"} <= set(shown)
    assert "Read the script to its last page; then it can be approved." in shown
    assert shown.index("Approve") < shown.index("Page 1 of 4")
    assert not approve(core)
    for page in range(1, 4):
        assert not approve(core)
        bpy.ops.geonode.turn_page(step_id="/steps/0", page=page)
        first = code_of(draw_sidebar(width=900))[0]
        assert int(first.split()[0]) == page * 30 + 1
    assert len(code_of(draw_sidebar(width=900))) == 10
    bpy.ops.geonode.turn_page(step_id="/steps/0", page=0)
    assert approve(core)


def test_a_trusted_script_needs_a_second_deliberate_act() -> None:
    core = open_question(steps=[script_step(40, "trusted")], dry_run=None)
    assert "Trusted (40 lines)" in draw_sidebar(width=900)
    assert "geonode.confirm_script" not in draw_sidebar(width=900), "before it was read"
    bpy.ops.geonode.turn_page(step_id="/steps/0", page=1)
    assert "geonode.confirm_script" in draw_sidebar(width=900) and not approve(core)
    bpy.ops.geonode.confirm_script(step_id="/steps/0")
    bpy.ops.geonode.confirm_script(step_id="/steps/0")
    assert not approve(core)
    bpy.ops.geonode.confirm_script(step_id="/steps/0")
    assert approve(core)


def test_a_script_that_is_left_out_need_not_be_read() -> None:
    core = open_question(steps=[script_step(100, "trusted")], dry_run=None)
    bpy.ops.geonode.choose(operation_id="/steps/0")
    assert approve(core)


def test_a_second_question_says_what_is_new() -> None:
    first = {"reason": "It removes.", "steps": [], "diff": ["Add node a", "Set b to 1"]}
    second = first | {"diff": ["Add node a", "Set b to 2"]}
    core = ScriptedCore((("ask_approval", {"request": first}), ("ask_approval", {"request": second}), *HAPPY))
    session.current.claim(lambda: RunHandle(core, FakeHost()))
    session.current.poll(0)
    assert "Against the question before" not in draw_sidebar(width=900)
    [(request_id, _)] = session.current.pending
    bpy.ops.geonode.decide(request_id=request_id, accept=True)
    session.current.poll(0)
    shown = draw_sidebar(width=900)
    news = shown[shown.index("Against the question before") + 1 :][:2]
    assert news == ["Set b to 2", "Set b to 1"]


def test_a_question_that_was_tried_is_the_same_one_and_its_answers_stay_in_their_place() -> None:
    first = {"reason": "It removes.", "steps": [], "diff": [f"Add node {n}" for n in range(20)]}
    first |= {"dry_run": {"available": True}, "summary": ["Adds."]}
    tried = first | {"dry_run": {"available": True, "result": {"ok": True, "text": "It worked."}}}
    core = ScriptedCore((("ask_approval", {"request": first}), ("ask_approval", {"request": tried}), *HAPPY))
    session.current.claim(lambda: RunHandle(core, FakeHost()))
    session.current.poll(0)
    bpy.ops.geonode.open_group(group="changes")
    before = draw_sidebar(width=900)
    [(request_id, _)] = session.current.pending
    bpy.ops.geonode.decide(request_id=request_id, accept=True)
    session.current.poll(0)
    shown = draw_sidebar(width=900)
    assert "It worked." in shown and session.current.former_question is None
    assert before[: before.index("Approve")] == shown[: shown.index("Approve")]
    assert "Add node 19" in shown, "what was open stays open"


def test_a_question_begins_with_the_words_and_what_they_do_and_lists_values_on_demand() -> None:
    step = {"id": "/steps/0", "step_id": "s", "description": "Set it", "destructive": False, "reason": "By hand."}
    step |= {"operations": [operation(0, "interface")]}
    request = {"reason": "By hand.", "steps": [step], "diff": [], "summary": ["“Strength”: 0.5 m → 0.3333 m."]}
    core = ScriptedCore((("ask_approval", {"request": request}), *HAPPY))
    session.current.claim(lambda: RunHandle(core, FakeHost()), "Change it: smoother")
    session.current.poll(0)
    shown = draw_sidebar(width=900)
    places = [
        shown.index(text) for text in ("“Change: smoother”", "“Strength”: 0.5 m → 0.3333 m.", "By hand.", "Approve")
    ]
    assert places == sorted(places) and "Do 0" not in shown
    bpy.ops.geonode.open_group(group="singly")
    assert "Do 0" in draw_sidebar(width=900)


def test_code_is_broken_between_words() -> None:
    line = 'materials["A long name"].node_tree.nodes["Principled BSDF"].inputs[0].default_value = (1.0, 0.5)'
    pieces = [*wrapping.split_code(line, 18, len)]
    assert "".join(pieces) == line and all(len(piece) <= 18 for piece in pieces)
    assert not any(a[-1:].isalnum() and b[:1].isalnum() for a, b in zip(pieces, pieces[1:], strict=False))
    assert "".join(wrapping.split_code("x" * 50, 18, len)) == "x" * 50


@pytest.mark.parametrize("width", [1, 150, 300])
def test_nothing_of_a_script_is_lost_in_a_narrow_sidebar(width: int) -> None:
    long = "value = " + " + ".join(f"name_{n}" for n in range(60))
    script = {"mode": "trusted", "code": f"x = 1\n\n{long}", "lines": 3, "timeout_ms": 1, "removes": [], "marks": []}
    open_question(steps=[script_step(1, "safe") | {"script": script}])
    shown = code_of(draw_sidebar(width=width))
    joined = "".join(text[3:] for text in shown if text.startswith("3  "))
    assert joined == long
    assert len(shown) > 3


def test_output_of_a_script_is_shown_below_its_step() -> None:
    session.current.claim(lambda: RunHandle(ScriptedCore(), FakeHost()))
    said = "\n".join(f"line {n}" for n in range(30))
    session.current.fold(
        [{"event": "step", "step_id": "s", "action_type": "PYTHON", "status": "done", "message": said}]
    )
    shown = draw_sidebar()
    assert {"line 0", "line 9", "… 20 more lines"} <= set(shown) and "line 10" not in shown


def test_a_long_prompt_is_shown_in_full() -> None:
    data = bpy.context.window_manager.geonode_assistant
    before = draw_sidebar()
    data.prompt = "word " * 30
    below = "" if "textbox" in FUNCTIONS else data.prompt.strip()
    assert " ".join(text for text in draw_sidebar() if text not in before) == below
    data.prompt = "short"
    assert draw_sidebar() == before


def test_a_long_wait_shows_its_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    session.current.claim(lambda: RunHandle(ScriptedCore(), FakeHost()))
    assert "Planning…" in draw_sidebar()
    start = session.current.started
    monkeypatch.setattr(session.time, "monotonic", lambda: start + 65.5)
    assert "Planning… 65 s" in draw_sidebar()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("I will lift it.", "I will lift it."),
        ('{"version": "1.1"', "The plan is being written…"),
        ("I will lift it.\n```json\n{", "I will lift it.\nThe plan is being written…"),
        ("x" * 1000, "x" * sidebar.SHOWN_CHARACTERS),
    ],
)
def test_a_plan_that_arrives_is_not_shown_as_json(text: str, shown: str) -> None:
    assert sidebar.reply_preview(text) == shown


def test_messages_are_not_repeated_and_repairs_are_only_in_the_report() -> None:
    session.current.claim(lambda: RunHandle(ScriptedCore(), FakeHost()))
    while session.current.running:
        session.current.poll()
    session.current.messages = [
        {"severity": "info", "code": "unknown", "text": "Scattered."},
        {"severity": "warning", "code": "repaired", "text": "A menu."},
        {"severity": "warning", "code": "not_kept", "text": "Many."},
    ]
    shown = draw_sidebar()
    assert shown.count("Scattered.") == 1
    assert "Many." in shown
    assert "A menu." not in shown


def test_steps_are_shown_in_the_log_as_they_change() -> None:
    session.current.claim(lambda: RunHandle(ScriptedCore(), FakeHost()))
    session.current.show("log")
    for status in ("running", "restored", "running", "failed"):
        session.current.fold([{"event": "step", "step_id": "s1", "status": status, "message": ""}])
        draw_sidebar()
    assert [step["status"] for step in session.current.steps] == ["restored", "failed"]
    session.current.fold([{"event": "step", "step_id": "s2", "status": "done", "message": "Added 5 nodes"}])
    assert {"s1", "s2"} <= set(draw_sidebar())


def test_steps_are_shown_while_the_plan_arrives() -> None:
    session.current.claim(lambda: RunHandle(ScriptedCore(), FakeHost()))

    def fold(*events: dict[str, Any]) -> list[str]:
        session.current.fold(events)
        return draw_sidebar()

    def step(step_id: str, status: str, message: str) -> dict[str, Any]:
        return {"event": "step", "step_id": step_id, "status": status, "message": message}

    first = fold(
        {"event": "request", "turn": 1, "input_tokens": 9}, step("s1", "planned", "Scatter\nrocks \u202e\x1b[31m")
    )
    assert "Scatter rocks \N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}[31m" in first
    second = fold(
        {"event": "request", "turn": 2, "input_tokens": 9}, step("s1", "planned", "Better"), step("s2", "planned", "")
    )
    assert "Better" in second and "s1" not in " ".join(second), "an ID says nothing to an artist"
    session.current.show("log")
    assert {"s1: Better", "s2"} <= set(draw_sidebar())
    assert not [line for line in second if "Scatter" in line]
    fold(step("s1", "running", ""), step("s1", "done", "Added 5 nodes"))
    assert [(one["step_id"], one["status"]) for one in session.current.steps] == [("s1", "done"), ("s2", "planned")]


def test_the_audit_log_is_verified_from_the_preferences(tmp_path: Path) -> None:
    import geonode_core

    native.core()
    path = geonode_core.audit_start(tmp_path / "audit.jsonl")
    try:
        geonode_core.AuditLog(path).append("test", {})
        assert bpy.ops.geonode.verify_audit_log() == {"FINISHED"}
        assert audit.describe(audit.found) == f"{path} is intact: 1 entries"
        path.write_text("no entry\n")
        bpy.ops.geonode.verify_audit_log()
        assert f"{path} is damaged at line 1" in audit.describe(audit.found)
        shown: list[str] = []
        preferences.draw_audit(Layout(shown))
        assert {"geonode.new_audit_log", audit.describe(audit.found)} <= set(shown)
        assert bpy.ops.geonode.new_audit_log() == {"FINISHED"}
        bpy.ops.geonode.verify_audit_log()
        assert audit.describe(audit.found) == f"{path} is intact: 0 entries"
    finally:
        geonode_core.audit_stop()
        audit.found = None


def test_an_error_shows_its_text_and_its_fix() -> None:
    session.current.refuse(AssistantError("core_missing", "The core is missing. " * 9, "Install it.\nThen restart."))
    shown = draw_sidebar(width=260)
    assert {"Install it.", "Then restart."} <= set(shown)
    assert max(len(text) for text in shown) <= 40
    assert "Show Log" in shown


def test_an_installation_for_another_system_is_said_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert native.problem() is None
    monkeypatch.delitem(sys.modules, native.CORE, raising=False)
    # Asked anew, whatever was drawn before.
    monkeypatch.setattr(native, "_is_installed", lambda: importlib.util.find_spec(native.CORE) is not None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert native.problem().code == "core_missing"
    shown = draw_sidebar(width=2000)
    assert any("no native part for" in text for text in shown) and native.INSTALL in shown
    said: list[str] = []
    assert not start.can_send(SimpleNamespace(poll_message_set=said.append), bpy.context)
    assert native.INSTALL in said[0]


def test_an_update_asks_for_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.core(), "__version__", "0.0.9")
    with pytest.raises(AssistantError) as refused:
        native.core()
    assert refused.value.code == "core_outdated" and "0.0.9" in refused.value.message
    assert "Save your work and restart Blender." in draw_sidebar(width=2000)
    bpy.context.window_manager.geonode_assistant.prompt = "a cube"
    assert not bpy.ops.geonode.send.poll()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("   \n ", []),
        ("one two three", ["one two", "three"]),
        ("exactly10! x", ["exactly10!", "x"]),
        ("a\nb", ["a", "b"]),
        ("x" * 25, ["x" * 10, "x" * 10, "x" * 5]),
        ("ab " + "y" * 12 + " c", ["ab", "y" * 10, "yy c"]),
    ],
)
def test_wrapping(text: str, lines: list[str]) -> None:
    assert list(wrapping.wrap(text, 10, len)) == lines


def test_control_characters_of_a_model_are_shown_as_marks() -> None:
    hostile = "safe \x1b[2J\x00\u202egnihton\u2066 \u200bend \x85 <b>bold</b> %s {0}"
    lines = list(wrapping.wrap(hostile, 1000, len))
    assert not [c for line in lines for c in line if not c.isprintable()]
    assert lines[-1].endswith("<b>bold</b> %s {0}"), "markup is shown as text"
    session.current.claim(lambda: RunHandle(ScriptedCore(), FakeHost()))
    session.current.fold([{"event": "text", "text": hostile}])
    session.current.messages = [{"severity": "error", "code": "unknown", "text": hostile, "hint": hostile}]
    assert not [c for text in draw_sidebar(width=2000) for c in text if not c.isprintable()]


def test_wrapping_ends_in_a_width_in_which_nothing_fits() -> None:
    assert list(wrapping.wrap("abc d", 0, len)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("provider", [item.name for item in offers.PROVIDERS])
def test_preferences_are_drawn(provider: str) -> None:
    import addon_utils

    geonode_assistant.unregister()
    addon_utils.enable("geonode_assistant", default_set=True)
    try:
        stored = bpy.context.preferences.addons["geonode_assistant"].preferences
        stored.provider = provider
        shown: list[str] = []
        settings = {"base_url": "http://127.0.0.1:9/v1", "key_variable": "", "python": "safe"}
        view = SimpleNamespace(layout=Layout(shown), provider=provider, bl_rna=stored.bl_rna, **settings)
        type(stored).draw(view, bpy.context)
        assert ("Waiting for the key store…" in shown) == (provider != "offline")
        keys.state.wait()
        keys.state.place = {"place": "system", "name": "The Keychain"}
        type(stored).draw(view, bpy.context)
        assert ("The key is in the Keychain" in shown) == (provider != "offline")
        assert ("geonode.remove_key" in shown) == (provider != "offline")
        assert ("geonode.test_connection" in shown) == (provider != "offline")
        assert not any("can do anything" in text for text in shown)
        view.python = "trusted"
        type(stored).draw(view, bpy.context)
        assert any("can do anything" in text for text in shown)
    finally:
        addon_utils.disable("geonode_assistant", default_set=True)
        geonode_assistant.register()


@pytest.mark.parametrize(
    ("running", "estimate", "usage", "shown"),
    [
        (True, None, None, ""),
        (True, {"input_tokens": 5200, "cost_usd": 0.013}, None, "The request has about 5,200 tokens ($0.0130)"),
        (True, {"input_tokens": 5200, "cost_usd": None}, None, "The request has about 5,200 tokens"),
        (False, {"input_tokens": 5200}, None, ""),
        (False, None, {"input_tokens": 900, "output_tokens": 100, "cost_usd": 0.5}, "1,000 tokens ($0.5000)"),
        (False, None, {"input_tokens": None, "output_tokens": 7, "cost_usd": None}, "7 tokens"),
    ],
)
def test_tokens_and_cost_of_a_run_are_shown(running: bool, estimate: Any, usage: Any, shown: str) -> None:
    report = None if running else SimpleNamespace(usage=usage)
    assert log.usage_line(SimpleNamespace(running=running, estimate=estimate, report=report)) == shown
