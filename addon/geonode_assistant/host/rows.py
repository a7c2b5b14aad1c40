# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of many elements, kept as bytes, so that equal ones are told without looking at each.

Only what differs is spread out: edges of meshes then come in the order of the vertices that they join, since Blender's
own operators number them by address, otherwise each time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

_KINDS = {"FLOAT": "f", "INT": "i", "BOOLEAN": "b"}
"""Types of an array for the numbers of a property."""
_FORMATS = {"f": "f", "i": "i", "b": "?"}
"""Formats of buffers into which Blender copies such numbers."""
_ASKED = frozenset({"INT8", "INT16_2D", "STRING"})
"""Attributes that are not copied: Blender asks each element, and writes into an array only."""
_BUILT_IN = frozenset({".edge_verts", ".corner_vert", ".corner_edge"})
"""Attributes that are the mesh itself."""
MANY = 64
"""A longer list of elements is read at once, property by property."""
MOST_EDGES = 100_000
"""The most edges of a mesh that is spread out."""


class Rows:
    """One property of all elements: ``width`` numbers for each."""

    __slots__ = ("_kind", "_numbers", "width")

    def __init__(self, values: Any, name: str, kind: str, width: int = 1, copied: bool = False) -> None:
        """Reads the property of all ``values``. ``kind``: as of ``_KINDS``. ``copied``: Blender holds them so."""
        self._kind, self.width = kind, width
        if copied:
            self._numbers = bytearray(array(kind).itemsize * len(values) * width)
            values.foreach_get(name, memoryview(self._numbers).cast(_FORMATS[kind]))  # type: ignore[call-overload]
        else:
            numbers: array[Any] = array(kind, [0]) * (len(values) * width)
            values.foreach_get(name, numbers)
            self._numbers = bytearray(numbers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and (self._kind, self.width, self._numbers) == (
            other._kind,
            other.width,
            other._numbers,
        )

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self._numbers) // (array(self._kind).itemsize * self.width)

    def spread(self) -> list[Any]:
        """The numbers, one after another."""
        return array(self._kind, bytes(self._numbers)).tolist()


def read(values: Any, known: Any = (), copied: bool = False) -> dict[str, Rows] | None:
    """The elements of a long list by property; None where an element holds more than numbers. ``known``: properties
    that are left out; ``copied`` as of ``Rows``.
    """
    found: dict[str, Rows] = {}
    for prop in values[0].bl_rna.properties:
        if prop.identifier in known or prop.is_readonly and prop.type != "POINTER":
            continue
        if prop.type not in _KINDS:
            return None
        try:
            width = max(prop.array_length, 1)
            found[prop.identifier] = Rows(values, prop.identifier, _KINDS[prop.type], width, copied)
        except (TypeError, RuntimeError, AttributeError):
            return None
    return found


def _built_in(mesh: Any, attribute: str, values: Any, name: str, width: int = 1) -> Rows:
    """Blender copies an attribute as it is, but asks each element for a property."""
    found = mesh.attributes.get(attribute)
    if found is None:
        return Rows(values, name, "i", width)
    return Rows(found.data, "value", "i", width, copied=True)


class Elements:
    """The elements of a mesh with their attributes. Equal where only the numbers of the edges differ."""

    def __init__(self, mesh: Any, grouped: bool, plain: Callable[[Any], Any]) -> None:
        """``grouped``: whether its vertices may be in groups. ``plain``: gives the values of one element."""
        self._edges = _built_in(mesh, ".edge_verts", mesh.edges, "vertices", 2)
        self._corners = _built_in(mesh, ".corner_vert", mesh.loops, "vertex_index")
        self._along = _built_in(mesh, ".corner_edge", mesh.loops, "edge_index")
        self._starts = Rows(mesh.polygons, "loop_start", "i")
        self._attributes: dict[str, tuple[str, str, Any]] = {}
        for one in mesh.attributes:
            if one.name not in _BUILT_IN:
                few = len(one.data) <= MANY
                values = (
                    [plain(each) for each in one.data]
                    if few
                    else read(one.data, ("rna_type",), one.data_type not in _ASKED)
                )
                self._attributes[one.name] = (one.data_type, one.domain, values)
        self._others = {
            "groups": _groups(mesh) if grouped else {},
            "uv": [(layer.name, layer.active, layer.active_render) for layer in mesh.uv_layers],
            "color": (mesh.attributes.active_color_name, mesh.attributes.default_color_name),
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Elements) and (self._whole == other._whole or self.spread == other.spread)

    __hash__ = None  # type: ignore[assignment]

    @property
    def _whole(self) -> tuple[Any, ...]:
        return self._edges, self._corners, self._along, self._starts, self._attributes, self._others

    @cached_property
    def spread(self) -> dict[str, Any]:
        """All of it as numbers, edges in the order of their vertices. Raises ``TooSlow`` for a large mesh."""
        if len(self._edges) > MOST_EDGES:
            raise TooSlow
        ends = self._edges.spread()
        pairs = [tuple(sorted(ends[at : at + 2])) for at in range(0, len(ends), 2)]
        order = sorted(range(len(pairs)), key=pairs.__getitem__)
        rank = [0] * len(pairs)
        for place, edge in enumerate(order):
            rank[edge] = place
        along = self._along.spread()
        attributes = {
            name: (kind, domain, _spread(values, order if domain == "EDGE" else None))
            for name, (kind, domain, values) in self._attributes.items()
        }
        return {
            "edges": [pairs[edge] for edge in order],
            "corners": self._corners.spread(),
            "along": [rank[edge] for edge in along],
            "starts": self._starts.spread(),
            "attributes": attributes,
            **self._others,
        }


class TooSlow(Exception):
    """Reading or comparing would take longer than it may."""


def _groups(mesh: Any) -> dict[int, list[tuple[int, float]]]:
    """The weights of the vertices that have any."""
    return {n: found for n, one in enumerate(mesh.vertices) if (found := [(g.group, g.weight) for g in one.groups])}


def _spread(values: Any, order: Sequence[int] | None) -> Any:
    """The values of an attribute as numbers, in another order."""
    if isinstance(values, list):
        return values if order is None else [values[edge] for edge in order]
    if values is None:
        return None
    found = {}
    for name, rows in values.items():
        numbers, width = rows.spread(), rows.width
        found[name] = (
            numbers
            if order is None
            else [number for edge in order for number in numbers[edge * width : (edge + 1) * width]]
        )
    return found
