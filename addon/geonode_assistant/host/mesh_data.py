# SPDX-License-Identifier: GPL-3.0-or-later
"""The elements and attributes of a mesh as plain lists, exactly: the same lists make the same mesh."""

from __future__ import annotations

import zlib
from array import array
from typing import Any

import bmesh

from .errors import HostError

# The number of values of each element, and the name of the property that holds them, by type of attribute.
_TYPES: dict[str, tuple[int, str, type]] = {
    "FLOAT": (1, "value", float),
    "INT": (1, "value", int),
    "INT8": (1, "value", int),
    "BOOLEAN": (1, "value", bool),
    "FLOAT_VECTOR": (3, "vector", float),
    "FLOAT2": (2, "vector", float),
    "FLOAT_COLOR": (4, "color", float),
    "BYTE_COLOR": (4, "color_srgb", float),
    "INT32_2D": (2, "value", int),
    "QUATERNION": (4, "value", float),
}
# Written together with the elements.
_TOPOLOGY = frozenset({"position", ".edge_verts", ".corner_vert", ".corner_edge"})


def read(mesh: Any) -> dict[str, Any]:
    """Raises ``record_invalid`` for a mesh that lists cannot hold: shape keys, vertex groups, custom normals."""
    if mesh.shape_keys is not None:
        raise _unsupported(mesh, "shape keys")
    if mesh.has_custom_normals:
        raise _unsupported(mesh, "custom normals")
    if any(vertex.groups for vertex in mesh.vertices):
        raise _unsupported(mesh, "vertex groups")
    attributes = [_attribute(mesh, one) for one in mesh.attributes]
    layers = mesh.uv_layers
    return {
        "vertices": _values(mesh.vertices, "co", 3, float),
        "edges": _values(mesh.edges, "vertices", 2, int),
        "corners": _values(mesh.loops, "vertex_index", 1, int),
        "corner_edges": _values(mesh.loops, "edge_index", 1, int),
        "faces": _values(mesh.polygons, "loop_start", 1, int),
        "attributes": attributes,
        "uv": layers.active.name if layers.active is not None else None,
        "uv_render": next((layer.name for layer in layers if layer.active_render), None),
        "color": mesh.attributes.active_color_name or None,
        "color_render": mesh.attributes.default_color_name or None,
    }


def numbering(mesh: Any, of_edges: bool) -> int:
    """A number that differs when the elements are numbered or joined otherwise; edges only where they are meant."""
    edges, corners = array("i"), array("i", bytes(4 * len(mesh.loops)))
    if of_edges or not len(mesh.loops):
        edges = array("i", bytes(8 * len(mesh.edges)))
        mesh.edges.foreach_get("vertices", edges)
    mesh.loops.foreach_get("vertex_index", corners)
    return zlib.crc32(corners, zlib.crc32(edges, len(mesh.vertices)))


def _attribute(mesh: Any, attribute: Any) -> dict[str, Any]:
    if attribute.data_type not in _TYPES:
        raise _unsupported(mesh, f"attributes of the type {attribute.data_type}")
    width, name, kind = _TYPES[attribute.data_type]
    own = attribute.name in _TOPOLOGY
    return {
        "name": attribute.name,
        "type": attribute.data_type,
        "domain": attribute.domain,
        "values": [] if own else _values(attribute.data, name, width, kind),
    }


def _values(elements: Any, name: str, width: int, kind: type) -> list[Any]:
    values = [kind()] * (len(elements) * width)
    elements.foreach_get(name, values)
    return values


def _unsupported(mesh: Any, what: str) -> HostError:
    return HostError("record_invalid", f'The mesh "{mesh.name}" has {what}.')


def write(mesh: Any, data: dict[str, Any]) -> None:
    """Replaces all elements of a mesh. The lists fit each other: the core has checked them."""
    mesh.clear_geometry()
    mesh.vertices.add(len(data["vertices"]) // 3)
    mesh.edges.add(len(data["edges"]) // 2)
    mesh.loops.add(len(data["corners"]))
    mesh.polygons.add(len(data["faces"]))
    mesh.vertices.foreach_set("co", data["vertices"])
    mesh.edges.foreach_set("vertices", data["edges"])
    mesh.loops.foreach_set("vertex_index", data["corners"])
    mesh.loops.foreach_set("edge_index", data["corner_edges"])
    mesh.polygons.foreach_set("loop_start", data["faces"])
    _write_attributes(mesh, data["attributes"])
    # Attributes come into the order in which a BMesh writes them.
    through = bmesh.new()
    try:
        through.from_mesh(mesh)
        through.to_mesh(mesh)
    finally:
        through.free()
    # It flushes selection from faces to their corners.
    _write_attributes(mesh, data["attributes"])
    layers = mesh.uv_layers
    for layer in layers:
        if layer.name == data["uv"]:
            layers.active = layer
        if layer.name == data["uv_render"]:
            layer.active_render = True
    if data["color"] is not None:
        mesh.attributes.active_color_name = data["color"]
    if data["color_render"] is not None:
        mesh.attributes.default_color_name = data["color_render"]
    mesh.update()


def _write_attributes(mesh: Any, attributes: list[dict[str, Any]]) -> None:
    wanted = {one["name"] for one in attributes}
    for name in [one.name for one in mesh.attributes if one.name not in wanted | _TOPOLOGY]:
        mesh.attributes.remove(mesh.attributes[name])
    for one in attributes:
        if one["name"] not in _TOPOLOGY:
            attribute = mesh.attributes.get(one["name"])
            attribute = attribute or mesh.attributes.new(one["name"], one["type"], one["domain"])
            attribute.data.foreach_set(_TYPES[one["type"]][1], one["values"])
