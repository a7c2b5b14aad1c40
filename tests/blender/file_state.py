# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole open file as data, read through RNA, to compare two states of it."""

from __future__ import annotations

import warnings
from typing import Any

import bpy

DEPTH = 4
ID = bpy.types.ID
# Blender's own bookkeeping, mirrors of other data, and values that change by themselves.
SKIPPED = frozenset({
    "rna_type", "session_uid", "original", "preview", "is_evaluated", "users", "tag", "id_data", "execution_time",
    "window_manager", "persistent_uid", "depsgraph", "library_weak_reference", "is_runtime_data", "total_frame",
    "enabled", "is_unavailable", "is_inactive", "is_icon_visible",
    "is_embedded_data", "all_objects", "is_dirty", "tool_settings", "shading", "owner", "is_library_indirect",
    # Of meshes: the normals of their elements, what follows from their faces, and UV maps, each once more.
    "vertex_normals", "polygon_normals", "corner_normals", "loop_triangles", "loop_triangle_polygons",
    "uv_layer_clone", "uv_layer_stencil",
})  # fmt: skip
KINDS_LEFT_OUT = frozenset(
    {"window_managers", "screens", "workspaces", "brushes", "libraries", "palettes", "paint_curves", "all_ids"}
)


# The properties of each type, read once per state: tens of thousands of vertices share one description.
_described: dict[type, list[tuple[str, str, bool]]] = {}
# Types that cannot have custom properties.
_without_keys: set[type] = set()


def state() -> dict[str, dict[str, Any]]:
    """Every data-block by kind and name."""
    _described.clear()
    if bpy.context.view_layer is not None:
        bpy.context.view_layer.update()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return _blocks()


def _blocks() -> dict[str, dict[str, Any]]:
    found = {}
    for prop in bpy.data.bl_rna.properties:
        if prop.type == "COLLECTION" and prop.identifier not in KINDS_LEFT_OUT:
            blocks = getattr(bpy.data, prop.identifier)
            found[prop.identifier] = {block.name_full: _of(block, DEPTH, True) for block in blocks}
    return found


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """The paths at which two states differ; empty for equal ones."""
    if one == other:
        return []
    if isinstance(one, dict) and isinstance(other, dict):
        found = []
        for key in {**one, **other}:
            if key not in one or key not in other:
                found.append(f"{path}/{key} {'appeared' if key in other else 'is gone'}")
            else:
                found += differences(one[key], other[key], f"{path}/{key}")
        return found
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            line for n, (a, b) in enumerate(zip(one, other, strict=True)) for line in differences(a, b, f"{path}/{n}")
        ]
    return [] if one == other or (one != one and other != other) else [f"{path}: {one!r:.60} → {other!r:.60}"]


def _plain(value: Any) -> str:
    for method in ("to_list", "to_dict"):
        value = getattr(value, method)() if hasattr(value, method) else value
    return repr(value)[:200]


def _number(value: Any) -> Any:
    """A number, rounded, or a row of them."""
    if isinstance(value, float):
        return round(value, 5)
    return value if isinstance(value, int) else _row(value)


def _row(values: Any) -> list[Any]:
    """A row of numbers, rounded; most rows contain one type of number."""
    found = list(values)
    kinds = set(map(type, found))
    if kinds == {float}:
        return [round(value, 5) for value in found]
    return found if kinds <= {int, bool} else [_number(value) for value in found]


def _describe(thing: Any) -> list[tuple[str, str, bool]]:
    """Name, kind, and whether it is an array, of each property that is compared."""
    known = [
        (prop.identifier, prop.type, getattr(prop, "is_array", False))
        for prop in thing.bl_rna.properties
        if prop.identifier not in SKIPPED
    ]
    _described[type(thing)] = known
    return known


def _of(thing: Any, depth: int, whole: bool = False) -> Any:
    if not whole and isinstance(thing, ID) and not getattr(thing, "is_embedded_data", False):
        return f"{thing.bl_rna.identifier}:{thing.name_full}"
    if thing is None or depth == 0:
        return "…"
    found: dict[str, Any] = {}
    for name, kind, is_array in _described.get(type(thing)) or _describe(thing):
        value = getattr(thing, name, None)
        if kind == "COLLECTION":
            found[name] = (
                [_of(each, depth - 1) for each in value] if value is not None and len(value) < 20_000 else None
            )
        elif kind == "POINTER":
            found[name] = None if value is None else _of(value, depth - 1)
        elif is_array and len(value) < 100_000:
            found[name] = repr(_row(value))
        elif isinstance(value, float):
            found[name] = round(value, 5)
        elif isinstance(value, (int, str)):
            found[name] = value
        elif isinstance(value, set):
            found[name] = sorted(value)
    if type(thing) not in _without_keys and hasattr(thing, "keys"):
        try:
            found["custom properties"] = {key: _plain(thing[key]) for key in thing.keys()}  # noqa: SIM118
        except TypeError:
            _without_keys.add(type(thing))
    return found
