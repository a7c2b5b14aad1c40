# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender follows without looking, and a wrong one ends it: indices in meshes, offsets of curves, edit bones that
are gone.
"""

from __future__ import annotations

import operator
import sys
from array import array
from collections.abc import Iterable
from itertools import chain
from typing import Any

import bpy

from . import faces
from .errors import Guarded

_INTO = {
    ("edges", "vertices"): "vertices",
    ("loops", "vertex_index"): "vertices",
    ("loops", "edge_index"): "edges",
    ("polygons", "vertices"): "vertices",
    ("polygons", "loop_start"): "loops",
    ("polygons", "loop_total"): "loops",
}
"""A list of a mesh and a property of its elements, with the list that the property's values are indices of."""
_LISTS = {"MeshEdge": "edges", "MeshLoop": "loops", "MeshPolygon": "polygons"}
_TOPOLOGY = frozenset({".edge_verts", ".corner_vert", ".corner_edge"})
"""Attributes that contain the same indices."""
_OFFSETS = frozenset({"curve_offset_data", "curve_offsets"})
"""Members of curves that say where each begins among all points; adding and resizing curves sets them."""
METHODS = frozenset({"from_pydata", "data", *_OFFSETS})
"""Names that `method` is asked about."""


class Offset:
    """One offset, to be read."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Offsets:
    """Offsets of curves as they are now, to be read."""

    __slots__ = ("__values__",)

    def __init__(self, found: Any) -> None:
        self.__values__ = array("i", bytes(4 * len(found)))
        found.foreach_get("value", self.__values__)

    def __len__(self) -> int:
        return len(self.__values__)

    def __getitem__(self, at: int) -> Offset:
        return Offset(self.__values__[operator.index(at)])

    def foreach_get(self, name: str, values: Any) -> None:
        """As of a collection of Blender."""
        if name != "value" or len(values) != len(self):
            raise Guarded("foreach_get() of these takes 'value' and as many numbers as there are.")
        values[:] = self.__values__


class Indices(Offsets):
    """The indices of an attribute that defines the mesh, to be read."""

    __slots__ = ("__pairs__",)

    def __init__(self, attribute: Any) -> None:
        self.__pairs__ = attribute.data_type == "INT32_2D"
        count = len(attribute.data)
        self.__values__ = array("i", bytes(4 * count * (1 + self.__pairs__)))
        attribute.data.foreach_get("value", self.__values__)

    def __len__(self) -> int:
        return len(self.__values__) // (1 + self.__pairs__)

    def __getitem__(self, at: int) -> Any:
        if not self.__pairs__:
            return Offset(self.__values__[operator.index(at)])
        place = range(len(self))[operator.index(at)] * 2
        return Offset((self.__values__[place], self.__values__[place + 1]))

    def foreach_get(self, name: str, values: Any) -> None:
        """As of a collection of Blender."""
        if name != "value" or len(values) != len(self.__values__):
            raise Guarded("foreach_get() of these takes 'value' and as many numbers as there are.")
        values[:] = self.__values__

    def foreach_set(self, name: str, values: Any) -> None:
        """Refused."""
        raise Guarded("This attribute defines the mesh; use from_pydata() or bmesh.")


def check_bone(bone: Any) -> None:
    """Raises for an edit bone that was removed, or whose armature is not being edited: it has no memory any more."""
    armature = bone.id_data
    if not armature.is_editmode or not any(one == bone for one in armature.edit_bones):
        raise Guarded("This edit bone is gone: it was removed, or edit mode was left; get it from edit_bones again.")


def is_index(kind: type, name: str) -> bool:
    """Whether a property of a Blender type is an index."""
    return (_LISTS.get(kind.__name__, ""), name) in _INTO


def has_guard(kind: type, name: str) -> bool:
    """Whether reading this from a Blender type gives something that writes indices."""
    match name:
        case "from_pydata":
            return issubclass(kind, bpy.types.Mesh)
        case "data":
            return issubclass(kind, bpy.types.Attribute)
    return name in _OFFSETS


def store(thing: Any, name: str, value: Any) -> None:
    """``thing.name = value`` for an index."""
    if isinstance(value, Iterable):
        value = _whole(value)
    _check(thing.id_data, _LISTS[type(thing).__name__], name, value)
    setattr(thing, name, value)


def store_item(thing: Any, key: Any, value: Any) -> bool:
    """``thing[key] = value`` if these are indices; whether they are."""
    owner = _owner(thing)
    if owner is None:
        return False
    value = _whole(value) if isinstance(value, Iterable) else operator.index(value)
    _check(*owner, value)
    thing[key] = value
    return True


def member(thing: Any, name: str) -> Any:
    """``thing.name`` where ``has_guard``, for what is no method."""
    if name == "data":
        return Indices(thing) if thing.name in _TOPOLOGY else thing.data
    return Offsets(getattr(thing, name))


def _owner(thing: Any) -> tuple[Any, str, str] | None:
    """The mesh, its list and the property, of an array of indices."""
    if not isinstance(thing, bpy.types.bpy_prop_array):
        return None
    whole: Any = thing
    of = _LISTS.get(type(whole.data).__name__)
    if of is None or not whole.path_from_id().endswith(".vertices"):
        return None
    return whole.id_data, of, "vertices"


def check_array(thing: Any, values: Any) -> None:
    """Raises if an array contains indices and one of these values is none."""
    owner = _owner(thing)
    if owner is not None:
        _check(*owner, _whole(values))


def check_elements(elements: Any, name: str, values: Any) -> None:
    """Raises if a property of the elements of a mesh is an index and one of these values is none."""
    mesh: Any = getattr(elements, "data", None)
    if isinstance(mesh, bpy.types.Mesh):
        of = elements.path_from_id()
        if (of, name) in _INTO:
            _check(mesh, of, name, _whole(values))


def _whole(values: Any) -> Any:
    """A copy of whole numbers: a list of a script's own could give others when it is read again."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(values) is numpy.ndarray:
        return values.copy() if values.dtype.kind in "iub" else values.astype("i")
    return array("q", values)


def _check(mesh: Any, of: str, name: str, value: Any) -> None:
    into = _INTO.get((of, name))
    if into is None:
        return
    if isinstance(value, Iterable):
        if not len(value):  # type: ignore[arg-type]
            return
        smallest, largest = _ends(value)
    else:
        smallest = largest = operator.index(value)
    most = len(getattr(mesh, into)) - (name not in ("loop_start", "loop_total"))
    if largest > most or smallest < 0:
        raise Guarded(f"{name} = {largest if largest > most else smallest} is not an index of the mesh's {into}.")
    if name in ("loop_start", "loop_total"):
        faces.changed(mesh)


def from_pydata(mesh: Any, /, vertices: Any, edges: Any, faces: Any, *more: Any, **how: Any) -> Any:
    """``mesh.from_pydata``, with vertices that exist."""
    count = len(mesh.vertices) + len(vertices)
    return mesh.from_pydata(vertices, _sound(edges, count), _sound(faces, count), *more, **how)


def _sound(elements: Any, count: int) -> Any:
    """Edges or faces, all of whose vertices exist."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(elements) is numpy.ndarray and elements.dtype.kind in "iu":
        flat: Any = elements.ravel()
        found = elements.copy()
    else:
        found = [tuple(one) for one in elements]
        flat = list(chain.from_iterable(found))
        if not set(map(type, flat)) <= {int}:
            found = [tuple(map(operator.index, one)) for one in found]
            flat = list(chain.from_iterable(found))
    if len(flat):
        smallest, largest = _ends(flat)
        if largest >= count or smallest < 0:
            wrong = largest if largest >= count else smallest
            raise Guarded(f"There is no vertex {wrong}; this mesh has {count:,} vertices.")
    return found


def _ends(values: Any) -> tuple[int, int]:
    return (int(values.min()), int(values.max())) if hasattr(values, "min") else (min(values), max(values))
