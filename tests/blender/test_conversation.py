# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversations: prompts that follow each other, through the API and in the sidebar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.host import folders
from geonode_assistant.run import choices, conversations, session
from geonode_assistant.run.report import RunReport
from geonode_assistant.ui import polling
from geonode_assistant.ui.panels import sidebar


@pytest.fixture(autouse=True)
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A plane in an empty file, a new session, and a private folder."""
    monkeypatch.setattr(folders, "own_folder", lambda: tmp_path)
    geonode_assistant.register()
    session.current.__init__()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.mesh.primitive_plane_add(size=10)
    bpy.ops.mesh.primitive_cube_add(size=0.2)
    bpy.context.view_layer.objects.active = bpy.data.objects["Plane"]
    yield
    session.current.__init__()
    geonode_assistant.unregister()


def kept(folder: Path) -> list[dict]:
    """The conversations that are stored in a folder."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in (folder / "conversations").glob("*.json")]


def test_a_run_continues_a_conversation(tmp_path: Path) -> None:
    first = api.run("scatter 20 cubes on the plane", "Plane", "offline")
    second = api.run("change it: scatter 30 cubes on the plane", "Plane", "offline", None, first.conversation)
    assert first.ok and second.ok, (first.messages, second.messages)
    assert second.conversation == first.conversation and second.conversation_turns == 2
    (conversation,) = kept(tmp_path)
    assert [turn["wish"] for turn in conversation["turns"]] == [first.to_dict()["prompt"], second.to_dict()["prompt"]]
    assert conversation["turns"][1]["changes"] == second.diff
    assert api.run("scatter 5 cubes on the plane", "Plane", "offline").conversation != first.conversation
    assert len(kept(tmp_path)) == 2


def test_nothing_is_left_out_of_a_conversation_without_a_model(tmp_path: Path) -> None:
    first = api.run("scatter 20 cubes on the plane", "Plane", "offline")
    for budget in (1, 100):
        told = {"conversation_tokens": budget}
        report = api.run("make it 30", "Plane", "offline", None, first.conversation, settings=told)
        assert report.conversation == first.conversation
        assert "conversation_cut" not in [message["code"] for message in report.messages], report.messages


def test_an_applied_plan_is_not_part_of_a_conversation(tmp_path: Path) -> None:
    report = api.apply_plan({"version": "1.1", "steps": [], "done": True, "final_message": "Nothing."})
    assert report.conversation is None and not (tmp_path / "conversations").exists()


def send(prompt: str) -> RunReport:
    bpy.context.window_manager.geonode_assistant.prompt = prompt
    assert bpy.ops.geonode.send() == {"FINISHED"}
    while session.current.running:
        session.current.poll(0.05)
        session.current.handle.wait(50)
    session.current.poll()
    return session.current.report


def test_the_sidebar_continues_its_conversation_until_a_new_one_is_started(tmp_path: Path) -> None:
    assert not bpy.ops.geonode.new_conversation.poll()
    first = send("scatter 20 cubes on the plane")
    assert first.ok, first.messages
    assert (session.current.conversation, session.current.turns) == (first.conversation, 1)
    second = send("scatter 30 cubes on the plane")
    assert second.conversation == first.conversation and session.current.turns == 2
    assert bpy.ops.geonode.new_conversation() == {"FINISHED"}
    assert (session.current.conversation, session.current.turns) == (None, 0)
    third = send("scatter 5 cubes on the plane")
    assert third.conversation != first.conversation
    assert sorted(len(conversation["turns"]) for conversation in kept(tmp_path)) == [1, 2]


def test_another_file_is_another_conversation() -> None:
    send("scatter 20 cubes on the plane")
    assert session.current.conversation is not None
    polling.end_before_load()
    assert session.current.conversation is None


def test_a_saved_file_continues_its_conversation(tmp_path: Path) -> None:
    blend, copy = tmp_path / "scene.blend", tmp_path / "copy.blend"
    first = send("scatter 20 cubes on the plane")
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    bpy.ops.wm.save_as_mainfile(filepath=str(copy), copy=True)
    assert not any(str(tmp_path).encode() in path.read_bytes() for path in tmp_path.rglob("*.json"))
    assert all(blend.stem not in path.name for path in tmp_path.rglob("*.json"))
    # As in another Blender: nothing is known but what lies on the disk.
    session.current.__init__()
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    assert (session.current.conversation, session.current.turns) == (first.conversation, 1)
    bpy.context.view_layer.objects.active = bpy.data.objects["Plane"]
    second = send("scatter 30 cubes on the plane")
    assert second.ok and second.conversation == first.conversation and session.current.turns == 2
    bpy.ops.wm.open_mainfile(filepath=str(copy))
    assert session.current.conversation is None, "a copy under another name has no conversation"
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    assert session.current.turns == 2
    bpy.ops.geonode.new_conversation()
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    assert session.current.conversation is None, "the file was saved without a conversation"


@pytest.mark.parametrize(
    "known", ['{"conversation": "../../x"}', '{"conversation": 7}', "[", "[]", '{"conversation": "gone"}']
)
def test_a_damaged_file_begins_a_new_conversation(tmp_path: Path, known: str) -> None:
    send("scatter 20 cubes on the plane")
    blend = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    (place,) = (tmp_path / conversations.FOLDER).iterdir()
    place.write_text(known, encoding="utf-8")
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    assert session.current.conversation is None


def test_the_number_of_remembered_files_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "MOST", 3)
    for number in range(5):
        conversations.remember(tmp_path, f"/files/{number}.blend", "a")
    assert len(list((tmp_path / conversations.FOLDER).iterdir())) == 3
    (tmp_path / "file").write_text("", encoding="utf-8")
    conversations.remember(tmp_path / "file", "/files/0.blend", "a")


@pytest.mark.parametrize(("turns", "shown"), [(0, "Prompts: 0"), (1, "Prompts: 1"), (3, "Prompts: 3")])
def test_the_count_is_shown(turns: int, shown: str) -> None:
    lines: list[str] = []

    class Layout:
        def split(self, **_options: object) -> Layout:
            return self

        def label(self, text: str, **_options: object) -> None:
            lines.append(text)

        def operator(self, name: str, **_options: object) -> None:
            lines.append(name)

    view = session.Session()
    sidebar.draw_conversation(Layout(), view)
    assert lines == []
    view.conversation, view.turns = "x", turns
    sidebar.draw_conversation(Layout(), view)
    assert lines == [shown, "geonode.new_conversation"]


def test_only_allowed_servers_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "allowed_servers", lambda: ["https://models.example"])
    report = api.run("x", "Plane", "openai-compatible", "m", base_url="http://127.0.0.1:9/v1")
    assert (report.status, report.error["code"]) == ("error", "egress_denied")
    assert "models.example" in report.error["text"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a.json", ""])
def test_a_conversation_name_cannot_be_a_path(tmp_path: Path, name: str) -> None:
    report = api.run("scatter 20 cubes on the plane", "Plane", "offline", conversation=name)
    assert (report.status, report.error["code"]) == ("error", "body_invalid")
    assert not list(tmp_path.rglob("*.json"))
