# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the native tests: a scripted host, and runs on it."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Keys and the audit log of whoever runs the tests are left alone.
_HOME = tempfile.TemporaryDirectory(prefix="geonode-tests-")
os.environ["GEONODE_ASSISTANT_HOME"] = _HOME.name

sys.path.insert(0, str(Path(__file__).parent))

from scripted_host import Host  # noqa: E402

CATALOGUE = Path(__file__).parents[2] / "addon/geonode_assistant/data/catalogue/5.2.json"


@pytest.fixture
def catalogue() -> str:
    """The shipped nodes of Blender 5.2."""
    return str(CATALOGUE)


@pytest.fixture
def host() -> Host:
    """A fresh scene."""
    return Host()


@pytest.fixture
def start(catalogue: str) -> Callable[..., Any]:
    """Starts a run: `start(prompt, **request)`."""
    import geonode_core

    def make(prompt: str = "", **request: Any) -> Any:
        return geonode_core.Run({"prompt": prompt, "catalogue": catalogue, **request})

    return make
