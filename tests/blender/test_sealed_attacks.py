# SPDX-License-Identifier: GPL-3.0-or-later
"""The third wall alone: whoever owns the process of a trial reaches nothing outside of it, and forges no report."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import pytest
from commands import ROOT
from geonode_assistant.host import census, mainfile
from geonode_assistant.run.dry_run import start, trial

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
PATIENCE_S = 120.0
ATTACKS = Path(__file__).with_name("sealed_attacks.py")
REACHED = "REACHED"


def picture(file: Path) -> None:
    image = bpy.data.images.new("made", 8, 8)
    image.filepath_raw, image.file_format = str(file), "PNG"
    image.save()
    bpy.data.images.remove(image)


def named(file: Path) -> None:
    """The file that is open names this one as an image."""
    image = bpy.data.images.new(file.name, 8, 8)
    image.source, image.filepath, image.use_fake_user = "FILE", str(file), True


def ended(one: trial.Trial) -> None:
    limit = time.monotonic() + PATIENCE_S
    while one.poll() is None:
        assert time.monotonic() < limit
        time.sleep(0.05)


def test_plain_python_in_a_trial_reaches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.ops.wm.read_factory_settings()
    outside, home, readable = tmp_path / "outside", tmp_path / "home", tmp_path / "named.png"
    for folder in (outside, home / ".ssh", home / ".config"):
        folder.mkdir(parents=True)
    secret, private = outside / "secret.txt", home / ".ssh/id_ed25519"
    for file in (secret, private):
        file.write_text("canary")
    picture(readable)
    picture(outside / "picture.png")
    bpy.data.libraries.write(str(outside / "library.blend"), set(bpy.data.objects))
    named(readable)
    named(private)  # whoever made the file may name what is no picture
    given = mainfile.external_files()
    assert str(readable) in given and str(private) not in given
    monkeypatch.setenv("GEONODE_KEY", "canary")
    here, there = socket.socketpair()
    opened = [fcntl.fcntl(one, fcntl.F_DUPFD, 300) for one in (os.open(secret, os.O_RDONLY), here.fileno())]
    for number in opened:
        os.set_inheritable(number, True)
    before = {file: (file.read_bytes(), file.stat()) for file in (secret, private, readable)}

    attacked = {
        "outside": str(outside), "secret": str(secret), "readable": str(readable), "home": str(home), "open": opened,
    }  # fmt: skip
    own = str(ATTACKS)
    one = start.begin({"attacked": attacked}, 100, 2048, [*start.readable(), own], own)
    try:
        ended(one)
        report = json.loads(one.made(trial.REPORT))
    finally:
        one.stop(wait=True)
        for number in opened:
            os.close(number)
    assert "attacks" in report, report
    became = report["attacks"]
    page = (ROOT / "addon/docs/threat-model.md").read_text(encoding="utf-8")
    assert len(became) > 140 and f" {len(became)} ways of " in page
    assert [name for name, what in became.items() if what == REACHED] == []
    assert sorted(file.name for file in outside.iterdir()) == ["library.blend", "picture.png", "secret.txt"]
    there.setblocking(False)
    with pytest.raises(BlockingIOError):
        there.recv(1)
    for file, (contents, was) in before.items():
        now = file.stat()
        assert file.read_bytes() == contents
        assert (now.st_mode, now.st_uid, now.st_mtime_ns, now.st_ctime_ns) == (
            was.st_mode, was.st_uid, was.st_mtime_ns, was.st_ctime_ns,
        )  # fmt: skip


# -- what it may report


def told(**parts: Any) -> dict[str, Any]:
    return trial._result({"status": "done", "messages": [], **parts}, 1.0, 1)  # noqa: SLF001


def test_the_artist_reads_the_names_and_not_what_the_trial_says_of_them() -> None:
    names = {"made": {}, "removed": {"objects": ["Precious"]}}
    found = told(names=names, did=["Objects made: New"], said=["Printed: hello"])
    assert found["did"] == ["Objects removed: Precious", "Printed: hello"] and found["names"] == names
    many = {"removed": {f"kind_{n}": ["x"] for n in range(60)}}
    assert len(told(names=many, said=["x"] * 99)["did"]) == 60 + trial.LINES


@pytest.mark.parametrize(
    "names",
    [
        None, 3, [], "removed", {"removed": 3}, {"removed": []}, {"removed": {"objects": "Cube"}},
        {"removed": {"objects": [["Cube"]]}}, {"removed": {"objects": [3]}}, {"eaten": {"objects": ["Cube"]}},
        {"made": {"objects": None}}, {"changed": None},
    ],
)  # fmt: skip
def test_names_of_another_form_are_none(names: Any) -> None:
    found = told(names=names, records={"s": "{}"}, unrecorded=3)
    assert found["ok"] and not {"names", "records", "unrecorded"} & found.keys() and found["did"] == []
    json.dumps(found)


@pytest.mark.parametrize(
    "parts",
    [
        {"messages": 3}, {"messages": [3, None, {"severity": 3}]}, {"gates": []}, {"gates": {"failed_gates": 3}},
        {"made": {"x": 1}}, {"made": [3, "x" * 10**6]}, {"said": 3}, {"said": ["x"] * 10**5}, {"peak_mb": 1e300},
        {"peak_mb": 10**400}, {"peak_mb": "x"}, {"picture": 3}, {"records": 3}, {"records": []},
        {"seconds": float("nan")}, {"status": "error", "messages": [{"severity": "error", "code": 3, "text": []}]},
    ],
)  # fmt: skip
def test_reports_of_another_form_are_read_or_left_out(parts: dict[str, Any]) -> None:
    found = told(**{"names": {}, **parts})
    assert len(json.dumps(found)) < 60_000
    assert set(found) <= {
        "ok", "seconds", "peak_mb", "made", "did", "failed_gates", "picture", "names", "records", "unrecorded", "text",
        "code",
    }  # fmt: skip


def test_what_a_trial_leaves_is_removed_however_deep_it_lies(tmp_path: Path) -> None:
    folder = tmp_path / "left"
    folder.mkdir()
    (folder / "report.json").write_text("x")
    at = os.open(folder, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("deep", dir_fd=at)
        inner = os.open("deep", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    locked = folder / "locked"
    (locked / "inner").mkdir(parents=True)
    (locked / "file").write_text("x")
    locked.chmod(0o300)
    trial.remove(folder)
    assert not folder.exists()
    trial.remove(folder)  # nothing happens


def test_names_that_a_trial_reports_bind_as_they_are_shown() -> None:
    """What is held to names is held to the names that were told."""
    names = {"made": {"objects": ["New"]}}
    found = told(names=names)
    held = census.Held(found["names"])
    bpy.data.objects.new("New", None)
    held.check()
    assert found["did"] == ["Objects made: New"]
