# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the user's presets, read again only when one of them has changed."""

from __future__ import annotations

import contextlib
from pathlib import Path

from ..host import folders

ENDING = ".toml"
PICTURE = ".png"
_MOST_FILES = 500
_MOST_BYTES = 2_000_000

_Signature = tuple[tuple[str, int, int], ...]
_last: tuple[_Signature, list[dict[str, str]]] = ((), [])


def signature() -> _Signature:
    """Name, time and size of each file, in order: it changes whenever a file does."""
    found = []
    with contextlib.suppress(OSError):
        for path in sorted(folders.presets_folder().glob(f"*{ENDING}"))[:_MOST_FILES]:
            with contextlib.suppress(OSError):
                known = path.stat()
                if path.is_file() and known.st_size <= _MOST_BYTES:
                    found.append((str(path), known.st_mtime_ns, known.st_size))
    return tuple(found)


def read() -> list[dict[str, str]]:
    """``{"name", "text"}`` of each file; those that cannot be read as UTF-8 are left out."""
    global _last
    now = signature()
    if now != _last[0]:
        files = []
        for path in (Path(name) for name, _, _ in now):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                files.append({"name": path.name, "text": path.read_text("utf-8")})
        _last = (now, files)
    return list(_last[1])
