# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole open file as data, read through RNA, to compare two states of it."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import bpy
import numpy as np

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
    # Of UV maps: reading them makes attributes in 4.2, whose names come out of freed memory.
    "vertex_selection", "edge_selection", "pin",
})  # fmt: skip
KINDS_LEFT_OUT = frozenset(
    {"window_managers", "screens", "workspaces", "brushes", "libraries", "palettes", "paint_curves", "all_ids"}
)


# The properties of each type, read once per state: tens of thousands of vertices share one description.
_described: dict[type, list[tuple[str, str, bool]]] = {}
# Types that cannot have custom properties.
_without_keys: set[type] = set()
# Shorter lists are read element by element.
LONG = 8
NUMBERS = {"FLOAT": np.float32, "INT": np.int32, "BOOLEAN": np.bool_}


def state() -> dict[str, dict[str, Any]]:
    """Every data-block by kind and name."""
    _described.clear()
    if bpy.context.view_layer is not None:
        bpy.context.view_layer.update()
    # Nothing of what is read is garbage, and looking for some takes a quarter of the time.
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return _blocks()
    finally:
        gc.enable()


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


def _fixed(row: list[Any]) -> tuple[Any, ...] | str:
    """A row as one value: it differs as a whole, and is equal to itself even where a number is none."""
    return repr(row) if any(number != number for number in row) else tuple(row)


def _describe(thing: Any) -> list[tuple[str, str, bool]]:
    """Name, kind, and whether it is an array, of each property that is compared."""
    known = [
        (prop.identifier, prop.type, getattr(prop, "is_array", False))
        for prop in thing.bl_rna.properties
        if prop.identifier not in SKIPPED
    ]
    _described[type(thing)] = known
    return known


def _each(elements: Any, depth: int) -> list[Any]:
    """Every element of a collection; the numbers of many of one kind, as of vertices, are read property by property."""
    kinds = set(map(type, elements)) if depth > 0 and len(elements) >= LONG else set()
    if len(kinds) != 1 or issubclass(kinds.pop(), (ID, type(None))):
        return [_of(each, depth) for each in elements]
    first = elements[0]
    columns, others = {}, []
    for name, kind, is_array in _described.get(type(first)) or _describe(first):
        column = _column(elements, first.bl_rna.properties[name]) if kind in NUMBERS else None
        if column is None:
            others.append((name, kind, is_array))
        else:
            columns[name] = column
    rows: list[dict[str, Any]] = [{} for _ in elements]
    for name, column in columns.items():
        for row, value in zip(rows, column, strict=True):
            row[name] = value
    if others or type(first) not in _without_keys:
        for row, element in zip(rows, elements, strict=True):
            _add(row, element, others, depth)
    return rows


def _column(elements: Any, prop: Any) -> list[Any] | None:
    """The values of one property in all elements, in the form of `_add`; none where their sizes differ."""
    if prop.is_array and tuple(prop.array_dimensions)[1]:
        return None
    values = np.zeros(len(elements) * (prop.array_length or 1), NUMBERS[prop.type])
    try:
        elements.foreach_get(prop.identifier, values)
    except (RuntimeError, TypeError):
        return None
    if prop.type == "FLOAT":
        values = np.round(values.astype(np.float64), 5)
    if not prop.is_array:
        return values.tolist()
    rows = values.reshape(len(elements), -1).tolist()
    return [_fixed(row) for row in rows] if np.isnan(values).any() else list(map(tuple, rows))


def _of(thing: Any, depth: int, whole: bool = False) -> Any:
    if not whole and isinstance(thing, ID) and not getattr(thing, "is_embedded_data", False):
        return f"{thing.bl_rna.identifier}:{thing.name_full}"
    if thing is None or depth == 0:
        return "…"
    found: dict[str, Any] = {}
    _add(found, thing, _described.get(type(thing)) or _describe(thing), depth)
    return found


def _add(found: dict[str, Any], thing: Any, described: list[tuple[str, str, bool]], depth: int) -> None:
    """Adds these properties of a thing, and its custom properties."""
    for name, kind, is_array in described:
        value = getattr(thing, name, None)
        if kind == "COLLECTION":
            found[name] = _each(value, depth - 1) if value is not None and len(value) < 20_000 else None
        elif kind == "POINTER":
            found[name] = None if value is None else _of(value, depth - 1)
        elif is_array and len(value) < 100_000:
            found[name] = _fixed(_row(value))
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
