# SPDX-License-Identifier: GPL-3.0-or-later
"""What data-blocks hold, as far as a script can set it, to tell whether two ways of working gave the same.

The numbers of many elements are kept as bytes (``rows``). What Blender derives or draws by chance is left out, and so
are the settings of tools: reading those of brushes crashes Blender 4.2.
"""

from __future__ import annotations

import time
import zlib
from array import array
from collections.abc import Iterable
from typing import Any

import bpy

from . import addresses, current, rows
from .rows import TooSlow

__all__ = ["Digest", "Reader", "TooSlow", "difference", "everything", "whole"]

Digest = dict[tuple[str, str], Any]
"""Kind and name of a data-block → what it holds."""

_SKIPPED = frozenset({
    "tool_settings", "shading",
    "rna_type", "session_uid", "original", "preview", "is_evaluated", "users", "tag", "id_data", "execution_time",
    "persistent_uid", "depsgraph", "library_weak_reference", "is_runtime_data", "bake_id", "storage_type", "users_id",
    "window_manager", "all_objects", "owner", "is_dirty", "pixels", "matrix_world", "matrix_local",
    "bound_box", "dimensions",
    # Without colour management (bpy as a module) Blender warns of its value at each look.
    "sequencer_colorspace_settings",
})  # fmt: skip
_OF_MESHES = frozenset({
    "vertices", "edges", "loops", "polygons", "attributes", "color_attributes", "vertex_colors", "uv_layers",
    "loop_triangles", "loop_triangle_polygons", "vertex_normals", "polygon_normals", "corner_normals",
    "uv_layer_clone", "uv_layer_stencil", "skin_vertices", "total_vert_sel", "total_edge_sel", "total_face_sel",
})  # fmt: skip
_OF_SOCKETS = frozenset({"enabled"})
"""Follows from the node's mode, sometimes only when it is evaluated (4.2)."""
DEPTH = 9
"""Deepest nesting of what is compared."""
_LARGE = 1 << 16
"""Longer bytes are kept as their checksum."""


class Reader:
    """Reads data-blocks within a time."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._seen: set[Any] = set()
        self._properties: dict[int, list[tuple[str, str]]] = {}
        meshes: Any = (obj for obj in bpy.data.objects if obj.type == "MESH")
        self._grouped = {obj.data.name for obj in meshes if obj.vertex_groups}

    def read(self, blocks: Iterable[tuple[str, str]]) -> Digest:
        """What these hold; None for one that is not there. Raises ``TooSlow``."""
        return {(kind, name): self._block(addresses.find(kind, name, None)) for kind, name in blocks}

    def _block(self, block: Any) -> Any:
        if block is None:
            return None
        self._seen.clear()
        found = self._struct(block, DEPTH)
        if isinstance(block, bpy.types.Mesh):
            found["elements"] = rows.Elements(block, block.name in self._grouped, _struct_of)
        return found

    def _kinds(self, thing: Any) -> list[tuple[str, str]]:
        """The properties that are read, with how: looked up once for each type."""
        whole = thing.bl_rna
        known = self._properties.get(whole.as_pointer())
        if known is None:
            skipped = _SKIPPED
            if isinstance(thing, bpy.types.Mesh):
                skipped |= _OF_MESHES
            elif isinstance(thing, bpy.types.NodeSocket):
                skipped |= _OF_SOCKETS
            known = self._properties[whole.as_pointer()] = [
                (prop.identifier, prop.type)
                for prop in whole.properties
                if prop.identifier not in skipped
                and (
                    prop.type in ("POINTER", "COLLECTION")
                    or not prop.is_readonly
                    or prop.identifier in ("type", "bl_idname", "identifier")
                )
            ]
        return known

    def _struct(self, thing: Any, depth: int) -> Any:
        if time.monotonic() > self._deadline:
            raise TooSlow
        if depth == 0 or thing in self._seen:
            # Sockets lead to their nodes, bones to their parents.
            return (type(thing).__name__, getattr(thing, "name", ""))
        self._seen.add(thing)
        found: dict[str, Any] = {}
        if isinstance(thing, bpy.types.Image):
            found["picture"] = _picture(thing)
        for name, kind in self._kinds(thing):
            value = getattr(thing, name, None)
            if kind == "POINTER":
                found[name] = self._pointer(value, depth)
            elif kind == "COLLECTION":
                found[name] = self._collection(value, depth)
            else:
                found[name] = _plain(value)
        if hasattr(thing, "keys") and not isinstance(thing, bpy.types.bpy_prop_collection):
            try:
                found["custom"] = {key: _custom(thing[key]) for key in thing.keys()}  # noqa: SIM118
            except (TypeError, AttributeError):
                pass
        return found

    def _pointer(self, value: Any, depth: int) -> Any:
        if value is None:
            return None
        if isinstance(value, bpy.types.ID) and not getattr(value, "is_embedded_data", False):
            return (type(value).__name__, value.name)
        return self._struct(value, depth - 1)

    def _collection(self, values: Any, depth: int) -> Any:
        if values is None:
            return None
        if len(values) > rows.MANY and not isinstance(values[0], bpy.types.ID):
            bulk = rows.read(values, _SKIPPED)
            if bulk is not None:
                return bulk
        return [self._pointer(one, depth) for one in values]


def _picture(image: Any) -> int | None:
    """The checksum of pixels that were set. Others follow from what else is read, and asking would load them."""
    if image.type in ("RENDER_RESULT", "COMPOSITING") or not image.is_dirty:
        return None
    pixels = array("f", bytes(4 * len(image.pixels)))
    image.pixels.foreach_get(pixels)
    return zlib.crc32(pixels)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes) and len(value) > _LARGE:
        return len(value), zlib.crc32(value)
    if isinstance(value, bool | int | float | str | bytes) or value is None:
        return value
    if isinstance(value, set):
        return sorted(value)
    try:
        return [_plain(one) for one in value]
    except TypeError:
        return repr(value)


def _custom(value: Any) -> Any:
    for method in ("to_dict", "to_list"):
        if hasattr(value, method):
            return getattr(value, method)()
    if isinstance(value, bpy.types.ID):
        return (type(value).__name__, value.name)
    return _plain(value)


def _struct_of(value: Any) -> Any:
    return [
        _plain(getattr(value, prop.identifier))
        for prop in value.bl_rna.properties
        if prop.type not in ("POINTER", "COLLECTION") and not prop.is_readonly
    ]


def difference(one: Any, other: Any, path: str = "") -> str | None:
    """The first place at which two of these differ."""
    if one == other:
        return None
    if isinstance(one, rows.Elements) and isinstance(other, rows.Elements):
        return difference(one.spread, other.spread, path)
    if isinstance(one, rows.Rows) and isinstance(other, rows.Rows):
        return difference(one.spread(), other.spread(), path)
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            found = difference(one.get(key), other.get(key), f"{path}/{key}")
            if found is not None:
                return found
        return None
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        lines = (difference(a, b, f"{path}/{n}") for n, (a, b) in enumerate(zip(one, other, strict=True)))
        return next((line for line in lines if line is not None), None)
    return None if one != one and other != other else path


def whole(seconds: float) -> Digest | None:
    """What everything holds, as of now; None where reading it takes longer."""
    current.view_layer().update()
    try:
        return Reader(seconds).read(everything())
    except TooSlow:
        return None


def everything() -> list[tuple[str, str]]:
    """All data-blocks of the file itself that hold anything of the scene."""
    found = []
    for kind, block in _blocks():
        if block.library is None:
            found.append((kind, block.name))
    return found


_LEFT_OUT = frozenset({"window_managers", "screens", "workspaces", "brushes", "libraries", "palettes", "paint_curves"})


def _blocks() -> Iterable[tuple[str, Any]]:
    lists: Any = bpy.data.bl_rna.properties
    for prop in lists:
        if prop.type == "COLLECTION" and prop.fixed_type.identifier != "ID" and prop.identifier not in _LEFT_OUT:
            for block in getattr(bpy.data, prop.identifier):
                yield prop.identifier, block
