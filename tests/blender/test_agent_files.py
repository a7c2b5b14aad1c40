# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of other programs: in the project's folder and nowhere else, written after a question."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from geonode_assistant.agents import calls, project
from geonode_assistant.agents import server as agents_server
from geonode_assistant.agents.server import Asked, Programs
from geonode_assistant.host import exchange, export
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import presets


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of a saved file with a tree called ``Kept``."""
    folder = tmp_path_factory.mktemp("project")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_grid_add()
    assert presets.apply("wireframe", approve="all").ok
    bpy.context.object.modifiers[0].node_group.name = "Kept"
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "project.blend"))
    (folder / "trees").mkdir()
    (folder / "away").symlink_to(folder.parent)
    (folder / "link.json").symlink_to(folder / "project.blend")
    return folder


class Server:
    """Calls that come without a connection."""

    socket = token = ""
    url = "http://127.0.0.1:1/mcp"

    def __init__(self) -> None:
        self.waiting: list[dict[str, Any]] = []
        self.answers: dict[int, Any] = {}

    def take(self) -> dict[str, Any] | None:
        return self.waiting.pop() if self.waiting else None

    def answer(self, number: int, answer: dict[str, Any]) -> None:
        self.answers[number] = answer

    def wanted(self, _number: int) -> bool:
        return True

    def tell(self, _number: int, _stage: str) -> None:
        """Nobody listens."""

    def pause(self, _paused: bool) -> None:
        """Nothing else comes."""

    stop = clients = lambda _self: None


class Caller:
    """A program and its artist."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.programs = Programs()
        self.programs.start()
        assert self.programs.error is None

    def ask(self, tool: str, client: str = "Test", **arguments: Any) -> Any:
        """The answer to a call, or the question that it asks."""
        self.server.answers.clear()
        self.server.waiting.append({"id": 1, "client": client, "session": 7, "tool": tool, "arguments": arguments})
        end = time.monotonic() + 20
        while self.server.waiting or not (self.server.answers or self.programs.writer or time.monotonic() > end):
            # It rests after what took long.
            self.programs.tick()
        return self.server.answers.get(1, self.programs.asked)

    def decide(self, accept: bool) -> Any:
        """The answer to the call that the artist allows or rejects."""
        self.programs.decide(accept)
        end = time.monotonic() + 20
        while not self.server.answers and time.monotonic() < end:
            self.programs.tick()
        return self.server.answers[1]


@pytest.fixture
def caller(monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    core = SimpleNamespace(Agents=lambda *_arguments: server)
    server = Server()
    monkeypatch.setattr(agents_server, "native", SimpleNamespace(core=lambda: core))
    made = Caller(server)
    yield made
    made.programs.stop()


REFUSED = [
    "",
    "x" * 300 + ".json",
    "/etc/passwd.json",
    "~/x.json",
    "../x.json",
    "trees/../../x.json",
    "trees/./x.json",
    "trees//x.json",
    "trees\\x.json",
    "C:\\x.json",
    "C:x.json",
    "//server/share/x.json",
    ".hidden.json",
    ".git/x.json",
    "away/x.json",
    "link.json",
    "con.json",
    "trees/NUL.json",
    "aux.txt.json",
    "com1.json",
    "lpt9/x.json",
    "trees /x.json",
    "x.json ",
    "x.json.",
    "x\n.json",
    "x\0.json",
    "x\u202e.json",
    "x:y.json",
    "x*.json",
    "x.blend",
    "x",
]


@pytest.mark.parametrize("path", REFUSED)
def test_paths_that_could_leave_the_project_are_refused(folder: Path, path: str) -> None:
    with pytest.raises(AssistantError) as refused:
        project.inside(path, ".json")
    assert refused.value.code == "invalid_path"
    assert not any(character in str(refused.value) for character in "\n\0\u202e")


def test_paths_in_the_project_are_taken(folder: Path) -> None:
    for path in ("x.json", "trees/Größe.json", "trees/x.y.JSON"):
        place = project.inside(path, ".json")
        assert place == Path(os.path.realpath(folder)) / path
        assert project.shown(place) == path


def test_a_tree_is_written_only_after_a_question(folder: Path, caller: Caller) -> None:
    target = folder / "trees" / "kept.json"
    question = caller.ask("tree_save", node_group_name="Kept", path="trees/kept.json")
    assert isinstance(question, Asked)
    assert question.text == "write the tree “Kept” to trees/kept.json"
    busy = caller.ask("tree_save", client="Other", node_group_name="Kept", path="other.json")
    assert busy["error"]["code"] == "tool_busy"
    assert caller.decide(False)["error"]["code"] == "user_rejected"
    assert not target.exists()
    caller.ask("tree_save", node_group_name="Kept", path="trees/kept.json")
    assert caller.decide(True)["result"] == {"path": "trees/kept.json"}
    assert exchange.read(target) == export.export_tree(bpy.data.node_groups["Kept"])
    assert caller.ask("tree_save", node_group_name="Kept", path="trees/kept.json")["error"]["code"] == "file_exists"
    replaces = caller.ask("tree_save", node_group_name="Kept", path="trees/kept.json", overwrite=True)
    assert replaces.text == "replace trees/kept.json by the tree “Kept”"
    caller.decide(False)
    caller.programs.allowed.add(7)
    new = caller.ask("tree_save", node_group_name="Kept", path="trees/new.json", overwrite=True)
    assert new["result"] == {"path": "trees/new.json"}, "a program that may make changes is not asked about"
    replaces = caller.ask("tree_save", node_group_name="Kept", path="trees/kept.json", overwrite=True)
    assert isinstance(replaces, Asked), "but about what no undo brings back"
    assert caller.decide(True)["result"] == {"path": "trees/kept.json"}
    assert caller.ask("tree_diff", before="trees/kept.json", after="Kept")["result"] == {"lines": []}


def test_what_came_to_a_place_while_the_artist_was_asked_stays(folder: Path, caller: Caller, tmp_path: Path) -> None:
    place, mine = folder / "trees" / "later.json", tmp_path / "mine.json"
    mine.write_text("mine")
    for comes, code in (
        (lambda: place.write_text("mine"), "file_exists"),
        (lambda: place.symlink_to(mine), "invalid_path"),
        (lambda: place.symlink_to(tmp_path / "none.json"), "invalid_path"),
        (place.mkdir, "invalid_path"),
    ):
        assert isinstance(caller.ask("tree_save", node_group_name="Kept", path="trees/later.json"), Asked)
        comes()
        assert caller.decide(True)["error"]["code"] == code
        assert mine.read_text() == "mine"
        assert not (tmp_path / "none.json").exists()
        place.rmdir() if place.is_dir() else place.unlink()


def test_files_that_cannot_be_read_have_their_codes(folder: Path, caller: Caller) -> None:
    def code(tool: str, **arguments: Any) -> str:
        return caller.ask(tool, **arguments)["error"]["code"]

    assert code("tree_load", path="none.json") == "file_not_found"
    (folder / "broken.json").write_text("{")
    assert code("tree_load", path="broken.json") == "invalid_json"
    (folder / "other.json").write_text("{}")
    assert code("tree_load", path="other.json") == "unsupported_version"
    with (folder / "large.json").open("wb") as stream:
        stream.truncate(1 << 30)
    assert code("tree_load", path="large.json") == "file_too_large"
    (folder / "folder.json").mkdir()
    assert code("tree_load", path="folder.json") == "invalid_path"
    caller.programs.allowed.add(7)
    assert code("tree_save", node_group_name="Kept", path="none/x.json") == "file_not_found"
    assert code("tree_save", node_group_name="None of these", path="x.json") == "unknown_node_group"
    (folder / "bad.toml").write_text("title = 3")
    assert code("preset_import", path="bad.toml") == "preset_invalid"
    assert code("preset_export", preset="wireframe", path="w.toml") == "invalid_argument"


def test_a_refusal_says_what_to_do_and_asks_nobody_for_nothing(folder: Path, caller: Caller) -> None:
    (folder / "a folder.json").mkdir()
    (folder / "there.json").write_text("{}")
    for tool, arguments, told in (
        ("tree_save", {"node_group_name": "Kept", "path": "there.json"}, ("there.json", "`overwrite`")),
        ("tree_save", {"node_group_name": "Kept", "path": "none/x.json"}, ("no folder none.",)),
        ("tree_save", {"node_group_name": "Kept", "path": "a folder.json", "overwrite": True}, ("is not a file",)),
        ("tree_save", {"node_group_name": "Kep", "path": "x.json"}, ("in project.blend", "“Kept”", "Did you mean")),
        ("tree_load", {"path": "none.json"}, ("none.json",)),
        ("apply_preset", {"preset": "wirefram"}, ("wireframe",)),
        ("tree_load", {"path": ""}, ("This path",)),
    ):
        answer = caller.ask(tool, **arguments)
        assert caller.programs.asked is None, (tool, arguments)
        message = answer["error"]["message"]
        assert all(word.strip("“”") in message for word in told), message
        assert str(folder) not in message, "a path of this computer tells who works here"


def test_long_calls_are_followed_by_a_rest(folder: Path, caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def long(_arguments: Any) -> dict[str, Any]:
        time.sleep(0.3)
        return {}

    monkeypatch.setitem(calls.READING, "picture", long)
    for number in (1, 2):
        caller.server.waiting.append({"id": number, "client": "Test", "session": 7, "tool": "picture", "arguments": {}})
    caller.programs.tick()
    assert len(caller.server.answers) == 1, "one a tick"
    caller.programs.tick()
    assert len(caller.server.answers) == 1, "Blender belongs to the artist for as long as the call took"
    time.sleep(0.6)
    caller.programs.tick()
    assert len(caller.server.answers) == 2


def test_texts_for_programs_name_no_folder_of_this_computer(folder: Path) -> None:
    root = os.path.realpath(folder)
    for text, named in (
        (f"There is no file {folder}/x.json.", "There is no file x.json."),
        (f"{root}/trees/x.json", "trees/x.json"),
        (f"{root} and {root}-other", f"the project's folder and {root}-other"),
        (f"{Path.home()}/x", "~/x"),
        ("a / b", "a / b"),
    ):
        assert project.named(text).replace(str(Path.home()), "~") == named.replace(str(Path.home()), "~")


def test_presets_come_and_go_as_files(folder: Path, caller: Caller) -> None:
    saved = presets.save("Project wires", bpy.data.node_groups["Kept"])
    try:
        caller.ask("preset_export", preset=saved["id"], path="wires.toml")
        assert caller.decide(True)["result"] == {"path": "wires.toml"}
        presets.delete(saved["id"])
        question = caller.ask("preset_import", path="wires.toml")
        assert "Project wires" in question.text
        assert caller.decide(True)["result"] == {"preset": saved["id"]}
        assert caller.ask("preset_import", path="wires.toml")["error"]["code"] == "file_exists"
        again = caller.ask("preset_import", path="wires.toml", overwrite=True)
        assert again.text == "replace the preset “Project wires” by that of wires.toml"
        caller.decide(False)
    finally:
        presets.delete(saved["id"])


def test_a_question_ends_with_its_file_and_when_the_artist_takes_over(folder: Path, caller: Caller) -> None:
    for ends in (caller.programs.take_over, caller.programs.leave_file):
        caller.programs.pause(False)
        caller.ask("tree_save", node_group_name="Kept", path="x.json")
        ends()
        assert caller.programs.asked is None
        assert caller.server.answers[1]["error"]["code"] == "cancelled"
        caller.programs.decide(True)
        assert not (folder / "x.json").exists()


def test_without_a_saved_file_there_is_no_project(folder: Path, caller: Caller) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    for tool in ("tree_load", "preset_import"):
        assert caller.ask(tool, path="x.json")["error"]["code"] == "no_project"
    with pytest.raises(AssistantError) as refused:
        project.folder()
    assert refused.value.code == "no_project"
    assert set(calls.WRITING) == {"tree_save", "preset_export", "preset_import"}
