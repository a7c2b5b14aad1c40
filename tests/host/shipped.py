# SPDX-License-Identifier: GPL-3.0-or-later
"""The node groups that Blender ships, as test material."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy


def shipped_trees() -> Iterator[Any]:
    """Every geometry tree of the asset files inside this Blender; a fresh empty file for each asset file."""
    root = Path(bpy.utils.resource_path("LOCAL")) / "datafiles" / "assets"
    for path in sorted(root.glob("**/*.blend")):
        if "brushes" in path.parts:
            continue
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        with bpy.data.libraries.load(str(path)) as (available, wanted):
            wanted.node_groups = list(available.node_groups)
        names = [g.name for g in bpy.data.node_groups if g.bl_idname == "GeometryNodeTree" and g.library is None]
        for name in names:  # a transaction may have put another data-block in its place meanwhile
            yield bpy.data.node_groups[name]
