# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the elements of a mesh, as `file_state` reads it, into an order that follows from the mesh alone.

Blender's own mesh operators go through elements by address, so that the same script numbers them otherwise each time.
Sorted by place and by what they are joined to, two such meshes can be compared element by element.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from file_state import differences

Mesh = dict[str, Any]
Order = list[int]
# Coordinates in the same cell of a grid this wide are one place to begin with.
CELL = 1e-3
# Where grids begin, in cells: what lies on the border of one lies within the cells of another.
SHIFTS = (0.0, 0.37, 0.71)
# Meshes in which more elements than this are alike in every respect are left partly unsorted.
MOST_ALIKE = 200
# Lists with an entry for each element of a domain, and layers of such lists.
LISTS = {"vertices": "POINT", "edges": "EDGE", "polygons": "FACE", "loops": "CORNER"}
LAYERS = {
    "uv_layers": "CORNER",
    "vertex_colors": "CORNER",
    "skin_vertices": "POINT",
    "attributes": "",
    "color_attributes": "",
}
# Numbers of elements: said by the order.
NUMBERS = {"index", "vertices", "loop_start", "vertex_index", "edge_index"}
# The same numbers as attributes.
TOPOLOGY = {".edge_verts", ".corner_vert", ".corner_edge"}


def differences_but_order(one: Any, other: Any, is_noise: Callable[[str], bool]) -> list[str]:
    """Where two states of the file differ, when meshes may number their elements as they like; noise is left out."""

    def heard(one: Any, other: Any, path: str = "") -> list[str]:
        return [line for line in differences(one, other, path) if not is_noise(line)]

    found = []
    for kind in {**one, **other}:
        if kind != "meshes":
            found += heard(one.get(kind), other.get(kind), f"/{kind}")
            continue
        for name in {**one[kind], **other[kind]}:
            a, b, path = one[kind].get(name), other[kind].get(name), f"/{kind}/{name}"
            if a == b:
                continue
            if not (a and b and is_whole(a) and is_whole(b)):
                found += heard(a, b, path)
                continue
            # Places on the border of a cell may fall on either side; they do so in one grid only.
            lines = heard(in_order(a, SHIFTS[0]), in_order(b, SHIFTS[0]), path)
            for shift in SHIFTS[1:] if lines else ():
                lines = min(lines, heard(in_order(a, shift), in_order(b, shift), path), key=len)
            found += lines
    return found


def in_order(mesh: Mesh, shift: float) -> Mesh:
    """The same mesh with its elements sorted; edges and faces name their vertices by their new numbers."""
    orders = _orders(mesh, shift)
    rank = _ranks(orders["POINT"])
    sorted_mesh = dict(mesh)
    for key, domain in LISTS.items():
        sorted_mesh[key] = [_without_numbers(mesh[key][n]) for n in orders[domain]]
    for key, domain in LAYERS.items():
        layers = mesh.get(key)
        if isinstance(layers, list):
            sorted_mesh[key] = [_layer(layer, domain, orders) for layer in layers if layer.get("name") not in TOPOLOGY]
    for edge, n in zip(sorted_mesh["edges"], orders["EDGE"], strict=True):
        edge["vertices"] = tuple(sorted(rank[v] for v in mesh["edges"][n]["vertices"]))
    corners = iter(orders["CORNER"])
    for face in sorted_mesh["polygons"]:
        around = [next(corners) for _ in range(face["loop_total"])]
        face["vertices"] = tuple(rank[mesh["loops"][corner]["vertex_index"]] for corner in around)
    return sorted_mesh


def is_whole(mesh: Mesh) -> bool:
    """Whether every element was read: `file_state` leaves very long lists out."""
    return all(mesh.get(key) is not None for key in LISTS)


def _ranks(order: Order) -> Order:
    ranks = [0] * len(order)
    for rank, n in enumerate(order):
        ranks[n] = rank
    return ranks


def _without_numbers(element: Mesh) -> Mesh:
    return {key: value for key, value in element.items() if key not in NUMBERS}


def _layer(layer: Mesh, domain: str, orders: dict[str, Order]) -> Mesh:
    order = orders.get(domain or layer.get("domain", ""), [])

    # A layer shows the same elements in several lists, as `data` and `uv` of UV maps.
    def is_list(value: Any) -> bool:
        return isinstance(value, list) and len(value) == len(order)

    return {key: [value[n] for n in order] if is_list(value) else value for key, value in layer.items()}


def _orders(mesh: Mesh, shift: float) -> dict[str, Order]:
    """The order of each domain's elements, as their present numbers."""
    edges = [edge["vertices"] for edge in mesh["edges"]]
    faces = [list(range(face["loop_start"], face["loop_start"] + face["loop_total"])) for face in mesh["polygons"]]
    corner_vertex = [loop["vertex_index"] for loop in mesh["loops"]]
    places = [tuple(round(number / CELL + shift) for number in vertex["co"]) for vertex in mesh["vertices"]]
    texts = {
        key: _texts(mesh, key, domain) for key, domain in LISTS.items() if key in ("vertices", "edges", "polygons")
    }
    colours = _told_apart(
        places, texts["vertices"], edges, [[corner_vertex[corner] for corner in face] for face in faces]
    )
    points = sorted(range(len(colours)), key=lambda n: colours[n])

    # A face begins where the numbers of its vertices are smallest.
    turned = [_turned(face, [colours[corner_vertex[corner]] for corner in face]) for face in faces]

    def of_edge(n: int) -> Any:
        return sorted(colours[v] for v in edges[n]), texts["edges"][n]

    def of_face(n: int) -> Any:
        return [colours[corner_vertex[corner]] for corner in turned[n]], texts["polygons"][n]

    face_order = sorted(range(len(faces)), key=of_face)
    return {
        "POINT": points,
        "EDGE": sorted(range(len(edges)), key=of_edge),
        "FACE": face_order,
        "CORNER": [corner for n in face_order for corner in turned[n]],
    }


def _texts(mesh: Mesh, key: str, domain: str) -> list[str]:
    """What each element of a domain holds itself, in its entry and in the attributes."""
    texts = [repr(_without_numbers(element)) for element in mesh[key]]
    for attribute in mesh.get("attributes") or []:
        data = attribute.get("data")
        if attribute.get("domain") == domain and attribute.get("name") not in TOPOLOGY and isinstance(data, list):
            texts = [text + repr(value) for text, value in zip(texts, data, strict=True)]
    return texts


def _turned(around: Sequence[int], colours: Sequence[int]) -> list[int]:
    turns = range(len(around))
    first = min(turns, key=lambda turn: [*colours[turn:], *colours[:turn]], default=0)
    return [*around[first:], *around[:first]]


def _told_apart(
    places: Sequence[tuple[int, ...]], texts: Sequence[str], edges: Sequence[list[int]], faces: Sequence[list[int]]
) -> list[int]:
    """A colour for each vertex, from its place, its neighbours and its own data; as few as possible share one."""
    joined: dict[int, list[int]] = defaultdict(list)
    for a, b in edges:
        joined[a].append(b)
        joined[b].append(a)
    within: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, face in enumerate(faces):
        for at, vertex in enumerate(face):
            within[vertex].append((number, at))

    def neighbours(vertex: int, colours: Sequence[int]) -> Any:
        around = sorted(
            [colours[v] for v in (*faces[number][at:], *faces[number][:at])] for number, at in within[vertex]
        )
        return sorted(colours[v] for v in joined[vertex]), around

    def refined(colours: list[int]) -> list[int]:
        while True:
            shared = set(_shared(colours))
            keys = [
                (colour, neighbours(vertex, colours) if colour in shared else ([], []))
                for vertex, colour in enumerate(colours)
            ]
            finer = _coloured(keys)
            if max(finer, default=0) == max(colours, default=0):
                return colours
            colours = finer

    colours = refined(_coloured(places))
    colours = refined(_coloured(list(zip(colours, texts, strict=True))))
    for _ in range(MOST_ALIKE):
        alike = min(_shared(colours), default=None)
        if alike is None:
            break
        # Any of those that nothing tells apart may come first.
        first = colours.index(alike)
        colours = refined(_coloured([(colour, vertex != first) for vertex, colour in enumerate(colours)]))
    return colours


def _shared(colours: Iterable[int]) -> Iterator[int]:
    counts: dict[int, int] = defaultdict(int)
    for colour in colours:
        counts[colour] += 1
    return (colour for colour, count in counts.items() if count > 1)


def _coloured(keys: Sequence[Any]) -> list[int]:
    """Equal keys get equal numbers, in the order of the keys."""
    order = sorted(range(len(keys)), key=lambda n: keys[n])
    colours = [0] * len(keys)
    colour = -1
    last: Any = None
    for n in order:
        if colour < 0 or keys[n] != last:
            colour, last = colour + 1, keys[n]
        colours[n] = colour
    return colours
