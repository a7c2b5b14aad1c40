# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacing a file that somebody has open, which only Windows refuses."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from geonode_assistant.host import replacing


def held(monkeypatch: pytest.MonkeyPatch, system: str, times: int) -> list[str]:
    """A system in which the target is held the first ``times``; returns the list of attempts."""
    tried: list[str] = []

    def replace(source: str | Path, target: str | Path) -> None:
        tried.append(str(target))
        if len(tried) <= times:
            raise PermissionError(13, "in use")
        os.replace(source, target)

    monkeypatch.setattr(replacing, "os", SimpleNamespace(name=system, replace=replace))
    monkeypatch.setattr(replacing, "PAUSE_S", 0.001)
    return tried


def test_a_file_that_is_held_for_a_moment_is_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "new").write_text("new")
    (tmp_path / "old").write_text("old")
    tried = held(monkeypatch, "nt", 3)
    replacing.replace(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new" and len(tried) == 4


@pytest.mark.parametrize("system", ["nt", "posix"])
def test_one_that_stays_held_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str) -> None:
    (tmp_path / "new").write_text("new")
    monkeypatch.setattr(replacing, "PATIENCE_S", 0.01)
    tried = held(monkeypatch, system, 10**9)
    with pytest.raises(PermissionError):
        replacing.replace(tmp_path / "new", tmp_path / "old")
    assert len(tried) == 1 or system == "nt"
