# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the user's presets, read again only when one of them has changed."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

from ..host import folders

ENDING = ".toml"
PICTURE = ".png"
_MOST_FILES = 500
_MOST_BYTES = 2_000_000

# A quoted text in TOML, whose escapes are those of JSON.
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')

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


def renamed(text: str, old: str, new: str) -> str:
    """The text of a preset with another title, wherever its head and the words of its plan name it: in titles and
    sentences, and as the phrase that calls for it. Parameters and the page stay as they are.
    """
    head, mark, rest = text.partition("\n[[parameters]]")
    if not mark:
        head, mark, rest = text.partition("\n[plan]")
    before, plan, page = (mark + rest).rpartition("\n[plan]")
    told, opening, tree = page.partition("\npage = ")
    return "".join([_with(head, old, new), before, plan, _with(told, old, new), opening, tree])


def _with(text: str, old: str, new: str) -> str:
    """The text with the title replaced in all that is quoted."""

    def replaced(found: re.Match[str]) -> str:
        with contextlib.suppress(ValueError):
            said = json.loads(found[0])
            now = _phrase(new) or said if said == _phrase(old) else said.replace(old, new)
            return json.dumps(now, ensure_ascii=False).replace("\x7f", "\\u007F")
        return found[0]

    return _QUOTED.sub(replaced, text)


def _phrase(title: str) -> str:
    """The words of a title as phrases have them."""
    return " ".join("".join(c.lower() if c.isalnum() else " " for c in title).split())
