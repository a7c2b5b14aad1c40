# SPDX-License-Identifier: GPL-3.0-or-later
"""The open file: its path, opening another one, saving a copy."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

from ..messages import AssistantError
from . import blendfile, current
from .errors import HostError, near


def path() -> str:
    """The path of the open file; empty if it has never been saved."""
    return bpy.data.filepath


def check(file: Path) -> None:
    """Raises if this Blender must not open the file (errors: ``blendfile.check``)."""
    blendfile.check(file, bpy.app.version[:2])


def is_open(file: Path) -> bool:
    """Whether this is the open file."""
    return bool(bpy.data.filepath) and os.path.realpath(bpy.data.filepath) == os.path.realpath(file)


def open_file(file: Path) -> None:
    """Opens a file that passed ``check``, with its scripts disabled. Raises ``damaged_blend`` if Blender refuses it.

    Its workspaces come along: they hold the ID of the file, without which no tree counts as the assistant's.
    """
    try:
        bpy.ops.wm.open_mainfile(filepath=str(file.resolve()), load_ui=True, use_scripts=False)
    except RuntimeError as error:
        raise AssistantError(
            "damaged_blend", f"Blender cannot open {file}: {_reason(error)}", "Open a backup of it (.blend1)."
        ) from error


def open_empty() -> None:
    """Opens an empty file with factory settings."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def is_unused() -> bool:
    """Whether no file was opened and no object was made yet."""
    return not bpy.data.filepath and not bpy.data.node_groups


def objects_placed() -> dict[str, tuple[int, bool | None, list[str]]]:
    """By name of each object: which it is, whether it is in sight (None outside of the view layer), its collections."""
    there = {obj.name for obj in current.view_layer().objects}
    return {
        obj.name: (
            obj.session_uid,
            not obj.hide_get() if obj.name in there else None,
            sorted(one.name for one in obj.users_collection),
        )
        for obj in bpy.data.objects
    }


def save_copy(file: Path, **options: Any) -> None:
    """Saves the open file under another name; the open file keeps its own name, its unsaved changes and its undo steps.

    ``options`` are those of Blender's operator. Raises ``output_not_writable`` with Blender's reason.
    """
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True, check_existing=False, **options)
    except RuntimeError as error:
        raise HostError("output_not_writable", _reason(error)) from error


@contextlib.contextmanager
def without_preview() -> Iterator[None]:
    """Files that are saved meanwhile have no preview, which Blender would render in the window."""
    preferences: Any = current.preferences()
    kept, is_dirty = preferences.filepaths.file_preview_type, preferences.is_dirty
    preferences.filepaths.file_preview_type = "NONE"
    try:
        yield
    finally:
        preferences.filepaths.file_preview_type = kept
        preferences.is_dirty = is_dirty


_KNOWN: Any = bpy.path
READ_BY_BLENDER = frozenset({
    *_KNOWN.extensions_image, *_KNOWN.extensions_movie, *_KNOWN.extensions_audio,
    ".blend", ".ttf", ".ttc", ".otf", ".otc", ".pfb", ".pfa", ".woff", ".woff2", ".ies", ".cube",
    ".vdb", ".abc", ".usd", ".usda", ".usdc", ".usdz", ".ply", ".stl", ".obj", ".csv", ".bphys",
})  # fmt: skip
"""How names of files end whose contents Blender reads for a file that names them."""


def external_files() -> list[str]:
    """The files that the open file names: images, fonts, sounds, libraries. Those that exist, absolute; not others,
    since whoever made the file could name whatever lies on this disk.
    """
    paths = bpy.utils.blend_paths(absolute=True, packed=False, local=False)
    return [path for path in paths if Path(path).suffix.lower() in READ_BY_BLENDER and os.path.isfile(path)]


def geometry_tree(name: str) -> bpy.types.NodeTree:
    """A Geometry Nodes tree of the open file. Raises ``unknown_node_group`` with similar names."""
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
    """Blender's error text without its prefix."""
    return str(error).strip().removeprefix("Error: ").splitlines()[0]
