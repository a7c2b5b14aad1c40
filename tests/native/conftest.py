# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the native tests: a scripted host, a model server, and runs on them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from chat_server import Endpoint  # noqa: E402
from scripted_host import Host  # noqa: E402

CATALOGUE = Path(__file__).parents[2] / "addon/geonode_assistant/data/catalogue/5.2.json"


@pytest.fixture
def catalogue() -> str:
    """Path of the shipped catalogue of Blender 5.2."""
    return str(CATALOGUE)


@pytest.fixture
def host() -> Host:
    """A host with a new scene."""
    return Host()


@pytest.fixture
def start(catalogue: str) -> Callable[..., Any]:
    """Starts a run: `start(prompt, **request)`."""
    import geonode_core

    def make(prompt: str = "", **request: Any) -> Any:
        return geonode_core.Run({"prompt": prompt, "catalogue": catalogue, **request})

    return make


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A model server on this machine."""
    server = Endpoint()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()
