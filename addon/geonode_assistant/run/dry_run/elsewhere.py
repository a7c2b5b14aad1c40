# SPDX-License-Identifier: GPL-3.0-or-later
"""Another Blender that writes the catalogue of this build, which takes seconds in which a window would stand still."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bpy

from . import job as jobs
from . import process, trial

_PACKAGE = Path(__file__).parents[2]
_EXPRESSION = """
import sys
import bpy
sys.path.insert(0, {here!r})
from process import add_on
add_on({package!r})
from geonode_assistant.host import catalogue
catalogue.write_into({folder!r})
"""


def begin(folder: Path) -> subprocess.Popen[bytes]:
    """Starts the process that writes the catalogue into this folder. Raises OSError when it cannot be started."""
    folder.mkdir(parents=True, exist_ok=True)
    expression = _EXPRESSION.format(here=str(Path(process.__file__).parent), package=str(_PACKAGE), folder=str(folder))
    command = [sys.executable, "-I", "-c", expression]
    if bpy.app.binary_path:
        quiet = ["--background", "--factory-startup", "--disable-autoexec", "--offline-mode", "-noaudio"]
        command = [bpy.app.binary_path, *quiet, "--python-exit-code", "9", "--python-expr", expression]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=trial.environment(Path(bpy.app.tempdir)),
        creationflags=jobs.NO_WINDOW if sys.platform == "win32" else 0,
    )
