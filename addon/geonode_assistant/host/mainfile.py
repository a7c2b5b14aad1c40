# SPDX-License-Identifier: GPL-3.0-or-later
"""The open file: which one it is, another one in its place, and a copy of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import bpy

from ..messages import AssistantError
from . import blendfile, current
from .errors import HostError, near


def path() -> str:
    """Where the open file was saved last; empty when it never was."""
    return bpy.data.filepath


def check(file: Path) -> None:
    """Refuses a file that this Blender must not open; what it raises: ``blendfile.check``."""
    blendfile.check(file, bpy.app.version[:2])


def is_open(file: Path) -> bool:
    """Whether this is the open file."""
    return bool(bpy.data.filepath) and os.path.realpath(bpy.data.filepath) == os.path.realpath(file)


def open_file(file: Path) -> None:
    """Opens a file that ``check`` let pass. Scripts inside it stay off. ``damaged_blend`` when Blender refuses it."""
    try:
        bpy.ops.wm.open_mainfile(filepath=str(file.resolve()), load_ui=False, use_scripts=False)
    except RuntimeError as error:
        raise AssistantError(
            "damaged_blend", f"Blender cannot open {file}: {_reason(error)}", "Open a backup of it (.blend1)."
        ) from error


def open_empty() -> None:
    """A file of factory settings with nothing in it."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def is_unused() -> bool:
    """Whether nothing was opened and nothing was made yet that could be worked on."""
    return not bpy.data.filepath and not bpy.data.node_groups


def save_copy(file: Path, **options: Any) -> None:
    """Saves the open file under another name; the open file keeps its own name, its unsaved changes and its undo steps.

    ``options`` are those of Blender's operator. Raises `output_not_writable` with Blender's reason.
    """
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True, check_existing=False, **options)
    except RuntimeError as error:
        raise HostError("output_not_writable", _reason(error)) from error


def geometry_tree(name: str) -> bpy.types.NodeTree:
    """A Geometry Nodes tree of the open file; ``unknown_node_group`` with the near names."""
    trees = {tree.name: tree for tree in bpy.data.node_groups if tree.bl_idname == "GeometryNodeTree"}
    if name not in trees:
        where = bpy.data.filepath or "the open file"
        raise AssistantError(
            "unknown_node_group", f"There is no node group “{name}” in {where}.", near(name, sorted(trees))
        )
    return trees[name]


def active_object() -> str | None:
    """The name of the active object."""
    active = current.view_layer().objects.active
    return active.name if active is not None else None


def _reason(error: RuntimeError) -> str:
    """Blender's own words without its prefix."""
    return str(error).strip().removeprefix("Error: ").splitlines()[0]
