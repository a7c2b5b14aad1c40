# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the add-on keeps what it needs between sessions."""

from __future__ import annotations

from pathlib import Path

import bpy


def own_folder() -> Path:
    """The add-on's folder among the user's files: catalogues of own builds, conversations, kept replies."""
    return Path(bpy.utils.user_resource("DATAFILES", path="geonode_assistant"))
