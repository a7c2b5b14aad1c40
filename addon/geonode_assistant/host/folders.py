# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder in which the add-on keeps its files."""

from __future__ import annotations

import contextlib
from pathlib import Path

import bpy


def own_folder() -> Path:
    """The add-on's folder in Blender's user data: catalogues of other builds, conversations, cached replies."""
    return Path(bpy.utils.user_resource("DATAFILES", path="geonode_assistant"))


def presets_folder() -> Path:
    """The folder of the user's presets: the private folder of the extension, which Blender keeps over its updates;
    inside ``own_folder`` where the package is no extension. It need not exist.
    """
    with contextlib.suppress(ValueError):
        return Path(bpy.utils.extension_path_user(__package__.rpartition(".")[0], path="presets"))
    return own_folder() / "presets"
