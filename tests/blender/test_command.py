# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input at the command line: one clear message with a code, a non-zero exit, and nothing changed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import bpy
import pytest
from commands import PATIENCE_S, command, environment, geonode


def folder_state(folder: Path) -> dict[str, str]:
    """Every file below the folder with the hash of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with Blender's own starting scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    path = tmp_path_factory.mktemp("scene") / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("run",),
        ("fly",),
        ("run", "x", "--timeout", "soon"),
        ("run", "x", "--timeout", "-1"),
        ("run", "x", "--what"),
    ],
)
def test_an_invalid_command_line_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    outcome = geonode(*arguments, cwd=tmp_path)
    assert outcome.code == "invalid_argument"
    assert "hint: See python -m geonode_assistant" in outcome.err
    assert outcome.status == 2
    assert folder_state(tmp_path) == {}


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("retries", "NAME=VALUE"),
        ("retrys=1", "Did you mean “retries”?"),
        ("retries=99", "from 0 to 10"),
        ("python=maybe", "“python”"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, setting: str, said: str) -> None:
    outcome = geonode("run", "scatter 3 cubes on the plane", "--set", setting, cwd=tmp_path)
    assert outcome.code in ("setting_invalid", "invalid_argument") and said in outcome.err, outcome.err
    assert outcome.status != 0


def test_settings_reach_the_run(tmp_path: Path) -> None:
    prompt = "scatter 300 cubes on the plane"
    outcome = geonode("run", prompt, "--set", "max_elements=10", "--set", "python=off", "--out", "o", cwd=tmp_path)
    assert outcome.code == "approval_required", outcome.err


def test_a_key_that_was_put_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    key = "sk-aBcDeFgHiJkLmNoPqRsT"
    outcome = geonode("run", "x", "--provider", "openai", "--model", "m", "--key-variable", key, cwd=tmp_path)
    assert outcome.code == "auth_missing" and key not in outcome.err + outcome.out, outcome.err


def test_help_needs_no_blender(tmp_path: Path) -> None:
    outcome = geonode("run", "--help", cwd=tmp_path)
    assert outcome.status == 0
    for option in ("--blend", "--object", "--provider", "--model", "--base-url", "--out", "--yes", "--timeout"):
        assert option in outcome.out


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("missing.blend", None, "file_not_found"),
        ("picture.blend", b"\x89PNG\r\n\x1a\n", "not_a_blend"),
        ("empty.blend", b"", "not_a_blend"),
        ("newer.blend", b"BLENDER17-01v9901", "newer_blend"),
        ("newer4.blend", b"BLENDER-v999RENDH", "newer_blend"),
        ("cut.blend", b"BLENDER-v402", "damaged_blend"),
    ],
)
def test_a_file_that_cannot_be_opened(tmp_path: Path, name: str, content: bytes | None, code: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = folder_state(tmp_path)
    outcome = geonode("run", "scatter 5 rocks", "--blend", name, "--out", "out", cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, code)
    assert "hint: " in outcome.err
    assert folder_state(tmp_path) == before


def test_output_and_input_are_the_same_file(tmp_path: Path, scene: Path) -> None:
    shutil.copy(scene, tmp_path / "result.blend")
    before = folder_state(tmp_path)
    outcome = geonode("run", "scatter 5 rocks", "--blend", "result.blend", "--out", ".", cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, "invalid_path")
    assert folder_state(tmp_path) == before


def test_output_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    outcome = geonode("run", "scatter 5 rocks", "--out", "out", cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, "output_not_writable")
    assert (tmp_path / "out").read_text() == "mine"


def private_mount(options: str, folder: Path) -> tuple[str, ...]:
    """A command prefix that mounts a private file system at ``folder``; skips the test if that is not allowed."""
    prefix = ("unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o {options} none "{folder}" && exec "$@"', "sh")
    try:
        allowed = subprocess.run([*prefix, "true"], capture_output=True, timeout=20, check=False).returncode == 0
    except OSError:
        allowed = False
    if not allowed:
        pytest.skip("this system does not let a test mount a file system")
    return prefix


def test_output_is_read_only(tmp_path: Path) -> None:
    folder = tmp_path / "readonly"
    folder.mkdir()
    prefix = private_mount("ro,size=1m", folder)
    outcome = geonode("run", "scatter 5 rocks", "--out", folder, cwd=tmp_path, prefix=prefix)
    assert (outcome.status, outcome.code) == (1, "output_not_writable")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path, scene: Path) -> None:
    shutil.copy(scene, tmp_path / "closed.blend")
    (tmp_path / "closed.blend").chmod(0)
    outcome = geonode("run", "scatter 5 rocks", "--blend", "closed.blend", cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, "permission_denied")


@pytest.mark.parametrize(
    ("content", "code"), [(None, "file_not_found"), ("{", "manifest_invalid"), ("{}", "manifest_invalid")]
)
def test_a_file_that_is_not_a_manifest_is_refused(tmp_path: Path, content: str | None, code: str) -> None:
    if content is not None:
        (tmp_path / "m.json").write_text(content)
    outcome = geonode("e2e", "m.json", cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, code)


REFUSED = {"manifest": 1, "name": "refused", "prompt": "fly", "timeout_s": 60, "expect": {"status": "error"}}


def test_a_broken_manifest_fails_and_the_others_are_run(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    good = {
        "manifest": 1,
        "name": "refused",
        "prompt": "fly to the moon",
        "timeout_s": 60,
        "expect": {"status": "error"},
    }
    (tmp_path / "good.json").write_text(json.dumps(good))
    outcome = geonode("e2e", "broken.json", "good.json", "--report", "r.json", "--progress", "p.jsonl", cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, "manifest_invalid")
    assert "PASS refused" in outcome.out and "1 of 2 manifests passed" in outcome.out
    reports = json.loads((tmp_path / "r.json").read_text())["manifests"]
    assert [report["ok"] for report in reports] == [False, True]
    assert reports[0]["error"]["code"] == "manifest_invalid"
    told = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert [sorted(event) for event in told] == [["started"], ["finished", "report"]] * 2
    assert told[3]["report"] == reports[1]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_manifests_within_a_second_with_a_report_of_those_that_ran(tmp_path: Path) -> None:
    good = {
        "manifest": 1,
        "name": "refused",
        "prompt": "fly to the moon",
        "timeout_s": 60,
        "expect": {"status": "error"},
    }
    (tmp_path / "good.json").write_text(json.dumps(good))
    # Until the end of time: a server that never answers.
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        line = command("e2e", "good.json", "--provider=openai-compatible", "--model=m", f"--base-url={address}")
        line += ["--report", "r.json", "--progress", "p.jsonl"]
        running = subprocess.Popen(
            line, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        silent.settimeout(PATIENCE_S)
        asked, _ = silent.accept()
        interrupted = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE_S)
        asked.close()
    assert running.returncode == 130, err
    assert b"error [cancelled]" in err
    assert time.monotonic() - interrupted < 1.5
    assert json.loads((tmp_path / "r.json").read_text()) == {"manifests": []}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.json", "p.jsonl", "r.json"]


def test_an_unwritable_debug_file_is_reported(tmp_path: Path) -> None:
    outcome = geonode("run", "x", "--debug", "no/such/folder/log", cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, "output_not_writable")
