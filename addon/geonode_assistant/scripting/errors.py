# SPDX-License-Identifier: GPL-3.0-or-later
"""The exceptions of scripts: the core's classes, with the codes of the section ``script``."""

from __future__ import annotations

from typing import Any

from .. import native


def policy_error(code: str, message: str, **details: Any) -> Exception:
    """A ``PolicyError``: the script is refused, or did something that safe mode forbids."""
    return native.core().PolicyError(code, message, False, details)


def failed(message: str, **details: Any) -> Exception:
    """A ``CoreError`` with ``script_failed``: an exception of the script ended it."""
    return native.core().CoreError("script_failed", message, False, details)


class NotAllowed(AttributeError):
    """An attribute that safe mode does not allow; to the script it does not exist."""


class Guarded(Exception):
    """Raised by a guard inside a script, which may catch it; the refused action was not carried out."""


class Unasked(Guarded):
    """A script would remove what was there before it, and nobody was asked about that."""
