# SPDX-License-Identifier: GPL-3.0-or-later
"""What a data-block leads to: the addresses of its parts, so that what is gone can be told from what is still there."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import bpy
import numpy as np

from . import dynamic_types

Place = tuple[str | int, ...]
"""Where the elements of an array are found in a data-block: names and positions that lead there, then their type."""
Rows = dict[Place, range]
"""Addresses of elements that lie in a row."""
Key = tuple[int, str]
"""The address and the name of the type of something."""
Route = tuple[tuple[str, int | None], ...] | str
"""The members that lead to something, with positions in those that are many; or Blender's own path to it."""

_MANY = 10_000
"""The most vertices whose groups are looked at."""


class Reached:
    """Addresses in a data-block, each with the types of what is there: single ones, and elements that lie in a row."""

    def __init__(self) -> None:
        self._single: dict[int, frozenset[str]] = {}
        self.rows: Rows = {}
        self.layers: dict[Place, int] = {}
        """The address of each attribute and layer, of which there may be more at any time, which moves them."""
        self._parents: dict[Key, tuple[Key, str, int | None]] = {}

    def kinds(self, address: int) -> frozenset[str]:
        """The types of what is at an address. A struct and the first one in it are at the same."""
        in_rows = frozenset(str(place[-1]) for place, row in self.rows.items() if address in row)
        return self._single.get(address, _NOTHING) | in_rows

    def addresses(self) -> set[int]:
        return set(self._single).union(*self.rows.values())

    def add(self, address: int, kind: str) -> None:
        self._single[address] = self._single.get(address, _NOTHING) | {kind}

    def add_part(self, key: Key, parent: Key, name: str, at: int | None) -> None:
        """Adds what a member of another leads to, at a position if there are many."""
        self.add(*key)
        self._parents[key] = (parent, name, at)

    def route(self, key: Key) -> Route | None:
        """How to get to what is at this address, from where the search began; None if it is in a row or nowhere."""
        steps = []
        while key in self._parents:
            key, name, at = self._parents[key]
            steps.append((name, at))
        return tuple(reversed(steps)) or None

    def add_row(self, elements: Any, place: Place) -> bool:
        """Whether these lie in a row."""
        count = len(elements)
        if not count:
            return False
        ends = [elements[at] for at in (0, min(1, count - 1), count - 1)]
        if None in ends:  # slots, of which some are empty
            return False
        first, second, last = (one.as_pointer() for one in ends)
        step = second - first if count > 1 else 1
        if step <= 0 or last != first + step * (count - 1):
            return False
        self.rows[place] = range(first, last + 1, step)
        return True


_NOTHING: frozenset[str] = frozenset()


def is_still_there(address: int, kind: str, before: Reached, after: Reached) -> bool:
    """Whether what an object of this type points to is there. Blender gives an address that it has freed to others."""
    was, now = before.kinds(address), after.kinds(address)
    if not was and kind == "VertexGroupElement":
        return False  # they are not looked for where there are many
    if not was or kind in now or kind not in was and was & now:
        return True
    return any(_is_alike(kind, other) for other in now)


def _is_alike(kind: str, other: str) -> bool:
    """Whether what holds one type holds the other, too."""
    return kind == other or _holds(kind) != () and _holds(kind) == _holds(other)


@cache
def _holds(kind: str) -> tuple[Any, ...]:
    """What a socket of this type holds; empty for other types.

    Another subtype or number of dimensions gives a socket another type, while it holds the same. With another type of
    value it holds other memory, which its former type would read and write beyond its end.
    """
    if _bases(kind).isdisjoint(_SOCKETS):
        return ()
    known: Any = getattr(bpy.types, kind).bl_rna.properties
    value = known.get("default_value")
    word = re.match("[A-Z][a-z]*", kind.removeprefix("NodeTreeInterface").removeprefix("Node").removeprefix("Socket"))
    if value is None or word is None:
        return ()
    pointed = getattr(value, "fixed_type", None)
    return word[0], value.type, bool(getattr(value, "is_array", False)), pointed and pointed.identifier


_SOCKETS = ("NodeSocket", "NodeTreeInterfaceSocket")


def followed(address: int, kind: str, before: Reached, after: Reached) -> int | None:
    """Where the layer or element of this type that was at an address is now."""
    for place, other in before.layers.items():
        if other == address and place[-1] == kind:
            return after.layers.get(place)
    return followed_in_rows(address, kind, before.rows, after.rows)


def followed_in_rows(address: int, kind: str, before: Rows, after: Rows) -> int | None:
    """Where the element of this type that was at an address is now: at its position in the same array."""
    for place, row in before.items():
        if place[-1] == kind and address in row:
            other = after.get(place)
            if other is not None and len(other) == len(row) and other.step == row.step:
                return other[row.index(address)]
    return None


@cache
def shared_types() -> dict[int, str]:
    """The types, by the address of their description, of elements of arrays that data-blocks share until one of them
    is looked at: then it gets an array of its own, and what pointed to its elements points to those of the others.
    """
    names = [name for name in dir(bpy.types) if is_shared(name)]
    return {getattr(bpy.types, name).bl_rna.as_pointer(): name for name in names}


def is_shared(kind: str) -> bool:
    """Whether elements of this type lie in arrays that data-blocks share."""
    return kind in _SHARED or kind.endswith("AttributeValue")


_SHARED = frozenset({
    "CurvePoint", "CurveSlice", "FloatVectorValueReadOnly", "MeshEdge", "MeshLoop", "MeshLoopColor", "MeshLoopTriangle",
    "MeshNormalValue", "MeshPolygon", "MeshSkinVertex", "MeshUVLoop", "MeshVertex", "Point", "ReadOnlyInteger",
    "VertexGroupElement",
})  # fmt: skip


def is_layer(kind: str) -> bool:
    """Whether this is the name of a type of attributes or layers."""
    return "Attribute" in _bases(kind) or kind in _LAYERS


_LAYERS = frozenset({"Attribute", "MeshLoopColorLayer", "MeshSkinVertexLayer", "MeshUVLoopLayer"})
GROWING = {
    "MeshVertex": frozenset({"hide", "select"}),
    "MeshEdge": frozenset({"hide", "select", "use_seam", "use_edge_sharp", "use_freestyle_mark"}),
    "MeshPolygon": frozenset({"hide", "select", "use_smooth", "material_index", "use_freestyle_mark"}),
    "MeshUVLoop": frozenset({"select", "select_edge", "pin_uv"}),
    "MeshUVLoopLayer": frozenset({"vertex_selection", "edge_selection", "pin"}),
    "CurvePoint": frozenset({"radius"}),
    "Point": frozenset({"radius"}),
}
"""By type the properties that are attributes: setting them, or reading those of a layer, may make one."""


def grows(cls: type, name: str) -> bool:
    """Whether setting or reading this may make an attribute, which moves the others in this Blender."""
    return bpy.app.version < (5, 2) and name in GROWING.get(cls.__name__, ())


def reached(root: Any, names: frozenset[str]) -> Reached:
    """The addresses of everything of these types that a data-block, or a struct in one, leads to within the block."""
    found = Reached()
    if root is None:
        return found
    described: Any = root.bl_rna
    whole = "" in names or isinstance(root, bpy.types.ID) and not _leads(described.identifier, names)
    own = (root.id_data or root).as_pointer()
    start: Place = ()
    first: Key = (root.as_pointer(), described.identifier)
    waiting = [(root, start, first)]
    seen = {first}
    while waiting:
        one, path, parent = waiting.pop()
        for name, kind, many, leaf, shared, rows in _edges(parent[1], names, whole):
            if kind == "MeshLoopTriangle" and not _has_faces(one):
                continue
            try:
                value = getattr(one, name)
                if value is None:
                    continue
                if rows and found.add_row(value, (*path, name, kind)) and leaf:
                    continue
                # What else leads from an element leads to other arrays of the block.
                if shared and ("VertexGroupElement" not in names or many and len(value) > _MANY):
                    continue
                for at, part in enumerate(value) if many else ((0, value),):
                    if part is None or isinstance(part, bpy.types.ID):
                        continue
                    held = part.id_data
                    key = (part.as_pointer(), part.bl_rna.identifier)
                    if key in seen or held is None or held.as_pointer() != own:
                        continue
                    seen.add(key)
                    found.add_part(key, parent, name, at if many else None)
                    if kind in _LAYERS:
                        found.layers[(*path, name, part.name, key[1])] = key[0]
                    waiting.append((part, (*path, name, at if shared else getattr(part, "name", at)), key))
            except (AttributeError, KeyError, RuntimeError, TypeError):
                continue
    return found


def _has_faces(mesh: Any) -> bool:
    """Whether Blender can cut the faces of a mesh into triangles: new ones without corners yet crash it."""
    corners = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    return bool((corners > 2).all())


def leads_to(root: Any, route: Route, key: Key) -> bool:
    """Whether this is where the route leads now."""
    try:
        one = root.path_resolve(route) if isinstance(route, str) else _walked(root, route)
        return one.as_pointer() == key[0] and _is_alike(key[1], one.bl_rna.identifier)
    except (AttributeError, IndexError, KeyError, ReferenceError, RuntimeError, TypeError, ValueError):
        return False


def _walked(root: Any, route: Iterable[tuple[str, int | None]]) -> Any:
    one = root
    for name, at in route:
        one = getattr(one, name)
        if at is not None:
            one = one[at]
    return one


def route_to(thing: Any) -> Route | None:
    """The route to a struct, or to that of which this is a list or an array, for types for which it is known at once.
    It may have been renamed since, so where it leads has to be looked at.
    """
    struct = thing if isinstance(thing, bpy.types.bpy_struct) else getattr(thing, "data", None)
    try:
        if isinstance(struct, _WITH_PATHS):
            return struct.path_from_id()
        for kind, steps in _LISTED.items():
            if isinstance(struct, kind):
                of: Any = struct
                siblings = [one.as_pointer() for one in _walked(of.id_data, steps)]
                place = siblings.index(of.as_pointer())
                return (*steps[:-1], (steps[-1][0], place))
    except (AttributeError, ReferenceError, RuntimeError, ValueError):
        pass
    return None


_WITH_PATHS = (bpy.types.Node, bpy.types.NodeSocket, bpy.types.Modifier, bpy.types.Constraint, bpy.types.ShapeKey)
_LISTED: dict[type, tuple[tuple[str, int | None], ...]] = {
    bpy.types.NodeLink: (("links", None),),
    bpy.types.NodeTreeInterfaceItem: (("interface", None), ("items_tree", None)),
}


NAMES: dict[int, str] = {}
"""The names of types by the address of their description, as far as they are known."""


def name_of(thing: Any, kind: int) -> str:
    """The name of the type, which has this address, of what an object points to; empty if nothing tells it."""
    if kind not in NAMES:
        if dynamic_types.DYNAMIC and dynamic_types.is_dynamic(dynamic_types.type_of(thing)):
            return dynamic_types.type_of(thing).__name__
        with contextlib.suppress(AttributeError, ReferenceError, RuntimeError):
            described: Any = (thing if isinstance(thing, bpy.types.bpy_struct) else thing.data).bl_rna
            NAMES[described.as_pointer()] = described.identifier
    return NAMES.get(kind, "")


@cache
def _parts(identifier: str) -> tuple[tuple[str, bool, str], ...]:
    """The members of a type that hold structs: name, whether many, type."""
    described = getattr(getattr(bpy.types, identifier, None), "bl_rna", None)
    return tuple(_members(described)) if described is not None else ()


def _members(described: Any) -> Iterator[tuple[str, bool, str]]:
    for prop in described.properties:
        if prop.type not in ("COLLECTION", "POINTER") or prop.identifier == "rna_type":
            continue
        fixed = prop.fixed_type
        kind = getattr(bpy.types, fixed.identifier, None)
        if kind is None or not issubclass(kind, bpy.types.ID):
            yield prop.identifier, prop.type == "COLLECTION", fixed.identifier


@cache
def _bases(identifier: str) -> frozenset[str]:
    found = set()
    described = getattr(getattr(bpy.types, identifier, None), "bl_rna", None)
    while described is not None:
        found.add(described.identifier)
        described = described.base
    return frozenset(found)


@cache
def _wanted(names: frozenset[str]) -> frozenset[str]:
    """Types as whose members something of these types may be found."""
    return frozenset().union(*(_bases(name) for name in names))


@cache
def _leads(identifier: str, names: frozenset[str]) -> bool:
    """Whether something of this type, or of one derived from it, leads to something of those."""
    wanted = _wanted(names)
    waiting, seen = [identifier], {identifier}
    while waiting:
        one = waiting.pop()
        further = _derived(one)
        for _, _, kind in _parts(one):
            if kind in wanted:
                return True
            further.append(kind)
        for kind in further:
            if kind not in seen:
                seen.add(kind)
                waiting.append(kind)
    return False


def _derived(identifier: str) -> list[str]:
    """The types derived from one, such as those of attributes, each with its own data."""
    return list(families().get(identifier, ()))


@cache
def families() -> dict[str, list[str]]:
    """Blender's types by the one that they are derived from.

    Python's own list of subclasses lacks those that nobody has asked for, and holds those of add-ons that are gone. To
    ask one of these for its description crashes Blender.
    """
    found: dict[str, list[str]] = {}
    for name in dir(bpy.types):
        described = getattr(getattr(bpy.types, name, None), "bl_rna", None)
        if described is not None and described.base is not None:
            found.setdefault(described.base.identifier, []).append(described.identifier)
    return found


class _Edge(NamedTuple):
    """A member of a type to look at."""

    name: str
    kind: str
    many: bool
    leaf: bool
    """Nothing further is looked for in it."""
    shared: bool
    rows: bool
    """Its elements may lie in a row, and all are of one type."""


@cache
def _edges(identifier: str, names: frozenset[str], whole: bool) -> tuple[_Edge, ...]:
    wanted = _wanted(names)
    found = []
    for name, many, kind in _parts(identifier):
        further = whole or _leads(kind, names)
        if kind in wanted or further:
            leaf, shared = not further, is_shared(kind)
            rows = many and (leaf or shared) and kind not in _LAYERS and not _derived(kind)
            found.append(_Edge(name, kind, many, leaf, shared, rows))
    return tuple(found)
