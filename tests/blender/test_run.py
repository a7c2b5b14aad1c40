# SPDX-License-Identifier: GPL-3.0-or-later
"""The main job at the command line: a prompt in, three files out; or a clear refusal and nothing else."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import bpy
import pytest
from commands import PATIENCE_S, command, environment, geonode
from servers import closed_port, page, server
from test_command import folder_state, private_mount

PROMPT = "scatter 20 cubes on the plane"
RESULTS = {"result.blend", "result.png", "report.json"}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a plane, a cube, and a tree of the artist's."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(20, 0, 0))
    bpy.context.object.name = "Cube"
    bpy.ops.mesh.primitive_plane_add(size=10)
    bpy.context.object.name = "Plane"
    bpy.context.object.modifiers.new("Mine", "SUBSURF").levels = 0
    path = tmp_path_factory.mktemp("scene") / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    return path


def test_a_prompt_gives_a_file_a_picture_and_a_report(tmp_path: Path, scene: Path) -> None:
    before = folder_state(scene.parent)
    outcome = geonode("run", PROMPT, "--blend", scene, "--out", tmp_path / "out", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert outcome.err == ""
    assert folder_state(scene.parent) == before
    assert {path.name for path in (tmp_path / "out").iterdir()} == RESULTS

    made, files, took = outcome.out.splitlines()[-3:]
    assert made.startswith("Made: Plane")
    assert "20 instances" in made
    assert all(name in files for name in RESULTS)
    assert took.startswith("Time: ")

    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert (report["status"], report["prompt"], report["provider"]) == ("done", PROMPT, "offline")
    assert report["gates"]["success"] is True
    assert report["measured"][0]["evaluated"]["instances"]["count"] == 20
    assert (tmp_path / "out" / "result.png").read_bytes().startswith(b"\x89PNG")

    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "result.blend"))
    modifiers = bpy.data.objects["Plane"].modifiers
    assert [modifier.type for modifier in modifiers] == ["SUBSURF", "NODES"]


def test_without_a_file_the_starter_scene_is_used(tmp_path: Path) -> None:
    outcome = geonode("run", *PROMPT.split(), cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert {path.name for path in (tmp_path / "geonode-run").iterdir()} == RESULTS


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("",), "prompt_empty"),
        ((" \n\t ",), "prompt_empty"),
        (("x" * 100_000,), "prompt_too_long"),
        ((PROMPT, "--object", "Nobody"), "unknown_object"),
        ((PROMPT, "--provider", "nobody"), "unknown_provider"),
        (("bake a cake with cherries",), "no_preset_match"),
        (
            (PROMPT, "--provider", "openai-compatible", "--model", "m", "--base-url", "http://example.com/v1"),
            "insecure_url",
        ),
    ],
)
def test_a_refusal_leaves_a_report_and_no_result(tmp_path: Path, scene: Path, arguments: tuple, code: str) -> None:
    before = folder_state(scene.parent)
    outcome = geonode("run", *arguments, "--blend", scene, "--out", tmp_path / "out", cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, code), outcome.err
    assert folder_state(scene.parent) == before
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.json"]
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["status"] == "error"
    assert code in {message["code"] for message in report["messages"]}


def test_a_failed_run_keeps_the_former_results(tmp_path: Path, scene: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "result.blend").write_bytes(b"former")
    outcome = geonode("run", "", "--blend", scene, "--out", out, cwd=tmp_path)
    assert outcome.status == 1
    assert (out / "result.blend").read_bytes() == b"former"
    assert {path.name for path in out.iterdir()} == {"result.blend", "report.json"}


def ask(base_url: str, out: Path, *more: str) -> tuple[str, ...]:
    remote = ("--provider", "openai-compatible", "--model", "m", "--base-url", base_url)
    return ("run", PROMPT, *remote, "--out", str(out), *more)


def test_an_endpoint_that_answers_a_web_page(tmp_path: Path) -> None:
    with server(page()) as base_url:
        outcome = geonode(*ask(base_url, tmp_path / "out"), cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, "bad_response"), outcome.err


def test_an_endpoint_that_is_down(tmp_path: Path) -> None:
    outcome = geonode(*ask(closed_port(), tmp_path / "out"), cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, "network"), outcome.err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.json"]


def test_an_endpoint_that_never_answers(tmp_path: Path) -> None:
    with server(None) as base_url:
        outcome = geonode(*ask(base_url, tmp_path / "out", "--timeout", "1"), cwd=tmp_path)
    assert (outcome.status, outcome.code) == (1, "run_timeout"), outcome.err
    assert "--timeout" in outcome.err


def test_an_interrupt_ends_the_run_cleanly(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with server(None) as base_url:
        process = subprocess.Popen(
            command(*ask(base_url, out)),
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            # The command checks that the folder is writable just before the run starts.
            limit = time.monotonic() + PATIENCE_S
            while not out.is_dir() and time.monotonic() < limit:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 130, err
    assert err.splitlines()[0].startswith("error [cancelled]")
    assert "Traceback" not in err
    assert not RESULTS & {path.name for path in out.iterdir()} - {"report.json"}


@pytest.mark.parametrize("size", ["8k", "64k"])
def test_a_full_disk(tmp_path: Path, scene: Path, size: str) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    listing = tmp_path / "listing"
    prefix = private_mount(f"size={size}", folder)
    # The mount is gone with the process, so it tells what is left there before it ends.
    shell = prefix[-2].replace('exec "$@"', f'{{ "$@"; status=$?; ls -A "{folder}" >"{listing}"; exit $status; }}')
    prefix = (*prefix[:-2], shell, prefix[-1])
    outcome = geonode("run", PROMPT, "--blend", scene, "--out", folder, cwd=tmp_path, prefix=prefix)
    assert (outcome.status, outcome.code) == (1, "disk_full"), outcome.err
    assert not set(listing.read_text().split()) & {"result.blend", "result.png"}
    assert not [name for name in listing.read_text().split() if name.startswith(".")]
