# SPDX-License-Identifier: GPL-3.0-or-later
"""Set-up for all Python tests: a private folder for keys and the audit log, and a safe end of Blender's module."""

from __future__ import annotations

import os
import sys
import tempfile

import pytest

# Tests must not touch the keys and the audit log of the person who runs them. Child processes inherit the variable.
_HOME = tempfile.TemporaryDirectory(prefix="geonode-tests-")
os.environ["GEONODE_ASSISTANT_HOME"] = _HOME.name

_status = pytest.StashKey[int]()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keeps the exit status for ``pytest_unconfigure``."""
    session.config.stash[_status] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes the folder, and leaves at once if Blender's module is loaded.

    Some builds of the module hang while the interpreter shuts down; every report is written by now.
    """
    _HOME.cleanup()
    if "bpy" in sys.modules and _status in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[_status])
