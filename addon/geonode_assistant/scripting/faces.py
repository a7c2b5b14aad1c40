# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes whose faces a script has added, or moved among the corners, and not finished: where a face has no corners, or
corners have no edges, Blender crashes as soon as it looks for normals, cuts faces into triangles, copies them into a
bmesh or evaluates the mesh.

Such a mesh is looked at once before it is first used, and again when more is added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from . import older
from .errors import Guarded

_FINISHING = frozenset({"clear_geometry", "from_pydata", "user_clear", "user_of_id", "users"})
"""Methods of a mesh that need no finished faces."""
_MAKES_EDGES = frozenset({"update", "validate"})
"""Those with which a script finishes it: they make edges, but need corners."""
_READ: dict[str, frozenset[str]] = {
    "Mesh": frozenset({
        "corner_normals", "edge_keys", "loop_triangle_polygons", "loop_triangles", "polygon_normals", "vertex_normals",
    }),
    "MeshPolygon": frozenset({"area", "center", "edge_keys", "flip", "normal"}),
    "MeshVertex": frozenset({"normal"}),
    "MeshLoop": frozenset({"bitangent", "bitangent_sign", "normal", "tangent"}),
    "ShapeKey": frozenset({"normals_polygon_get", "normals_split_get", "normals_vertex_get"}),
    "Object": frozenset({"bound_box", "dimensions", "shape_key_add", "to_mesh"}),
    "bpy_prop_collection": frozenset({"foreach_get", "new", "remove"}),
}  # fmt: skip
"""What else Blender takes from faces, by type."""

_unfinished: dict[int, Any] = {}
_asking: list[Callable[[], None]] = []
"""Lets the membrane ask again about what was decided; taken by the first mesh that is not finished."""
_state = {"any": False}


def begin(ask_again: Callable[[], None]) -> None:
    """Called before the first line of a script. ``ask_again``: makes the membrane forget what may be read."""
    _unfinished.clear()
    _state["any"] = False
    _asking[:] = [ask_again]


def changed(mesh: Any) -> None:
    """Called when faces were added to a mesh, or begin elsewhere."""
    _unfinished[mesh.session_uid] = mesh
    if not _state["any"]:
        _state["any"] = True
        while _asking:
            _asking.pop()()


def adding(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a mesh's list of faces that adds some."""

    def called(polygons: Any, /, *args: Any, **kwargs: Any) -> Any:
        mesh = polygons.id_data
        try:
            return function(polygons, *args, **kwargs)
        finally:
            changed(mesh)

    return called


def is_use(cls: type, name: str) -> bool:
    """Whether reading this may use faces; nothing does until a script has added some."""
    if not _state["any"]:
        return False
    described: Any = cls.bl_rna if cls is bpy.types.Mesh else None
    if described is not None and name in described.functions:
        return name not in _FINISHING
    return any(name in _READ.get(base.__name__, ()) for base in type.mro(cls))


def check_use(thing: Any, name: str = "") -> None:
    """Raises if the faces that this thing of Blender's belongs to are not finished, for reading ``name`` of it."""
    if not _unfinished:
        return
    mesh = _mesh_of(thing)
    if mesh is not None:
        why = _corners_missing(mesh) if name in _MAKES_EDGES else finished(mesh)
        if why:
            raise Guarded(why)


def check() -> None:
    """Raises, and empties the mesh, if faces of one are not finished. Called before Blender evaluates."""
    for mesh in list(_unfinished.values()):
        why = finished(mesh)
        if why:
            mesh.clear_geometry()
            raise Guarded(why)


def _mesh_of(thing: Any) -> Any:
    """The unfinished mesh that something belongs to."""
    block = thing if isinstance(thing, bpy.types.ID) else getattr(thing, "id_data", None)
    if isinstance(block, bpy.types.Key):
        block = block.user
    if isinstance(block, bpy.types.Object):
        block = block.data
    return _unfinished.get(block.session_uid) if isinstance(block, bpy.types.Mesh) else None


def finished(mesh: Any) -> str:
    """Why a mesh cannot be used; empty if it can, and then it is not looked at again."""
    try:
        key = mesh.session_uid
    except ReferenceError:  # removed
        for key in [key for key, one in _unfinished.items() if one is mesh]:
            del _unfinished[key]
        return ""
    why = _corners_missing(mesh)
    if not why and len(mesh.polygons) and _most(mesh, "edge_index") >= len(mesh.edges):
        mesh.update(calc_edges=True)
        if _most(mesh, "edge_index") >= len(mesh.edges):
            return f"Corners of {mesh.name!r} have no edges: give each face different vertices (vertex_index of loops)."
        older.current().note(f"the edges of {mesh.name!r} were made, as update(calc_edges=True) does")
    if not why:
        del _unfinished[key]
    return why


def _corners_missing(mesh: Any) -> str:
    """Why faces of a mesh have no corners, or these no vertices; empty if they have."""
    count = len(mesh.polygons)
    if not count:
        return ""
    starts = np.empty(count, dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    corners = np.diff(starts, append=len(mesh.loops))
    if starts[0] or (corners < 3).any():
        face = 0 if starts[0] else int(np.argmax(corners < 3))
        return (
            f"Face {face} of {mesh.name!r} does not have 3 corners of its own yet: loop_start must begin at 0 and grow "
            "from face to face, with corners enough for all; or use from_pydata()."
        )
    if _most(mesh, "vertex_index") >= len(mesh.vertices):
        return f"Corners of {mesh.name!r} have no vertices yet; add them first, or use from_pydata()."
    return ""


def _most(mesh: Any, name: str) -> int:
    found = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get(name, found)
    return int(found.max())
