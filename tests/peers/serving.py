# SPDX-License-Identifier: GPL-3.0-or-later
"""Headless Blenders for the peers, as processes in an environment of their own: the tests themselves run without."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# `cargo xtask test --only peers` says which Python has Blender as a module.
PYTHON = os.environ.get("GEONODE_BLENDER_PYTHON", str(ROOT / "target" / "env" / "5.2" / "bin" / "python"))


@dataclass
class Blender:
    """A Blender that serves programs."""

    url: str
    socket: str
    token: str
    pid: int
    agents: Path
    command: dict[str, Any]
    folder: Path

    @property
    def headers(self) -> dict[str, str]:
        """What admits a client."""
        return {"Authorization": f"Bearer {self.token}"}

    @contextlib.contextmanager
    def artist(self, mood: str) -> Iterator[None]:
        """The artist rejects (``reject``) or does not answer (``wait``) meanwhile."""
        flag = self.folder / mood
        flag.touch()
        try:
            yield
        finally:
            flag.unlink(missing_ok=True)


@contextlib.contextmanager
def running(folder: Path, resources: Path | None = None, *, fixtures: bool = False) -> Iterator[Blender]:
    """A Blender with its file in ``folder``; with ``fixtures`` it also offers what the conformance suite calls."""
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(resources or folder / "resources")}
    command = [PYTHON, str(HERE / "blender.py"), str(folder), *(["fixtures"] if fixtures else [])]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, encoding="utf-8"
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("{"):
                break
        else:
            pytest.fail("Blender did not start: " + "".join(lines[-20:]))
        found = json.loads(line)
        kept = {name: found[name] for name in ("url", "socket", "token", "pid", "command")}
        try:
            yield Blender(**kept, agents=Path(found["agents"]), folder=folder)
        finally:
            process.stdin.close()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
