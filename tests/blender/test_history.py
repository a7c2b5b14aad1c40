# SPDX-License-Identifier: GPL-3.0-or-later
"""The history of runs: what it tells is what happened, and what it offers works on the file of now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.host import folders, sliders
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import history as runs
from geonode_assistant.run import remembered, session, starting
from geonode_assistant.ui import history, properties
from geonode_assistant.ui.panels import history as panel
from layouts import draw_sidebar

PROMPT = "scatter 20 cubes on the plane"


@pytest.fixture(autouse=True)
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A plane and a box in an empty file, a private folder, and nothing remembered."""
    monkeypatch.setattr(folders, "own_folder", lambda: tmp_path)
    session.current.reset("")
    remembered.current.runs.clear()
    history.load()
    geonode_assistant.register()
    objects = [{"name": name, "primitive": "plane", "size": 10} for name in ("Plane", "Other")]
    e2e.build_start({"objects": objects, "active": "Plane"}, None)
    bpy.ops.ed.undo_push(message="Start")
    yield
    geonode_assistant.unregister()
    session.current.reset("")


def finish() -> None:
    while session.current.running:
        session.current.poll()
    history.load()


def send(prompt: str = PROMPT) -> dict[str, Any]:
    starting.start(prompt, approve="all", conversation=session.current.conversation)
    finish()
    return {**api.history.list()[0]}


def shown(run: str = "") -> list[str]:
    if history.PART not in session.current.shown:
        bpy.ops.geonode.history()
    if run and history.opened != run:
        bpy.ops.geonode.show_run(run=run)
    return draw_sidebar(width=2000)


def count_of(modifier: Any) -> sliders.Slider:
    return next(slider for slider in sliders.of(modifier) if slider.name == "Count")


def set_count(modifier: Any, value: int) -> None:
    slider = count_of(modifier)
    if slider.path == "value":
        slider.owner.value = value
    else:
        slider.owner[slider.path[2:-2]] = value


def test_every_run_is_told_with_what_came_of_it_the_newest_first() -> None:
    assert panel.NOTHING in shown()
    done, failed = send(), send("flibber the wug")
    assert (done["status"], done["object"], done["prompt"]) == ("done", "Plane", PROMPT)
    assert done["message"].startswith("Scattered 20 copies") and done["changes"]
    assert failed["status"] == "error" and failed["message"] and not failed["has_tree"]
    assert [run["id"] for run in api.history.list()] == [failed["id"], done["id"]]
    assert [run["id"] for run in api.history.list("CUBES scattered")] == [done["id"]]
    drawn = shown(done["id"])
    assert drawn.index("flibber the wug") < drawn.index(PROMPT)
    assert {f"Done {history.when(done['at'])}, on “Plane”", "geonode.compare_run", "geonode.apply_run"} <= set(drawn)
    properties.edited().history_search = "zebra"
    assert "No run with these words." in shown()
    properties.edited().history_search = ""


def test_another_process_knows_prompts_and_outcomes_but_no_trees(tmp_path: Path) -> None:
    first, second = send(), send("change it: make it 30")
    remembered.current.runs.clear()
    history.load()
    known = api.history.list()
    told = [(run["prompt"], run["message"], run["changes"][:30]) for run in known]
    assert told == [(run["prompt"], run["message"], run["changes"][:30]) for run in (second, first)]
    assert not any(run["has_tree"] for run in known)
    assert panel.NO_TREE in shown(known[0]["id"]) and "geonode.apply_run" not in shown()
    with pytest.raises(AssistantError, match="not remembered"):
        api.history.apply(known[0]["id"])
    for name, text in (("a", "no JSON"), ("b", "[]"), ("c", '{"turns_left_out": 0, "turns": [{"wish": 3}]}')):
        (tmp_path / "conversations" / f"{name}.json").write_text(text)
    assert api.history.list() == known, "a file that is no conversation is left out"


def test_what_is_kept_is_read_one_file_a_step_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    send()
    for number in range(5):
        (tmp_path / "conversations" / f"more-{number}.json").write_text("[]")
    read: list[str] = []
    read_text = Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda path, *more: read.append(path.stem) or read_text(path, *more))
    monkeypatch.setattr(runs, "_read", {})
    for count, _ in enumerate(runs.read_in_steps(), 1):
        assert len(read) == count
    assert len(read) == 6
    known = api.history.list()
    assert len(known) == 1
    assert len(read) == 6, "nothing is read again"
    (tmp_path / "conversations" / "more-0.json").write_text("{}")
    assert api.history.list() == known
    assert read[6:] == ["more-0"]


def test_what_changed_since_is_told_and_what_is_gone_is_said() -> None:
    run = send()
    [modifier] = session.current.results
    assert api.history.changes_since(run["id"]) == []
    set_count(modifier, 55)
    [line] = api.history.changes_since(run["id"])
    assert line == "The input “Count”: from 20 to 55"
    bpy.data.objects["Plane"].name = "Ground"
    assert api.history.changes_since(run["id"]) == [line], "names do not matter"
    bpy.data.objects["Ground"].modifiers.remove(modifier)
    assert api.history.changes_since(run["id"]) is None
    assert bpy.ops.geonode.compare_run(run=run["id"]) == {"FINISHED"}


def test_a_result_is_applied_again_as_its_run_left_it() -> None:
    run = send()
    set_count(session.current.results[0], 55)
    before = len(bpy.data.node_groups)
    bpy.context.view_layer.objects.active = bpy.data.objects["Other"]
    bpy.ops.ed.undo_push(message="Edit")
    assert bpy.ops.geonode.apply_run(run=run["id"]) == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE", session.current.messages
    [again] = bpy.data.objects["Other"].modifiers
    assert count_of(again).value == 20, "not what was turned since"
    applied = api.history.list()[0]
    assert not applied["is_prompt"] and applied["object"] == "Other", "a preset's title is no prompt to send"
    assert "geonode.send_again" not in shown(applied["id"])
    bpy.ops.ed.undo()
    assert not bpy.data.objects["Other"].modifiers and len(bpy.data.node_groups) == before


def test_a_prompt_is_sent_again_and_edited() -> None:
    run = send()
    bpy.ops.ed.undo()
    assert bpy.ops.geonode.send_again(run=run["id"]) == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE" and len(bpy.data.objects["Plane"].modifiers) == 1
    api.history.rerun(run["id"], "Other", approve="all")
    finish()
    assert api.history.list()[0]["prompt"] == PROMPT
    assert {"Edit Prompt", "geonode.send_again"} <= set(shown(run["id"]))


def test_what_is_forgotten_is_gone_from_the_disk_and_the_scene_stays(tmp_path: Path) -> None:
    first, second = send(), send("change it: make it 30")
    session.current.new_conversation()
    other = send("flibber the wug")
    session.current.conversation = second["conversation"]
    assert bpy.ops.geonode.delete_run(run=first["id"]) == {"FINISHED"}
    assert [run["id"] for run in api.history.list()] == [other["id"]], "the conversation goes as a whole"
    assert [path.stem for path in (tmp_path / "conversations").glob("*.json")] == [other["conversation"]]
    assert session.current.conversation is None and bpy.data.objects["Plane"].modifiers
    with pytest.raises(AssistantError, match="There is no run"):
        api.history.get(first["id"])


def test_the_history_is_written_to_a_file(tmp_path: Path) -> None:
    send()
    target = tmp_path / "history"
    assert bpy.ops.geonode.export_history(filepath=str(target)) == {"FINISHED"}
    written = json.loads(target.with_suffix(".json").read_text("utf-8"))
    assert written == {"runs": api.history.list()}
    with pytest.raises(AssistantError, match="there already"):
        api.history.export(target.with_suffix(".json"))


def test_times_are_told_as_a_clock_on_the_wall_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    now = history.time.mktime((2026, 3, 1, 0, 5, 0, 0, 0, -1))
    real = history.time.localtime
    monkeypatch.setattr(history.time, "localtime", lambda at=now: real(at))
    assert history.when(now) == "today 00:05" and history.when(now - 360) == "yesterday 23:59"
    assert history.when(now - 90_000) == "2026-02-27 23:05"


def test_a_change_is_named_by_its_words() -> None:
    assert history.asked("Change it: twice as many") == "Change: twice as many"
    assert history.asked("change the colour") == "change the colour"


def test_many_runs_are_bounded() -> None:
    run = remembered.Run("", 0.0, "x", True, None, "done", "", [])
    remembered.current.runs[:] = [run] * (remembered.MOST_RUNS + 5)
    send()
    assert len(remembered.current.runs) == remembered.MOST_RUNS
