# SPDX-License-Identifier: GPL-3.0-or-later
"""What no artist and no model should write: endless answers, letters of all kinds, keys in the wrong fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import geonode_assistant
import pytest
from asking import lift
from geonode_assistant.cli import e2e
from geonode_assistant.host import folders
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import session, starting
from geonode_assistant.ui import log
from layouts import draw_sidebar

KEY = "sk-proj-" + "a1B2c3D4" * 6


@pytest.fixture(autouse=True)
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(folders, "own_folder", lambda: tmp_path)
    session.current.reset("")
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    yield
    geonode_assistant.unregister()
    session.current.reset("")


def send(prompt: str, **more: Any) -> session.Session:
    view = session.current
    starting.start(prompt, approve="all", **more)
    while view.running:
        view.poll()
        draw_sidebar()
        view.handle.wait(20)
    return view


def everything() -> str:
    """All that the panel shows of a run, with its log open, and all that the log is copied as."""
    view = session.current
    view.shown |= {"log", "log_all"}
    return "\n".join([*draw_sidebar(width=2000), *log.lines(log.entries(view))])


@pytest.mark.parametrize("line", ["A line.", "{", "`" * 40, "\U0001f5ff" * 40, "שלום \u202eabc"])
def test_an_answer_of_ten_thousand_lines_fits_into_the_panel(line: str) -> None:
    answer = "\n".join(f"{line} {n}" for n in range(10_000))
    view = send("lift it", provider="replay", replies=[answer] * 4)
    assert view.summary == "ERROR" and not bpy.data.node_groups
    assert len(draw_sidebar()) < 200
    view.shown |= {"log", "log_all"}
    assert len(draw_sidebar()) < 1000


def test_a_closing_message_of_ten_thousand_lines_fits_into_the_card() -> None:
    plan = lift(requires_approval=False)
    plan["final_message"] = "\n".join(f"Line {n}." for n in range(10_000))
    view = send("lift it", provider="replay", replies=[plan])
    if view.summary == "DONE":
        assert "Line 0." in draw_sidebar()
    assert len(draw_sidebar()) < 200


@pytest.mark.parametrize(
    "words", ["\U0001f5ff\U0001f449\U0001f7e9", "פזר 200 אבנים על המישור", "\u202eenalp", "e\u0301" * 60]
)
def test_a_prompt_in_any_letters_is_refused_and_changes_nothing(words: str) -> None:
    before = e2e.document()
    view = send(words)
    assert view.summary == "ERROR" and view.messages and e2e.document() == before
    assert not {"\u202e", "\u2066", "\x1b"} & set("".join(draw_sidebar(width=900)))


def test_a_key_in_the_prompt_is_kept_nowhere(tmp_path: Path) -> None:
    send(f"scatter 20 cubes on the plane {KEY}")
    assert KEY not in everything()
    send(f"lift it {KEY}", provider="replay", replies=[lift(requires_approval=False)])
    assert KEY not in everything()
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path.name for path in kept if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("field", ["model", "base_url", "key_variable"])
def test_a_key_in_another_field_is_not_shown(field: str, tmp_path: Path) -> None:
    try:
        more = {"provider": "openai-compatible", "base_url": "http://127.0.0.1:9/v1", "model": "m", field: KEY}
        send("lift it", **more)
    except AssistantError as refused:
        session.current.refuse(refused, "lift it")
    assert session.current.summary == "ERROR" and KEY not in everything()
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path.name for path in kept if KEY.encode() in path.read_bytes()]


def test_a_full_disk_ends_nothing_but_the_keeping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversations, history and caches are kept in a folder that takes no file."""
    blocked = tmp_path / "blocked"
    blocked.write_text(json.dumps({}), encoding="utf-8")
    monkeypatch.setattr(folders, "own_folder", lambda: blocked / "inside")
    view = send("scatter 20 cubes on the plane")
    assert view.summary == "DONE", view.messages
    assert bpy.data.objects["Plane"].modifiers and draw_sidebar()
