# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors and messages with stable codes, and their form in a terminal and in a panel."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from typing import Any


class AssistantError(Exception):
    """An error with its cause and its fix.

    ``code`` is one of the product's registered codes (``geonode_core.error_codes()``), ``message`` names the cause,
    ``hint`` the fix.
    """

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    @classmethod
    def of(cls, error: BaseException) -> AssistantError:
        """Converts any exception, keeping its code and hint."""
        known = failure(error)
        return cls(known["code"], known["message"], getattr(error, "hint", None))

    def __repr__(self) -> str:
        return f"AssistantError({self.code!r}, {self.message!r}, {self.hint!r})"


def failure(error: BaseException) -> dict[str, str]:
    """``{"code", "message"}`` of any exception.

    Errors of the host and of the core have their own code; an unexpected one becomes ``internal_error`` with the
    exception's type, never its traceback.
    """
    code = getattr(error, "code", None)
    if isinstance(code, str) and code:
        return {"code": code, "message": str(getattr(error, "message", None) or error)}
    if isinstance(error, KeyboardInterrupt):
        return {"code": "cancelled", "message": "Interrupted."}
    if isinstance(error, OSError):
        return {"code": os_code(error), "message": f"{error.strerror or error}: {error.filename or ''}".rstrip(": ")}
    if isinstance(error, MemoryError):
        return {"code": "internal_error", "message": "Blender ran out of memory."}
    return {"code": "internal_error", "message": f"{type(error).__name__}: {error}"}


def os_code(error: OSError) -> str:
    """The registered code for an operating-system error."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return "disk_full"
        case errno.ENOENT:
            return "file_not_found"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "permission_denied"
        case _:
            return "internal_error"


def error_lines(code: str, message: str, hint: str | None = None) -> list[str]:
    """``error [code]: message`` and, when there is one, a ``hint:`` line. Line breaks in the parts become spaces."""
    lines = [f"error [{code}]: {one_line(message)}"]
    if hint:
        lines.append(f"hint: {one_line(hint)}")
    return lines


def one_line(text: str, limit: int = 2000) -> str:
    """Text as one line for a terminal: without line breaks and control characters, at most ``limit`` characters."""
    flat = " ".join(visible(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def visible(text: str) -> str:
    """The text with U+FFFD in place of each invisible character other than space, such as controls and
    direction marks.
    """
    return "".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)


def select_for_artist(messages: Iterable[Mapping[str, Any]], shown: str = "") -> list[Mapping[str, Any]]:
    """The messages to show: each text once, without automatic repairs of a plan and the text that is ``shown`` already.

    Several mistakes in the form of a plan differ only in what is said to whoever wrote it.
    """
    seen, chosen = {shown}, []
    for message in messages:
        text = message.get("text", "")
        if message.get("code") != "repaired" and text not in seen:
            seen.add(text)
            chosen.append(message)
    return chosen
