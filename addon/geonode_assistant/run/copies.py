# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of the file before scripts change it, for artists who want them."""

from __future__ import annotations

import contextlib
import time
from itertools import count
from pathlib import Path

from ..host import folders, mainfile
from ..messages import AssistantError, os_code
from . import choices

FOLDER, ENDING = "copies", ".blend"
# The newest that are kept.
MOST = 10


def wanted() -> bool:
    """Whether the preferences ask for copies."""
    stored = choices.stored()
    return stored is not None and stored.copy_before


def place() -> Path:
    """The folder of the copies. It need not exist."""
    return folders.own_folder() / FOLDER


def save() -> Path:
    """Saves the open file as a copy and returns its path; older copies than the newest go.

    Raises what ``os_code`` names, or ``output_not_writable``: without the copy no script must begin.
    """
    folder = place()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        known = os_code(error)
        raise AssistantError(
            known if known != "internal_error" else "output_not_writable",
            f"The file cannot be copied before the script, because the folder {folder} cannot be made "
            f"({error.strerror or error}). Nothing was changed; “Copy Before Scripts” is in the preferences.",
        ) from error
    # The name of the file itself is nobody's business where this one is told.
    stem = time.strftime("%Y-%m-%d %H-%M-%S")
    names = (f"{stem}{f' {number}' if number else ''}{ENDING}" for number in count())
    made = next(path for path in (folder / name for name in names) if not path.exists())
    mainfile.save_copy(made, compress=True)
    _remove_old(folder)
    return made


def told(name: str) -> str:
    """What a report says of a copy of this name; empty without one."""
    return f"Before this, the file was saved as “{name}” in the folder of copies." if name else ""


def _remove_old(folder: Path) -> None:
    # What cannot be removed now is removed another time.
    with contextlib.suppress(OSError):
        known = sorted(folder.glob(f"*{ENDING}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in known[MOST:]:
            path.unlink()
