# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that other programs may name: those in the folder of the .blend file, reached without any trick."""

from __future__ import annotations

import os
import re
from pathlib import Path

from .. import native
from ..host import mainfile
from ..messages import AssistantError

# Names that mean a device, a stream or a drive to one of the systems; a project is taken from one to another.
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
_LONGEST = 200


def folder() -> Path:
    """The project's folder. Raises ``no_project`` while the file is unsaved."""
    path = mainfile.path()
    if not path:
        raise AssistantError("no_project", "The file has never been saved.", native.fix("no_project"))
    return Path(os.path.realpath(path)).parent


def inside(path: str, ending: str) -> Path:
    """The file of a relative path in the project's folder, with this ending; it need not exist.

    Raises ``no_project``, or ``invalid_path`` for absolute paths, ``..``, links, hidden files, names that a system
    reserves, and other endings.
    """
    root = folder()
    for wrong, why in (
        (not path or len(path) > _LONGEST, f"A path has 1 to {_LONGEST} characters"),
        (path.startswith(("/", "~")) or os.path.isabs(path), "Name the file from the project's folder on"),
        (_FORBIDDEN.search(path) is not None, "The path has characters that not every system takes"),
        (not path.isprintable(), "The path has characters that cannot be seen"),
        (not path.lower().endswith(ending), f"The name of such a file must end in {ending}"),
    ):
        if wrong:
            raise _refused(path, why)
    place = root
    for part in path.split("/"):
        if part.startswith(".") or part != part.strip(" .") or not part:
            raise _refused(path, "It does not lead straight to a file that is not hidden")
        if _RESERVED.fullmatch(part):
            raise _refused(path, f"“{part}” is a name that systems reserve")
        place = place / part
        if _is_link(place):
            raise _refused(path, "It leads through a link")
    if os.path.realpath(place) != str(place):
        raise _refused(path, "It leads out of the project's folder")
    return place


def _is_link(place: Path) -> bool:
    # Python 3.11 does not know the links between folders of Windows.
    is_junction = getattr(os.path, "isjunction", None)
    return place.is_symlink() or bool(is_junction is not None and is_junction(place))


def shown(place: Path) -> str:
    """The path as a client names it."""
    return place.relative_to(folder()).as_posix()


def named(text: str) -> str:
    """A text for other programs: files are named from the project's folder on, or from the home folder."""
    path = mainfile.path()
    folders = {Path(path).parent, Path(os.path.realpath(path)).parent} if path else set()
    for place, word in (*((one, "the project's folder") for one in folders), (Path(os.path.expanduser("~")), "~")):
        if place == Path(place.anchor):
            continue
        for written in {str(place), place.as_posix()}:
            inner = "" if word != "~" else "~/"
            text = re.sub(rf"{re.escape(written)}[/\\]", inner, text)
            text = re.sub(rf"{re.escape(written)}(?![\w-])", word, text)
    return text


def _refused(path: str, why: str) -> AssistantError:
    said = path if path and path.isprintable() and len(path) <= _LONGEST else "This path"
    return AssistantError("invalid_path", f"{said} cannot be used. {why}.", native.fix("invalid_path"))
