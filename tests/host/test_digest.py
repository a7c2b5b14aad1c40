# SPDX-License-Identifier: GPL-3.0-or-later
"""What tells whether a script and the record of its trial gave the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bmesh
import bpy
import pytest
from geonode_assistant.host import digest, rows


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


def read() -> digest.Digest:
    return digest.Reader(30).read(digest.everything())


def changed(act: Callable[[], Any]) -> str | None:
    """Where two readings differ, one before and one after this."""
    before = read()
    act()
    return digest.difference(before, read())


def renumber(mesh: Any) -> None:
    """Gives the edges other numbers, from the last to the first."""
    made = bmesh.new()
    made.from_mesh(mesh)
    for place, edge in enumerate(reversed(list(made.edges))):
        edge.index = place
    made.edges.sort()
    made.to_mesh(mesh)
    made.free()


def grid(side: int) -> Any:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=side, y_subdivisions=side)
    return bpy.context.object.data


CHANGES: dict[str, Callable[[], Any]] = {
    "a property": lambda: setattr(bpy.data.objects["Cube"], "location", (1, 2, 3)),
    "its own property": lambda: bpy.data.objects["Cube"].__setitem__("x", 1),
    "one vertex of many": lambda: setattr(bpy.data.meshes["Grid"].vertices[900], "co", (0, 0, 1)),
    "one vertex of a few": lambda: setattr(bpy.data.meshes["Cube"].vertices[3], "co", (0, 0, 1)),
    "one of many flags": lambda: bpy.data.meshes["Grid"].attributes["flag"].data[700].__setattr__("value", True),
    "one of many small numbers": lambda: bpy.data.meshes["Grid"].attributes["small"].data[700].__setattr__("value", 3),
    "an edge attribute": lambda: bpy.data.meshes["Grid"].attributes["crease_edge"].data[5].__setattr__("value", 0.5),
    "a weight": lambda: bpy.data.objects["Grid"].vertex_groups[0].add([900], 0.25, "REPLACE"),
    "pixels": lambda: bpy.data.images["Dots"].pixels.__setitem__(5, 0.5),
    "a node's value": lambda: (
        setattr(bpy.data.materials["Material"].node_tree.nodes[0].inputs[0], "default_value", (1, 0, 0, 1))
        if bpy.data.materials["Material"].node_tree.nodes[0].inputs[0].type == "RGBA"
        else bpy.data.materials["Material"].node_tree.nodes.new("ShaderNodeRGB")
    ),
    "a point of a long curve": lambda: setattr(bpy.data.curves["Line"].splines[0].points[90], "co", (1, 1, 1, 1)),
    "something new": lambda: bpy.data.objects.new("New", None),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found(name: str) -> None:
    mesh = grid(40)
    for attribute, kind, domain in (
        ("flag", "BOOLEAN", "POINT"),
        ("small", "INT8", "POINT"),
        ("crease_edge", "FLOAT", "EDGE"),
    ):
        mesh.attributes.new(attribute, kind, domain)
    group = bpy.context.object.vertex_groups.new(name="Some")
    group.add(range(1000), 0.5, "REPLACE")
    bpy.data.images.new("Dots", 8, 8).pixels[0] = 0.25
    bpy.data.curves.new("Line", "CURVE").splines.new("POLY").points.add(99)
    before = digest.everything()
    assert changed(lambda: None) is None
    assert changed(CHANGES[name]) is not None or digest.everything() != before


@pytest.mark.parametrize("side", [3, 60])
def test_edges_with_other_numbers_are_the_same_mesh(side: int) -> None:
    mesh = grid(side)
    first = [tuple(edge.vertices) for edge in mesh.edges]
    assert changed(lambda: renumber(mesh)) is None
    assert first != [tuple(edge.vertices) for edge in mesh.edges], "they have other numbers now"

    def move() -> None:
        renumber(mesh)
        mesh.vertices[1].co.z = 1

    found = changed(move)
    assert found is not None and "position" in found


def test_a_large_mesh_is_told_at_once_or_not_at_all() -> None:
    mesh = grid(300)
    assert len(mesh.edges) > rows.MOST_EDGES
    assert changed(lambda: None) is None
    with pytest.raises(digest.TooSlow):
        changed(lambda: renumber(mesh))


def test_pictures_that_nobody_painted_are_not_loaded() -> None:
    image = bpy.data.images.new("Plain", 8, 8)
    image.source = "FILE"
    image.filepath = "//nowhere.png"
    assert not image.has_data
    read()
    assert not image.has_data
