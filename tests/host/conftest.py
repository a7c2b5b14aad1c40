# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the host in each Blender's own Python: `target/env/<version>/bin/python -m pytest tests/host`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "addon"), str(Path(__file__).resolve().parent)]

import bpy  # noqa: E402


@pytest.fixture
def empty() -> None:
    """A file with an empty scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture
def starter() -> None:
    """The starter scene."""
    from geonode_assistant.host.starter import build_starter_scene

    build_starter_scene()
