# SPDX-License-Identifier: GPL-3.0-or-later
"""One headless Blender for all peers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from serving import Blender, running  # noqa: E402


@pytest.fixture(scope="session")
def blender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Blender]:
    with running(tmp_path_factory.mktemp("project")) as found:
        yield found
