# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in each Blender's own Python: `target/env/<version>/bin/python -m pytest tests/host`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

# Keys and the audit log of whoever runs the tests are left alone.
_HOME = tempfile.TemporaryDirectory(prefix="geonode-tests-")
os.environ["GEONODE_ASSISTANT_HOME"] = _HOME.name

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "addon"), str(Path(__file__).resolve().parent)]

import bpy  # noqa: E402


@pytest.fixture
def empty() -> None:
    """A file with a scene and nothing else."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture
def starter() -> None:
    """The starter scene."""
    from geonode_assistant.host.starter import build_starter_scene

    build_starter_scene()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """The 4.5 module may hang at exit: leave without it, once everything is reported."""
    _HOME.cleanup()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(getattr(config, "geonode_status", 0)))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keeps the status for `pytest_unconfigure`."""
    session.config.geonode_status = int(exitstatus)  # type: ignore[attr-defined]
