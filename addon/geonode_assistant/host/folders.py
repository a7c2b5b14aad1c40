# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder in which the add-on keeps its files."""

from __future__ import annotations

from pathlib import Path

import bpy


def own_folder() -> Path:
    """The add-on's folder in Blender's user data: catalogues of other builds, conversations, cached replies."""
    return Path(bpy.utils.user_resource("DATAFILES", path="geonode_assistant"))
