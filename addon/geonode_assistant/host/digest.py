# SPDX-License-Identifier: GPL-3.0-or-later
"""What data-blocks hold, as far as a script can set it, to tell whether two ways of working gave the same.

Edges of meshes come in the order of the vertices that they join: Blender's own operators number them by address,
otherwise each time. What Blender derives or draws by chance is left out, and so are the settings of tools:
reading those of brushes crashes Blender 4.2.
"""

from __future__ import annotations

import time
import zlib
from array import array
from collections.abc import Iterable
from typing import Any

import bpy

from . import addresses

Digest = dict[tuple[str, str], Any]
"""Kind and name of a data-block → what it holds."""

_SKIPPED = frozenset({
    "tool_settings", "shading",
    "rna_type", "session_uid", "original", "preview", "is_evaluated", "users", "tag", "id_data", "execution_time",
    "persistent_uid", "depsgraph", "library_weak_reference", "is_runtime_data", "bake_id", "storage_type", "users_id",
    "window_manager", "all_objects", "owner", "is_dirty", "pixels", "matrix_world", "matrix_local",
    "bound_box", "dimensions",
})  # fmt: skip
_OF_MESHES = frozenset({
    "vertices", "edges", "loops", "polygons", "attributes", "color_attributes", "vertex_colors", "uv_layers",
    "loop_triangles", "loop_triangle_polygons", "vertex_normals", "polygon_normals", "corner_normals",
    "uv_layer_clone", "uv_layer_stencil", "skin_vertices", "total_vert_sel", "total_edge_sel", "total_face_sel",
})  # fmt: skip
DEPTH = 9
"""Deepest nesting of what is compared."""
MANY = 64
"""A longer list of elements is read at once, property by property."""


class TooSlow(Exception):
    """Reading would take longer than it may."""


class Reader:
    """Reads data-blocks within a time."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._seen: set[Any] = set()

    def read(self, blocks: Iterable[tuple[str, str]]) -> Digest:
        """What these hold; None for one that is not there. Raises ``TooSlow``."""
        return {(kind, name): self._block(addresses.find(kind, name, None)) for kind, name in blocks}

    def _block(self, block: Any) -> Any:
        if block is None:
            return None
        self._seen.clear()
        found = self._struct(block, DEPTH)
        if isinstance(block, bpy.types.Mesh):
            found["elements"] = _mesh(block)
        return found

    def _struct(self, thing: Any, depth: int) -> Any:
        if time.monotonic() > self._deadline:
            raise TooSlow
        if depth == 0 or thing in self._seen:
            # Sockets lead to their nodes, bones to their parents.
            return (type(thing).__name__, getattr(thing, "name", ""))
        self._seen.add(thing)
        found: dict[str, Any] = {}
        mesh = isinstance(thing, bpy.types.Mesh)
        if isinstance(thing, bpy.types.Image):
            found["picture"] = _picture(thing)
        for prop in thing.bl_rna.properties:
            name = prop.identifier
            if name in _SKIPPED or mesh and name in _OF_MESHES:
                continue
            if prop.type == "POINTER":
                found[name] = self._pointer(getattr(thing, name, None), depth)
            elif prop.type == "COLLECTION":
                found[name] = self._collection(getattr(thing, name, None), depth)
            elif not prop.is_readonly or name in ("type", "bl_idname", "identifier"):
                found[name] = _plain(getattr(thing, name, None))
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
        if len(values) > MANY and not isinstance(values[0], bpy.types.ID):
            bulk = _bulk(values)
            if bulk is not None:
                return bulk
        return [self._pointer(one, depth) for one in values]


def _bulk(values: Any) -> dict[str, list[Any]] | None:
    """The elements of a long list by property; None where an element holds more than numbers."""
    found: dict[str, list[Any]] = {}
    for prop in values[0].bl_rna.properties:
        if prop.identifier in _SKIPPED or prop.is_readonly and prop.type != "POINTER":
            continue
        if prop.type not in ("FLOAT", "INT", "BOOLEAN"):
            return None
        kind = {"FLOAT": float, "INT": int, "BOOLEAN": bool}[prop.type]
        row = [kind()] * (len(values) * max(prop.array_length, 1))
        try:
            values.foreach_get(prop.identifier, row)
        except (TypeError, RuntimeError, AttributeError):
            return None
        found[prop.identifier] = row
    return found


def _picture(image: Any) -> int | None:
    if image.type in ("RENDER_RESULT", "COMPOSITING"):
        return None
    pixels = array("f", bytes(4 * len(image.pixels)))
    image.pixels.foreach_get(pixels)
    return zlib.crc32(pixels)


def _plain(value: Any) -> Any:
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


def _mesh(mesh: Any) -> dict[str, Any]:
    """All elements with their attributes, edges in the order of their vertices."""
    count = len(mesh.edges)
    ends = [0] * (2 * count)
    mesh.edges.foreach_get("vertices", ends)
    pairs = [tuple(sorted(ends[2 * n : 2 * n + 2])) for n in range(count)]
    order = sorted(range(count), key=pairs.__getitem__)
    rank = [0] * count
    for place, edge in enumerate(order):
        rank[edge] = place
    corners = [0] * len(mesh.loops)
    mesh.loops.foreach_get("vertex_index", corners)
    along = [0] * len(mesh.loops)
    mesh.loops.foreach_get("edge_index", along)
    starts = [0] * len(mesh.polygons)
    mesh.polygons.foreach_get("loop_start", starts)
    attributes = {}
    for one in mesh.attributes:
        if one.name not in (".edge_verts", ".corner_vert", ".corner_edge"):
            values = [_struct_of(each) for each in one.data] if len(one.data) <= MANY else _bulk(one.data)
            if one.domain == "EDGE":
                values = _sorted(values, order)
            attributes[one.name] = (one.data_type, one.domain, values)
    groups = [[(g.group, g.weight) for g in vertex.groups] for vertex in mesh.vertices if vertex.groups]
    return {
        "edges": [pairs[edge] for edge in order],
        "corners": corners,
        "along": [rank[edge] for edge in along],
        "starts": starts,
        "attributes": attributes,
        "groups": groups,
        "uv": [(layer.name, layer.active, layer.active_render) for layer in mesh.uv_layers],
        "color": (mesh.attributes.active_color_name, mesh.attributes.default_color_name),
    }


def _struct_of(value: Any) -> Any:
    return [
        _plain(getattr(value, prop.identifier))
        for prop in value.bl_rna.properties
        if prop.type not in ("POINTER", "COLLECTION") and not prop.is_readonly
    ]


def _sorted(values: Any, order: list[int]) -> Any:
    if isinstance(values, list):
        return [values[edge] for edge in order]
    if values is None:
        return None
    found = {}
    for name, row in values.items():
        width = len(row) // len(order)
        found[name] = [number for edge in order for number in row[edge * width : (edge + 1) * width]]
    return found


def difference(one: Any, other: Any, path: str = "") -> str | None:
    """The first place at which two of these differ."""
    if one == other:
        return None
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
