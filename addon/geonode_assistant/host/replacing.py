# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts a complete file in the place of an older one."""

from __future__ import annotations

import os
import time
from pathlib import Path

PATIENCE_S, PAUSE_S = 0.5, 0.02


def replace(source: str | Path, target: str | Path) -> None:
    """``os.replace``, which on Windows fails while anybody else has one of the files open, as virus scanners and
    indexers do for a moment: then again, for half a second. Raises OSError.
    """
    limit = time.monotonic() + PATIENCE_S
    while True:
        try:
            os.replace(source, target)
        except PermissionError:
            if os.name != "nt" or time.monotonic() > limit:
                raise
            time.sleep(PAUSE_S)
        else:
            return
