# SPDX-License-Identifier: GPL-3.0-or-later
"""Ordinary scripts have the same effect in safe mode as plain `exec`; attempts that no rule sees do no harm."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import bpy
import geonode_core as core
import pytest
from file_state import differences, state
from geonode_assistant import scripting
from geonode_assistant.host import surroundings
from geonode_assistant.run import session
from geonode_assistant.scripting import alarm
from mesh_order import differences_but_order

ROOT = Path(__file__).resolve().parents[2]
FULL = bool(os.environ.get("GEONODE_FULL"))
VERSION = "{}.{}".format(*bpy.app.version[:2])
SCRIPTS = sorted((ROOT / "rust" / "script" / "corpus" / "scripts").glob("*/*.py"))
CONTAINED = sorted((ROOT / "rust" / "script" / "corpus" / "contained").glob("*/*.py"))
# A third stands for all where a neighbouring Blender runs every one; `--full` leaves none out.
RUN = SCRIPTS if FULL or VERSION not in {"4.2", "5.0"} else SCRIPTS[::3]
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
# Threads of Blender seldom end in the same order twice; that often plain runs are compared.
TRIES = 6
# Blender's operators number the elements of meshes by address, otherwise each time; what a script numbers itself stays.
NUMBERED_BY_BLENDER = ("bmesh", "bpy.ops")
# They print or keep times, or numbers of elements that Blender gave.
VARYING = {"numpy_fit", "statistics_report", "mesh_foreach"}


def fresh() -> None:
    session.current.close()
    session.current.reset("")
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    random.seed(1)
    bpy.ops.ed.undo_push(message="start")


def after(work: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    """The file after work in the starting scene, and what the work gave; numpy-free, so that `random` decides alone."""
    fresh()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = work()
    return state(), result


def plainly(source: str) -> Callable[[], str]:
    def work() -> str:
        out = io.StringIO()
        # A script in safe mode sees no arguments of the program.
        with contextlib.redirect_stdout(out), mock.patch.object(sys, "argv", ["blender"]):
            try:
                exec(compile(source, "<plain>", "exec"), {"__name__": "__main__"})
            except Exception as error:
                return type(error).__name__
        return out.getvalue()

    return work


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_an_ordinary_script_does_what_plain_python_does(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    expected = source.splitlines()[1].removeprefix("# expect: ok")
    if expected and VERSION not in expected.split():
        pytest.skip("for other versions of Blender")
    source = scripting.check_script(source).source  # older Pythons do not read the newest f-strings
    plain, printed = after(plainly(source))
    safe, result = after(safely(source))
    by_blender = any(word in source for word in NUMBERED_BY_BLENDER)

    def unlike(other: dict[str, Any]) -> list[str]:
        if by_blender:
            return differences_but_order(plain, other, is_noise)
        return [line for line in differences(plain, other) if not is_noise(line)]

    found = unlike(safe)
    for _ in range(TRIES):
        if not found:
            break
        # What is otherwise each time even in plain Python is Blender's own: seeds, what follows from an order.
        again, _ = after(plainly(source))
        varying = {group(line) for line in unlike(again)}
        found = [line for line in found if group(line) not in varying]
        assert len(varying) < 400
    assert found == [], "\n".join(found)
    if path.stem not in VARYING:
        assert result == printed


def group(line: str) -> str:
    """What a difference is about: the elements of a kind, in one data-block."""
    return line.split(":")[0].rsplit("/", 2)[0]


# Blender 5.0 leaves it to chance which edges of a new mesh are selected.
UNSET = re.compile(r"^/meshes/[^/]+/edges/\d+/select: ") if bpy.app.version[:2] == (5, 0) else None


def is_noise(line: str) -> bool:
    """Whether a difference is one of the last written digit: Blender computes normals on several threads."""
    if UNSET is not None and UNSET.match(line):
        return True
    _, _, values = line.partition(": ")
    before, arrow, after = values.partition(" → ")
    if not arrow or NUMBER.sub("#", before) != NUMBER.sub("#", after):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(after), strict=True)
    return all(abs(float(a) - float(b)) <= 2e-5 * max(1.0, abs(float(a))) for a, b in pairs)


def test_noise_is_told_from_a_difference() -> None:
    assert is_noise("/a/normal: '[-0.19139, 0.96217, 0.19393]' → '[-0.19139, 0.96216, 0.19393]'")
    assert not is_noise("/a/co: '[0.5, 1.0]' → '[0.5, 1.001]'")
    assert not is_noise("/a/name: 'Cube.001' → 'Sphere.001'")
    assert not is_noise("/a: 'x' is gone")


def safely(source: str) -> Callable[[], str]:
    def work() -> str:
        try:
            return scripting.run(source, timeout_ms=60_000).stdout
        except core.CoreError as error:
            assert error.code == "script_failed", error
            return error.details["exception"]

    return work


def test_there_are_enough_scripts() -> None:
    assert len(SCRIPTS) >= 140 and len(CONTAINED) >= 80


@pytest.mark.parametrize("path", CONTAINED, ids=lambda path: path.stem)
def test_an_attempt_that_no_rule_sees_does_no_harm(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails, is stopped, or does nothing that undo does not take back; no file appears."""
    monkeypatch.chdir(tmp_path)
    fresh()
    source = path.read_text(encoding="utf-8")
    alarm.prepare(source)  # loads what the script needs, which stays
    around = surroundings.Surroundings()
    before = sorted(obj.name for obj in bpy.data.objects)
    try:
        scripting.run(source, timeout_ms=300)
        bpy.ops.ed.undo()
    except core.CoreError as error:
        assert error.code in {"script_refused", "script_failed", "script_timeout", "script_memory"}, error
    assert around.put_back() == []
    assert list(tmp_path.iterdir()) == []
    assert sorted(obj.name for obj in bpy.data.objects) == before
