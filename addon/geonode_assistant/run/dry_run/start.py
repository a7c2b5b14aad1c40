# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts a dry run: saves a copy of the open file, to which another Blender process applies the plan, or of which it
takes a picture.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bpy

from ... import native
from ...host import addresses, census, mainfile
from ...host.errors import HostError
from . import process
from . import sealed as sealing
from .trial import REPORT, Trial

PREFIX = "geonode-dry-run-"


def start(
    plan: dict[str, Any],
    catalogue: str,
    seconds: int,
    megabytes: int,
    sealed: bool = False,
    exact: Iterable[int] = (),
) -> Trial:
    """Saves the copy and starts the process, sealed where the system has a sandbox. The open file keeps its path, its
    unsaved changes and its undo steps.

    ``sealed``: without a sandbox nothing is tried. ``exact``: indices of the steps that mean exactly the tree that they
    name. Raises ``sandbox_unavailable`` where there is none, ``output_not_writable`` if the copy cannot be saved,
    ``execution_failed`` if the process does not start.
    """
    missing = _missing()
    if sealed and missing is not None:
        raise HostError("sandbox_unavailable", f"The script could not be tried. {missing}")
    job = {
        "plan": plan,
        "exact": list(exact),
        "catalogue": catalogue,
        "without_users": census.without_users(),
        "situation": addresses.situation(),
    }
    return begin(job, seconds, megabytes, readable(catalogue) if missing is None else None)


def take_picture(wanted: dict[str, Any], seconds: int, megabytes: int) -> Trial:
    """Starts a process in the same way that makes the picture ``PICTURE`` as ``host.picture.render`` (``object, view,
    size``) or ``host.picture.through_camera`` (``scene, size``) does; raises as ``start``.
    """
    return begin({"picture": wanted}, seconds, megabytes, readable() if _missing() is None else None)


def begin(
    job: dict[str, Any], seconds: int, megabytes: int, readable: list[str] | None, program: str = process.__file__
) -> Trial:
    """Saves the copy and starts the process that does the job, of which ``program`` is the Python file; with
    ``readable``, the files that it may read, it is sealed. Raises as ``start``.
    """
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=bpy.app.tempdir or None))
    try:
        copy = folder / "copy.blend"
        with mainfile.without_preview():
            mainfile.save_copy(copy, compress=False)
        job = {
            **job,
            "blend": str(copy),
            "seconds": seconds,
            "megabytes": megabytes,
            "sealed": readable is not None,
            "report": str(folder / REPORT),
            "package": str(Path(__file__).parents[2]),
            "path": [*_core_folder(), *(entry for entry in sys.path if Path(entry).is_absolute())],
        }
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        files = [*readable, *mainfile.external_files()] if readable is not None else None
        return Trial(_command(program, folder / "job.json"), folder, seconds, megabytes, files)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, HostError):
            raise HostError(error.code, f"The copy of the file could not be saved: {error.message}") from error
        if isinstance(error, OSError):
            raise HostError("execution_failed", f"Another Blender could not be started: {error}.") from error
        raise


def _missing() -> str | None:
    """Why there is no sandbox."""
    return native.core().sandbox_missing()


def readable(catalogue: str = "") -> list[str]:
    """What another Blender of this kind loads, besides the libraries of the system."""
    binary = bpy.app.binary_path or bpy.__file__ or ""
    blender = [os.path.dirname(binary), *(bpy.utils.resource_path(kind) for kind in ("SYSTEM", "LOCAL"))]
    own = [catalogue] if os.path.isfile(catalogue) else []
    return sealing.within_reason([*blender, *sealing.programs(), *_core_folder(), *own])


def _core_folder() -> list[str]:
    """The folder of the native core, which the other Blender needs: it does not load this one's extensions."""
    import geonode_core

    file = geonode_core.__file__
    return [str(Path(file).parents[1])] if file else []


def _command(program: str, job: Path) -> list[str]:
    if not bpy.app.binary_path:
        return [sys.executable, "-I", program, str(job)]
    quiet = ["--background", "--factory-startup", "--disable-autoexec", "--offline-mode", "-noaudio"]
    return [bpy.app.binary_path, *quiet, "--python-exit-code", "9", "--python", program, "--", str(job)]
