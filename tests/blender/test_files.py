# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are checked before Blender opens them, and results are written completely or not at all."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import bpy
import pytest
from geonode_assistant.cli.outputs import OutputFolder
from geonode_assistant.host import blendfile
from geonode_assistant.messages import AssistantError

HERE = bpy.app.version[:2]


@pytest.fixture(params=["plain", "compressed", "gzip"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of this Blender, in each compression that Blender can save."""
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=request.param == "compressed")
    if request.param == "gzip":
        path.write_bytes(gzip.compress(path.read_bytes()))
    return path


def refusal(path: Path, blender: tuple[int, int] = HERE) -> AssistantError:
    with pytest.raises(AssistantError) as caught:
        blendfile.check(path, blender)
    assert str(path) in caught.value.message
    return caught.value


def test_a_file_of_this_blender_is_accepted(saved: Path) -> None:
    assert blendfile.check(saved, HERE).version == HERE


def test_a_file_of_a_newer_blender_is_refused(saved: Path) -> None:
    older = (HERE[0], HERE[1] - 1)
    error = refusal(saved, older)
    assert error.code == "newer_blend"
    assert f"{HERE[0]}.{HERE[1]}" in error.message


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.995])
def test_a_truncated_file_is_refused(saved: Path, share: float) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * share)])
    assert refusal(saved).code == "damaged_blend"


def test_a_file_overwritten_in_the_middle_is_refused_or_readable(saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    for at in range(17, len(content) - 64, len(content) // 40):
        broken = content.copy()
        broken[at : at + 64] = b"\xff" * 64
        saved.write_bytes(broken)
        try:
            blendfile.check(saved, HERE)
        except AssistantError as error:
            assert error.code in ("damaged_blend", "not_a_blend", "newer_blend")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "not_a_blend"),
        (b"BLEND", "not_a_blend"),
        (b"BLENDER", "not_a_blend"),
        (b"\x89PNG\r\n\x1a\n", "not_a_blend"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 50, "not_a_blend"),
        (b"\x1f\x8b" + b"x" * 50, "not_a_blend"),
        (gzip.compress(b"hello"), "not_a_blend"),
        (b"BLENDER-v405", "damaged_blend"),
        (b"BLENDER_V249" + b"DATA\xff\xff\xff\xff" + b"\0" * 12, "damaged_blend"),
        (b"BLENDER17-01v0500", "damaged_blend"),
        (b"BLENDER-v405ENDB" + b"\0" * 20, "damaged_blend"),
        (b"BLENDER17-01v9900", "newer_blend"),
        (b"BLENDER-v999", "newer_blend"),
    ],
)
def test_files_that_are_not_blend_files_are_refused(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "thing.blend"
    path.write_bytes(content)
    if HERE < (5, 0) and code == "damaged_blend" and b"v0500" in content:
        code = "newer_blend"
    if HERE < (4, 5) and content.startswith(b"BLENDER-v405"):
        code = "newer_blend"
    assert refusal(path).code == code


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nope.blend").code == "file_not_found"
    assert refusal(tmp_path).code == "not_a_blend"
    assert refusal(tmp_path / ("x" * 300)).code in ("internal_error", "file_not_found", "invalid_path")


def test_results_appear_together_and_no_temporary_files_stay(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path / "a" / "b")
    folder.prepare()
    folder.stage("result.blend").write_bytes(b"1")
    folder.stage_json("report.json", {"text": "ü\udc80"})
    names = {path.name for path in (tmp_path / "a" / "b").iterdir()}
    assert not names & {"result.blend", "report.json"}
    folder.publish()
    folder.discard()
    assert {path.name for path in (tmp_path / "a" / "b").iterdir()} == {"result.blend", "report.json"}
    json.loads((tmp_path / "a" / "b" / "report.json").read_text(errors="surrogatepass"))


def test_discarding_keeps_earlier_results(tmp_path: Path) -> None:
    (tmp_path / "result.blend").write_bytes(b"old")
    folder = OutputFolder(tmp_path)
    folder.prepare()
    folder.stage("result.blend").write_bytes(b"half")
    folder.discard()
    assert [path.name for path in tmp_path.iterdir()] == ["result.blend"]
    assert (tmp_path / "result.blend").read_bytes() == b"old"


def test_the_input_is_never_an_output(tmp_path: Path) -> None:
    source = tmp_path / "result.blend"
    source.write_bytes(b"mine")
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    for folder in (tmp_path, link, tmp_path / "x" / ".."):
        with pytest.raises(AssistantError) as caught:
            OutputFolder(folder, source).prepare()
        assert caught.value.code == "invalid_path"
    assert source.read_bytes() == b"mine"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nothing")):
        if folder.parts[1] == "proc" and not os.path.isdir("/proc"):
            continue
        with pytest.raises(AssistantError) as caught:
            OutputFolder(folder).prepare()
        assert caught.value.code == "output_not_writable"
        assert "--out" in caught.value.hint
