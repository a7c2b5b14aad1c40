# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of a run: filtered, copied, written to a file, and from a line to the node that it speaks of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import geonode_assistant
import pytest
from asking import lift
from geonode_assistant.cli import e2e
from geonode_assistant.host import current
from geonode_assistant.run import session, starting
from geonode_assistant.ui import log, properties, translation, wording
from geonode_assistant.ui.places import Place, places
from layouts import draw_sidebar

LONELY = {"op": "create_node", "node_id": "lonely", "bl_idname": "GeometryNodeMeshCone"}


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    session.current.reset("")
    geonode_assistant.register()
    for name in ("log_search", "log_part", "log_severity"):  # Blender keeps them while it runs
        properties.edited().property_unset(name)
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    bpy.ops.ed.undo_push(message="Start")
    yield
    geonode_assistant.unregister()
    session.current.reset("")


def broken() -> dict[str, Any]:
    """A plan that is refused, so that the model is asked again."""
    return {key: value for key, value in lift().items() if key != "steps"}


def send(*plans: dict[str, Any]) -> Any:
    """A run with a remark about a node, after a plan that was refused."""
    starting.start("x", provider="replay", replies=[*plans], approve="all")
    while session.current.running:
        session.current.poll()
    assert session.current.summary == "DONE", session.current.messages
    session.current.show("log")
    return bpy.data.node_groups["Lift"]


def lonely() -> dict[str, Any]:
    plan = lift()
    plan["steps"][0]["payload"]["operations"].append(LONELY)
    return plan


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    manager = SimpleNamespace(clipboard="", windows=(), geonode_assistant=properties.edited())
    monkeypatch.setattr(current, "window_manager", lambda: manager)
    return manager


def test_the_whole_log_is_copied(copied: SimpleNamespace) -> None:
    send(broken(), lift())
    assert bpy.ops.geonode.copy_log() == {"FINISHED"}
    lines = copied.clipboard.splitlines()
    report = session.current.report
    assert lines[0] == "Prompt: x" and {*report.diff, report.final_message} <= set(lines)
    assert all(any(message["code"] in line for line in lines) for message in report.messages)


def test_a_filter_shows_and_copies_a_part(copied: SimpleNamespace) -> None:
    send(broken(), lonely())
    data, report = properties.edited(), session.current.report
    warnings = [m for m in report.messages if m["severity"] == "warning"]
    assert warnings and report.diff
    data.log_severity = "warning"
    shown = set(draw_sidebar(width=2000))
    assert any("lonely" in text and "dead_end" in text for text in shown) and not shown & set(report.diff)
    bpy.ops.geonode.copy_log()
    assert not set(copied.clipboard.splitlines()) & {"Prompt: x", *report.diff} and "dead_end" in copied.clipboard
    data.log_severity, data.log_part = "info", "changes"
    bpy.ops.geonode.copy_log()
    assert copied.clipboard.splitlines() == report.diff
    # Words are those of a line, its code, or where it comes from.
    data.log_part, data.log_search = "all", "gates dead_end"
    bpy.ops.geonode.copy_log()
    assert len([line for line in copied.clipboard.splitlines() if "dead_end" in line]) == len(
        [m for m in report.messages if m["origin"] == "gates" and m["code"] == "dead_end"]
    )
    data.log_search = "nothing like this"
    assert "No line of the log is like that." in draw_sidebar(width=2000)


def test_many_lines_are_shown_on_demand() -> None:
    view = session.current
    send(lift())
    assert view.report is not None
    view.report.to_dict()["diff"] = [f"Change {number}" for number in range(500)]
    assert {"Change 0", "Show 176 More"} <= set(draw_sidebar(width=2000))
    assert "Change 100" not in draw_sidebar(width=2000)
    bpy.ops.geonode.show(part="log_all")
    drawn = draw_sidebar(width=2000)
    assert {"Change 100", "Show Fewer"} <= set(drawn)
    assert any("export the log" in text for text in drawn)


def test_the_log_is_written_to_a_file(tmp_path: Path) -> None:
    send(lift())
    properties.edited().log_part = "calls"
    assert bpy.ops.geonode.export_log(filepath=str(tmp_path / "log")) == {"FINISHED"}
    lines = (tmp_path / "log.txt").read_text(encoding="utf-8").splitlines()
    report = session.current.report
    assert lines[0] == "Prompt: x" and set(report.diff) <= set(lines), "the file has all, whatever is filtered"
    assert bpy.ops.geonode.export_log(filepath=str(tmp_path / "log.json")) == {"FINISHED"}
    assert json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))["diff"] == report.diff
    with pytest.raises(RuntimeError, match="is not a file|No such|folder"):
        bpy.ops.geonode.export_log(filepath=str(tmp_path / "nowhere" / "log.txt"))


def test_the_log_is_shown_in_the_language_and_written_in_english(
    copied: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(lift())
    view = session.current
    text, hint = "The server did not answer within 30 s.", "Try again in a moment."
    view.messages.append({"severity": "error", "origin": "request", "code": "timeout", "text": text, "hint": hint})
    monkeypatch.setattr(log, "language", lambda: "de")
    monkeypatch.setattr(log, "told", lambda text: translation.told_in(text, "de"))
    monkeypatch.setattr(log, "told_of", lambda *parts: translation.told_of_in(*parts, "de"))
    remark = next(entry for entry in log.entries(view) if entry.code == "timeout")
    line, below = log.shown(remark)
    assert line.startswith("timeout: ") and text not in line and hint not in below.splitlines()
    word = line.split()[-1].casefold()
    for searched in (word, "answer"):
        assert list(log.chosen([remark], "messages", "info", searched)) == [remark]
    assert f"timeout: {text}" in log.whole(view) and hint in log.whole(view)
    assert log.format_usage(5200, None).startswith("5\N{NO-BREAK SPACE}200 ")


def test_a_line_leads_to_its_node() -> None:
    tree = send(lonely())
    view = session.current
    found = {entry.line: place for entry in log.entries(view) if (place := places.of(view, entry.text))}
    remark = next(text for text in found if "dead_end" in text)
    modifier = bpy.data.objects["Plane"].modifiers[0]
    assert found[remark] == Place((modifier.id_data.session_uid, modifier.persistent_uid), tree.name, "lonely")
    assert not any(f"“{tree.name}”" in text for text in found), "a tree, an object and a modifier are no nodes"
    assert "geonode.show_mentioned" in draw_sidebar(width=2000)
    [ends] = [text for text in found if text.startswith("Add Group Input")]
    assert found[ends].node in tree.nodes, "a type of node, and no input"
    (carrier, uid), name, node = found[remark]
    asked = {"object": carrier, "modifier": uid, "tree": name, "node": node}
    assert bpy.ops.geonode.show_mentioned(**asked) == {"FINISHED"}
    tree.nodes.remove(tree.nodes["lonely"])
    assert bpy.ops.geonode.show_mentioned(**asked) == {"CANCELLED"}


def test_what_is_undone_has_no_places() -> None:
    send(lonely())
    remark = next(entry.text for entry in log.entries(session.current) if entry.code == "dead_end")
    assert places.of(session.current, remark) is not None
    bpy.ops.ed.undo()
    session.current.follow_undo()
    assert session.current.undone and places.of(session.current, remark) is None


def test_a_step_is_told_in_words() -> None:
    starting.start("scatter 20 cubes on the plane", approve="all")
    while session.current.running:
        session.current.poll()
    [step] = session.current.steps
    told = step["message"].split(", ")
    assert "1 node group made" in told and any(re.fullmatch(r"\d+ nodes added", part) for part in told), told
    assert all(re.fullmatch(r"\d+ [a-z ]+", part) for part in told)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Add the input “Rotation” (6.283185307)", "Add the input “Rotation” (6.2832)"),
        ("Set “0.123456789” to 0.5000000001", "Set “0.123456789” to 0.5"),
        ("(0.00000123456, -2.123456)", "(1.235e-06, -2.1235)"),
        ("In 4.2 and 5.2", "In 4.2 and 5.2"),
    ],
)
def test_numbers_have_four_digits_at_most(text: str, shown: str) -> None:
    assert wording.rounded(text) == shown
