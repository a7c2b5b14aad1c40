# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the command line in a separate process, as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
# The time limit of a command, in seconds; the first start of Blender on a busy machine takes most of it.
PATIENCE_S = 180


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def code(self) -> str | None:
        """The code of the one error line."""
        lines = [line for line in self.err.splitlines() if line.startswith("error [")]
        assert len(lines) <= 1, self.err
        return lines[0].removeprefix("error [").partition("]")[0] if lines else None


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "addon"), os.environ.get("PYTHONPATH", "")])}


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "geonode_assistant", *map(str, arguments)]


def geonode(*arguments: str | Path, cwd: Path, prefix: tuple[str, ...] = ()) -> Outcome:
    """Runs ``python -m geonode_assistant …`` and asserts that its output has no traceback."""
    done = subprocess.run(
        [*prefix, *command(*arguments)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    out, err = (stream.decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr))
    assert "Traceback" not in out + err, out + err
    return Outcome(done.returncode, out, err)
