# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the add-on in a real Blender; run them with each supported version's Python."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Keys and the audit log of whoever runs the tests are left alone.
_HOME = tempfile.TemporaryDirectory(prefix="geonode-tests-")
os.environ["GEONODE_ASSISTANT_HOME"] = _HOME.name

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "addon"), str(Path(__file__).parent)]

from geonode_assistant.run import session  # noqa: E402


@pytest.fixture(autouse=True)
def own_session() -> Iterator[None]:
    """Each test meets a session in which nothing was run, and leaves no run behind."""
    session.current.reset("")
    yield
    session.current.close()
    session.current.reset("")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    # Some builds of the bpy module hang while the interpreter shuts down; every report is written by now.
    status = getattr(config, "geonode_status", None)
    if status is not None:
        _HOME.cleanup()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.geonode_status = int(exitstatus)
