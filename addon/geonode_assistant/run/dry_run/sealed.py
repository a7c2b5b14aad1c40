# SPDX-License-Identifier: GPL-3.0-or-later
"""A trial's process inside the sandbox of the operating system, where there is one, and what it may read there."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable
from pathlib import Path

from ... import native

# Over all cores; the watcher looks at the clock on the wall.
CPU_S_PER_S = os.cpu_count() or 1
FILE_MB = 256
LOOK_S = 0.01


class SealedProcess:
    """The subset of ``Popen``'s interface that a trial needs, for a sandboxed process."""

    def __init__(
        self,
        command: list[str],
        folder: Path,
        output: str,
        environment: dict[str, str],
        readable: list[str],
        seconds: float,
    ) -> None:
        """Begins it; ``AssistantError`` (``sandbox_unavailable``) where there is no sandbox."""
        self._sealed = native.core().Sealed.start(
            command,
            environment=environment,
            folder=str(folder),
            output=output,
            readable=readable,
            cpu_seconds=max(1, round(seconds * CPU_S_PER_S)),
            file_mb=FILE_MB,
        )

    @property
    def pid(self) -> int | None:
        """None before it has begun, and after its end."""
        return self._sealed.pid

    def poll(self) -> int | None:
        """As of ``Popen``; raises when it could not be started."""
        return self._sealed.poll()

    def kill(self) -> None:
        """Ends it with all that it began."""
        self._sealed.kill()

    def wait(self) -> int:
        """Waits for its end; not for Blender's main thread."""
        while (status := self.poll()) is None:
            time.sleep(LOOK_S)
        return status


Process = subprocess.Popen[bytes] | SealedProcess


def programs() -> list[str]:
    """Where this Python, its packages and the add-on lie."""
    paths = sysconfig.get_paths()
    python = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    package = str(Path(__file__).parents[2])
    return [*python, str(Path(sys.prefix) / "pyvenv.cfg"), package]


def within_reason(folders: Iterable[str]) -> list[str]:
    """Those that hold neither the artist's home nor the whole disk: a program may lie anywhere."""
    home = Path.home().resolve()
    found = (Path(folder).resolve() for folder in folders if folder)
    return sorted({str(folder) for folder in found if folder != home and folder not in home.parents})
