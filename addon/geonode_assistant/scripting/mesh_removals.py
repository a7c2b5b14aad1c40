# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script takes away from meshes by way of a ``BMesh``: by writing another over one, or by deleting from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bmesh
import bpy

from .. import native
from ..host import belongings, census
from . import faces, passing, watches
from .removals import DOUBLES, Removal, is_free, is_near, lessen, outside, unless_asked

_read: dict[int, tuple[Any, dict[int, Any]]] = {}
"""The script's ``BMesh`` objects, with the meshes that they were read from, by ``session_uid``."""
_edited: set[int] = set()
"""Those that are the mesh in Edit Mode itself, which nobody writes back."""
_lessened: set[int] = set()
"""Those from which it deleted something unasked."""
_excused: set[int] = set()
"""Those from which it deleted where somebody was asked."""
WEIGHTS = bmesh.types.BMDeformVert
"""The weights of a vertex, which do not tell to which ``BMesh`` they belong."""
SEQUENCES = frozenset({"builtins.BMVertSeq", "builtins.BMEdgeSeq", "builtins.BMFaceSeq"})
"""The names of the types from whose lists elements are deleted."""


def begin() -> None:
    """Called before the first line of a script."""
    _read.clear()
    _edited.clear()
    _lessened.clear()
    _excused.clear()


def from_mesh(mesh: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``BMesh.from_mesh``; what was read from a mesh may replace it."""
    _read_from(mesh, kwargs.get("mesh", args[0] if args else None))
    for one in (*args, *kwargs.values()):
        if isinstance(one, bpy.types.Mesh):
            faces.check_use(one)
    return mesh.from_mesh(*args, **kwargs)


def from_object(mesh: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``BMesh.from_object``."""
    _read_from(mesh, getattr(kwargs.get("object", args[0] if args else None), "data", None))
    named = {name: passing.as_object(one) for name, one in kwargs.items()}
    return mesh.from_object(*map(passing.as_object, args), **named)


def from_edit_mesh(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``bmesh.from_edit_mesh``."""

    def read(mesh: Any) -> Any:
        found = make(mesh)
        _read_from(found, mesh)
        _edited.add(id(found))
        return found

    return read


def copied(mesh: Any) -> Any:
    """``BMesh.copy``."""
    found = mesh.copy()
    if id(mesh) in _read:
        _read[id(found)] = found, dict(_read[id(mesh)][1])
    if id(mesh) in _lessened:
        _lessened.add(id(found))
    return found


def _read_from(mesh: Any, source: Any) -> None:
    if isinstance(source, bpy.types.ID):
        _edited.discard(id(mesh))
        _read.setdefault(id(mesh), (mesh, {}))[1][source.session_uid] = source


def to_mesh(mesh: Any) -> Any:
    """``BMesh.to_mesh``: nothing of a mesh that was there is left, unless it was read from that mesh."""

    def check(*args: Any, **kwargs: Any) -> None:
        target = kwargs.get("mesh", args[0] if args else None)
        if isinstance(target, bpy.types.Mesh) and len(target.vertices):
            read = _read.get(id(mesh), (None, {}))[1]
            if (
                not len(mesh.verts)
                and id(mesh) not in _excused
                or target.session_uid not in read
                or id(mesh) in _lessened
            ):
                unless_asked([target], "to_mesh")
            if _loses_weights(mesh, target):
                unless_asked([target], "to_mesh")

    def write(*args: Any, **kwargs: Any) -> Any:
        with watches.Watch():
            return mesh.to_mesh(*args, **kwargs)

    return write if is_free() else Removal(write, check, None)


def _loses_weights(mesh: Any, target: Any) -> bool:
    """Whether a mesh with vertex groups would be written over by one without any weights."""
    if len(mesh.verts.layers.deform):
        return False
    grouped = any(obj.data == target and len(obj.vertex_groups) for obj in census.every("objects"))
    return grouped and any(len(vertex.groups) for vertex in target.vertices)


_WEIGHTS = frozenset({belongings.WEIGHTS})
_ALL = belongings.ELEMENTS | _WEIGHTS


class Deleting:
    """A function that deletes elements of a ``BMesh``, as a script has it."""

    # No script can use names like these, not even for its own attributes.
    __slots__ = ("__asked_about__", "__kinds__", "__name__", "__of__", "__real__", "__unasked__")

    def __init__(
        self,
        real: Callable[..., Any],
        of: Callable[..., Any],
        unasked: Callable[[Any], None],
        kinds: frozenset[str] = _ALL,
        asked: bool = False,
    ) -> None:
        """``of`` tells from the arguments which ``BMesh`` it may be; ``unasked`` is called with each where nobody was
        asked; ``kinds``: what there may be less of where somebody was.
        """
        self.__real__, self.__of__, self.__unasked__, self.__kinds__ = real, of, unasked, kinds
        self.__asked_about__ = asked
        self.__name__ = "delete"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Deletes; raises ``Unasked`` for a mesh in Edit Mode that was there."""
        if not is_free():
            for mesh in self.__of__(*args, **kwargs):
                if self.__asked_about__:
                    _excuse(mesh, self.__kinds__)
                else:
                    self.__unasked__(mesh)
        return self.__real__(*args, **kwargs)

    def __asked__(self) -> Deleting:
        """The same for a place that the artist was asked about."""
        return Deleting(self.__real__, self.__of__, self.__unasked__, self.__kinds__, asked=True)


def _excuse(mesh: Any, kinds: frozenset[str]) -> None:
    """There may be less of what a ``BMesh`` was read from."""
    lessen(_read.get(id(mesh), (None, {}))[1].values(), kinds)
    if kinds >= belongings.ELEMENTS:
        _excused.add(id(mesh))


def _lessen(mesh: Any) -> None:
    """Notes that something goes of what was read; raises for a mesh in Edit Mode that was there."""
    if id(mesh) in _edited:
        unless_asked(_read[id(mesh)][1].values(), "bmesh.ops.delete")
    elif id(mesh) in _read:
        _lessened.add(id(mesh))


def _every(*_: Any, **__: Any) -> list[Any]:
    return [mesh for mesh, _ in _read.values()]


def _given(*args: Any, **kwargs: Any) -> list[Any]:
    return [kwargs.get("bm", args[0] if args else None)]


def deleting(function: Callable[..., Any]) -> Deleting:
    """``bmesh.ops.delete``."""
    return Deleting(function, _given, _lessen)


def joining(function: Callable[..., Any]) -> Deleting:
    """A function of ``bmesh.ops`` after which there may be fewer elements: they are counted after the last line."""
    return Deleting(function, _given, lambda _: None)


def merging(function: Callable[..., Any]) -> Deleting:
    """``bmesh.ops.remove_doubles`` and the like: what lies in the same place is no loss."""

    def merged(*args: Any, **kwargs: Any) -> Any:
        if is_near(kwargs.get("dist", 0.0)):
            for mesh in _given(*args, **kwargs):
                _excuse(mesh, DOUBLES)
        return function(*args, **kwargs)

    return joining(merged)


def bisecting(function: Callable[..., Any]) -> Deleting:
    """``bmesh.ops.bisect_plane``, which may delete one side, and makes as many vertices anew."""

    def of(*args: Any, **kwargs: Any) -> list[Any]:
        return _given(*args, **kwargs) if kwargs.get("clear_inner") or kwargs.get("clear_outer") else []

    return Deleting(function, of, _lessen)


def emptying(mesh: Any) -> Deleting:
    """``BMesh.clear``."""
    return Deleting(outside(mesh.clear), lambda *_, **__: [mesh], _lessen)


def weightless(weights: Any) -> Deleting:
    """``BMDeformVert.clear``."""
    return Deleting(weights.clear, _every, _lessen, _WEIGHTS)


def delete_weight(weights: Any, group: Any) -> None:
    """``del weights[group]``."""
    if group in weights and not is_free():
        for mesh in _every():
            _lessen(mesh)
    del weights[group]


def removing(elements: Any) -> Deleting:
    """``remove`` of the vertices, edges or faces of a ``BMesh``."""

    def of(*args: Any, **_named: Any) -> list[Any]:
        lists = ((mesh, (mesh.verts, mesh.edges, mesh.faces)) for mesh in _every() if mesh.is_valid)
        return [mesh for mesh, every in lists if args and any(args[0] in one for one in every)]

    def remove(*args: Any) -> Any:
        return native.core().call_enclosed(elements.remove, *args)

    return Deleting(remove, of, _lessen)
