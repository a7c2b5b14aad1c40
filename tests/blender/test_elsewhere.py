# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of a build that none of ours is for, written by another Blender while the window goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bpy
import geonode_assistant
import pytest
from geonode_assistant import native
from geonode_assistant.host import catalogue, folders
from geonode_assistant.run.dry_run import elsewhere
from geonode_assistant.ui import properties, warming
from geonode_assistant.ui.panels import sidebar
from layouts import draw_sidebar


def test_another_blender_writes_it(tmp_path: Path) -> None:
    assert elsewhere.begin(tmp_path).wait(120) == 0
    [made] = tmp_path.glob("catalogue-*.json")
    shipped = catalogue.SHIPPED / "{}.{}.json".format(*bpy.app.version[:2])
    assert made.read_bytes() == shipped.read_bytes()


def test_it_begins_only_where_one_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    class Ended:
        def poll(self) -> int:
            return 0

    monkeypatch.setattr(folders, "own_folder", lambda: tmp_path)
    monkeypatch.setattr(elsewhere, "begin", lambda folder: begun.append(folder) or Ended())
    assert list(warming.catalogue_pieces()) == [] and begun == [], "this build has one"
    monkeypatch.setattr(catalogue, "build_hash", lambda: "0123456789ab")
    assert list(warming.catalogue_pieces()) == [] and begun == [tmp_path]


def test_one_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    monkeypatch.setattr(catalogue, "known", lambda _: None)
    monkeypatch.setattr(elsewhere, "begin", lambda _: endless)
    pieces = warming.catalogue_pieces()
    next(pieces)
    assert warming.is_writing()
    monkeypatch.setattr(warming.time, "monotonic", lambda: 1e12)
    assert list(pieces) == [] and not warming.is_writing() and endless.returncode is not None


def test_prompts_wait_for_it_and_the_panel_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    native.core()
    geonode_assistant.register()
    try:
        properties.edited().prompt = "scatter 20 cubes on the plane"
        monkeypatch.setattr(warming, "is_writing", lambda: True)
        waiting = draw_sidebar(width=2000)
        assert waiting[0] == sidebar.PREPARING and not bpy.ops.geonode.send.poll()
        monkeypatch.setattr(warming, "is_writing", lambda: False)
        assert len(draw_sidebar(width=2000)) == len(waiting), "nothing moves"
        assert draw_sidebar(width=2000)[0] == "geonode.send" and bpy.ops.geonode.send.poll()
    finally:
        geonode_assistant.unregister()
