# SPDX-License-Identifier: GPL-3.0-or-later
"""What the add-on keeps on this computer about the artist, and how it is removed. Keys and the audit log stay: the
former have their own button, the latter is evidence.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from ..host import folders
from ..messages import AssistantError, os_code
from . import conversations, copies, remembered

# Folders among the add-on's own that hold prompts, answers or scenes; descriptions of node types stay.
FOLDERS = ("conversations", conversations.FOLDER, "cache", copies.FOLDER)


def files(presets: bool = False) -> list[Path]:
    """The files that ``remove`` removes."""
    places = [folders.own_folder() / name for name in FOLDERS]
    if presets:
        places.append(folders.presets_folder())
    return sorted(path for place in places for path in place.rglob("*") if path.is_file())


def remove(presets: bool = False) -> int:
    """Removes conversations, replies, the history and copies of files, and on request the presets; returns how many
    files there were.

    Raises what ``os_code`` names where a file cannot be removed; the others are gone then.
    """
    found = files(presets)
    failed: OSError | None = None
    for path in found:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            failed = failed or error
    for name in FOLDERS:
        shutil.rmtree(folders.own_folder() / name, ignore_errors=True)
    remembered.current.runs.clear()
    if failed is not None:
        raise AssistantError(
            os_code(failed), f"{failed.filename} cannot be removed ({failed.strerror}).", "Check its permissions."
        )
    return len(found)
