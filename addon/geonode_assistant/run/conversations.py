# SPDX-License-Identifier: GPL-3.0-or-later
"""Which conversation a saved .blend file belongs to, so that it continues when the file is opened again. Nothing is
written into the file itself, and its path is kept only as a hash.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path

from .. import native
from ..host.replacing import replace

FOLDER = "conversations_of_files"
# The same number as the core's limit of kept conversations.
MOST = 200


def remember(folder: Path, file: str, conversation: str | None) -> None:
    """Records that ``file`` belongs to this conversation, or to none. A failure to write is ignored, so that saving the
    file never fails because of it.
    """
    place = _place(folder, file)
    with contextlib.suppress(OSError):
        if conversation is None:
            place.unlink(missing_ok=True)
            return
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=place.parent, suffix=".new", encoding="utf-8", delete=False) as new:
            json.dump({"conversation": conversation}, new)
        replace(new.name, place)
        _bound(place.parent)


def of_file(folder: Path, file: str) -> tuple[str, int] | None:
    """The conversation of a file and its number of turns; None if there is none or it cannot be read."""
    try:
        name = json.loads(_place(folder, file).read_text(encoding="utf-8"))["conversation"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    turns = native.core().conversation_turns(folder, name) if isinstance(name, str) else None
    return None if turns is None else (name, turns)


def _place(folder: Path, file: str) -> Path:
    path = os.path.normcase(os.path.realpath(file))
    return folder / FOLDER / f"{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()}.json"


def _bound(folder: Path) -> None:
    """Forgets the files whose last save is longest ago."""
    known = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in known[:-MOST]:
        path.unlink(missing_ok=True)
