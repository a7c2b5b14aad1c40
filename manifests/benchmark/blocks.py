# SPDX-License-Identifier: GPL-3.0-or-later
"""What every data-block of a file holds, as far as it can be set: properties as plain data, long lists as checksums."""

from __future__ import annotations

import hashlib
from typing import Any

import bpy
import numpy as np

DERIVED = {
    "rna_type", "original", "preview", "users", "tag", "id_data", "session_uid", "is_evaluated", "persistent_uid",
    "depsgraph", "is_runtime_data", "bake_id", "matrix_world", "matrix_local", "dimensions", "bound_box", "pixels",
    "execution_time", "library_weak_reference", "is_dirty", "active_node_index", "filepath", "filepath_raw",
}  # fmt: skip
"""What follows from other things, or is not of the file."""
TOOLS = {
    "tool_settings",
    "sequencer_colorspace_settings",
    "colorspace_settings",
    "internal_links",
    "view_layers",
    "shading",
    "cursor",
}
ELEMENTS = {
    "vertices", "edges", "loops", "polygons", "attributes", "color_attributes", "vertex_colors", "uv_layers",
    "loop_triangles", "loop_triangle_polygons", "vertex_normals", "polygon_normals", "corner_normals", "points",
    "curve_offset_data", "position_data", "normals", "skin_vertices", "uv_layer_clone", "uv_layer_stencil",
    "total_vert_sel", "total_edge_sel", "total_face_sel", "curves",
}  # fmt: skip
"""What attributes hold, of a mesh, curves or points."""
LEFT_OUT = {"window_managers", "screens", "workspaces", "brushes", "libraries", "palettes", "paint_curves"}
FIELDS = ("value", "vector", "color")
DEPTH = 8


def everything() -> dict[str, dict[str, Any]]:
    """All data-blocks by kind and name."""
    _known.clear()  # Blender makes types for modifiers anew, perhaps at the same address
    lists: Any = bpy.data.bl_rna.properties
    kinds = [
        prop.identifier
        for prop in lists
        if prop.type == "COLLECTION" and prop.fixed_type.identifier != "ID" and prop.identifier not in LEFT_OUT
    ]
    return {kind: {block.name: state(block) for block in getattr(bpy.data, kind)} for kind in kinds}


def state(block: Any) -> dict[str, Any]:
    """What a data-block holds. Objects are where they were at the last update of the view layer."""
    found: dict[str, Any] = _struct(block, DEPTH, {block})
    if isinstance(block, bpy.types.Mesh | bpy.types.Curves | bpy.types.PointCloud):
        found["attributes"] = {one.name: [one.domain, one.data_type, _elements(one)] for one in block.attributes}
    if isinstance(block, bpy.types.Mesh):
        corners = np.empty(len(block.loops), dtype=np.int32)
        block.loops.foreach_get("vertex_index", corners)
        sizes = np.empty(len(block.polygons), dtype=np.int32)
        block.polygons.foreach_get("loop_total", sizes)
        found["faces"] = _sum(corners.tobytes() + sizes.tobytes())
    if isinstance(block, bpy.types.Object):
        found["shown"] = not block.hide_get() if block.name in bpy.context.view_layer.objects else None
        if isinstance(block.data, bpy.types.Mesh) and block.vertex_groups:
            weights = [[(one.group, round(one.weight, 5)) for one in vertex.groups] for vertex in block.data.vertices]
            found["weights"] = _sum(repr(weights).encode())
    return found


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _elements(attribute: Any) -> str | None:
    """The checksum of all values of an attribute; None for those without numbers."""
    count = len(attribute.data)
    field = next((name for name in FIELDS if count and hasattr(attribute.data[0], name)), None)
    if field is None:
        return None if count else ""
    first = getattr(attribute.data[0], field)
    if isinstance(first, str):
        return _sum(repr([getattr(one, field) for one in attribute.data]).encode())
    width = len(first) if hasattr(first, "__len__") else 1
    values = np.empty(count * width, dtype=np.float32 if isinstance(first, float) or width > 1 else np.int32)
    if isinstance(first, bool):
        values = np.empty(count, dtype=bool)
    attribute.data.foreach_get(field, values)
    return _sum(values.tobytes())


_known: dict[int, list[tuple[str, str]]] = {}


def _properties(thing: Any) -> list[tuple[str, str]]:
    """The properties that are read, with how: looked up once for each type."""
    kind = thing.bl_rna.as_pointer()
    if kind not in _known:
        skipped = DERIVED | TOOLS
        if isinstance(thing, bpy.types.Mesh | bpy.types.Curves | bpy.types.PointCloud):
            skipped = skipped | ELEMENTS
        if isinstance(thing, bpy.types.NodeSocket):
            skipped = skipped | {"enabled", "is_unavailable", "is_inactive"}
        _known[kind] = [
            (prop.identifier, prop.type)
            for prop in thing.bl_rna.properties
            if prop.identifier not in skipped
            and (
                prop.type in ("POINTER", "COLLECTION")
                or not prop.is_readonly
                or prop.identifier in ("type", "bl_idname", "identifier")
            )
        ]
    return _known[kind]


def _struct(thing: Any, depth: int, seen: set[Any]) -> Any:
    found: dict[str, Any] = {}
    for name, kind in _properties(thing):
        value = getattr(thing, name, None)
        if kind == "POINTER":
            found[name] = _pointer(value, depth, seen)
        elif kind == "COLLECTION":
            found[name] = [_pointer(one, depth, seen) for one in value or ()]
        else:
            found[name] = _plain(value)
    if hasattr(thing, "keys"):
        try:
            found["custom"] = {key: _custom(thing[key]) for key in thing.keys()}  # noqa: SIM118
        except (TypeError, AttributeError):
            pass
    return found


def _pointer(value: Any, depth: int, seen: set[Any]) -> Any:
    if value is None:
        return None
    if isinstance(value, bpy.types.ID) and not getattr(value, "is_embedded_data", False):
        return f"{type(value).__name__} {value.name}"
    if depth == 0 or value in seen:
        return f"{type(value).__name__} {getattr(value, 'name', '')}"
    seen.add(value)
    return _struct(value, depth - 1, seen)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, bool | int | str | bytes) or value is None:
        return value
    if isinstance(value, set | frozenset):
        return sorted(value)
    try:
        return [_plain(one) for one in value]
    except TypeError:
        return repr(value)


def _custom(value: Any) -> Any:
    if isinstance(value, bpy.types.ID):
        return f"{type(value).__name__} {value.name}"
    for method in ("to_dict", "to_list"):
        if hasattr(value, method):
            return repr(getattr(value, method)())
    return _plain(value)
