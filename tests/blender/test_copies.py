# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of the file before scripts: there when they are wanted, as the file was, and without one no script runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant.run import copies, kept, starting
from whole_file import empty, fresh_scene, lift, plan

pytestmark = pytest.mark.usefixtures("untried")

MOVES = 'import bpy\nbpy.data.objects["Cube"].location.x = 7\nprint("moved")\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fresh_scene()
    monkeypatch.setattr(copies.folders, "own_folder", lambda: tmp_path)
    monkeypatch.setattr(copies, "wanted", lambda: True)
    return tmp_path / copies.FOLDER


def run(*steps: dict[str, Any]) -> Any:
    whole = {"version": "1.1", "steps": list(steps), "done": True, "final_message": "Done."}
    return starting.run("x", provider="replay", replies=[whole], approve="all", settings={"python": "safe"})


def script(code: str = MOVES) -> dict[str, Any]:
    return {"id": "script", "type": "PYTHON", "description": "Do it", "payload": {"code": code}}


def x_in(file: Path) -> float:
    """Where the cube is in a file."""
    with bpy.data.libraries.load(str(file)) as (there, here):
        assert "Cube" in there.objects
        here.objects = ["Cube"]
    [cube] = here.objects
    return cube.location.x


def test_a_copy_holds_the_file_as_it_was_and_is_said(folder: Path) -> None:
    before = bpy.data.objects["Cube"].location.x
    report = run(script())
    assert report.ok and bpy.data.objects["Cube"].location.x == 7, report.messages
    [file] = folder.iterdir()
    [step] = report.steps
    assert step["message"].splitlines() == [copies.told(file.name), "moved"]
    assert str(folder) not in step["message"], "it may be told to a model"
    assert x_in(file) == before != 7
    assert bpy.data.filepath != str(file)


def test_without_the_copy_no_script_runs(folder: Path) -> None:
    folder.write_text("in the way")
    before = bpy.data.objects["Cube"].location.x
    report = run(script())
    assert not report.ok and bpy.data.objects["Cube"].location.x == before
    assert report.error["code"] == "output_not_writable" and "Copy Before Scripts" in report.error["text"]


def test_only_scripts_are_worth_a_copy_and_only_where_wanted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty()
    fresh_scene()
    assert run(*plan(*lift())["steps"]).ok
    fresh_scene()
    monkeypatch.setattr(copies, "wanted", lambda: False)
    assert run(script()).ok
    assert not folder.exists()


def test_the_newest_copies_are_kept_and_all_can_be_removed(folder: Path) -> None:
    folder.mkdir()
    for number in range(copies.MOST + 2):
        old = folder / f"old {number}{copies.ENDING}"
        old.write_bytes(b"")
        os.utime(old, (number, number))
    made = copies.save()
    found = {path.name for path in folder.iterdir()}
    assert len(found) == copies.MOST and made.name in found and f"old 2{copies.ENDING}" not in found
    assert f"old {copies.MOST + 1}{copies.ENDING}" in found
    assert copies.save() != copies.save(), "within one second too"
    assert kept.remove() >= copies.MOST and not folder.exists()
