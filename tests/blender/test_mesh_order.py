# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that differ in the numbers of their elements only are alike; any other difference is found."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import bpy
import pytest
from file_state import differences, state
from mesh_order import SHIFTS, differences_but_order, in_order

Change = Callable[[bpy.types.Mesh], Any]


def made(shuffle: int | None = None, change: Change | None = None, copies: int = 2) -> dict[str, Any]:
    """The state of a file with one mesh: uneven cubes, two of them in one place, an edge and a vertex of their own."""
    import bmesh  # there once `bpy` is

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    mesh = bpy.data.meshes.new("Mesh")
    form = bmesh.new()
    for number in range(copies):
        bmesh.ops.create_cube(form, size=1.0)
        bmesh.ops.create_cube(form, size=1.0 + number / 10)
    a, b = form.verts.new((3, 0, 0)), form.verts.new((4, 0, 0.5))
    form.verts.new((5, 0, 0))
    form.edges.new((a, b))
    heat = form.verts.layers.float.new("heat")
    layer = form.loops.layers.uv.new("UV")
    for number, vertex in enumerate(form.verts):
        vertex[heat] = vertex.co.x + (number // 8) / 8
    for face in form.faces:
        face.smooth = face.normal.z > 0.5
        for corner in face.loops:
            corner[layer].uv = corner.vert.co.xy
    if shuffle is not None:
        chance = random.Random(shuffle)
        for elements in (form.verts, form.edges, form.faces):
            order = list(range(len(elements)))
            chance.shuffle(order)
            for element, index in zip(elements, order, strict=True):
                element.index = index
            elements.sort()
    form.to_mesh(mesh)
    form.free()
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Object", mesh))
    if change:
        change(mesh)
    return state()


@pytest.fixture(scope="module")
def one() -> dict[str, Any]:
    return made()


def unlike(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return differences_but_order(one, other, lambda line: False)


@pytest.mark.parametrize("shuffle", range(3))
def test_the_numbers_of_elements_do_not_count(one: dict[str, Any], shuffle: int) -> None:
    other = made(shuffle)
    assert differences(one, other) != [], "nothing was shuffled"
    assert unlike(one, other) == []


def without_a_face(mesh: bpy.types.Mesh) -> None:
    import bmesh

    form = bmesh.new()
    form.from_mesh(mesh)
    form.faces.ensure_lookup_table()
    bmesh.ops.delete(form, geom=[form.faces[3]], context="FACES_ONLY")
    form.to_mesh(mesh)
    form.free()


def turned_over(mesh: bpy.types.Mesh) -> None:
    mesh.polygons[2].flip()
    mesh.update()


def joined_otherwise(mesh: bpy.types.Mesh) -> None:
    mesh.edges[-1].vertices = (len(mesh.vertices) - 3, len(mesh.vertices) - 1)


def moved(mesh: bpy.types.Mesh) -> None:
    mesh.vertices[5].co.x += 3e-5


@pytest.mark.parametrize(
    "change",
    [
        moved,
        without_a_face,
        turned_over,
        joined_otherwise,
        lambda mesh: setattr(mesh.polygons[1], "use_smooth", not mesh.polygons[1].use_smooth),
        lambda mesh: setattr(mesh.edges[7], "use_seam", True),
        lambda mesh: setattr(mesh.uv_layers[0].data[4], "uv", (9, 9)),
        lambda mesh: setattr(mesh.attributes["heat"].data[0], "value", 9),
        lambda mesh: mesh.vertices.add(1),
        lambda mesh: mesh.attributes.new("more", "INT", "FACE"),
    ],
)
@pytest.mark.parametrize("shuffle", [None, 1])
def test_every_other_difference_is_reported(one: dict[str, Any], change: Change, shuffle: int | None) -> None:
    assert unlike(one, made(shuffle, change)) != []


def test_values_of_places_that_trade_them_are_found(one: dict[str, Any]) -> None:
    """The values are the same as a whole, only on other elements."""

    def trade(mesh: bpy.types.Mesh) -> None:
        heat = mesh.attributes["heat"].data
        heat[0].value, heat[-1].value = heat[-1].value, heat[0].value

    assert unlike(one, made(2, trade)) != []


def test_the_last_digit_does_not_change_the_order(one: dict[str, Any]) -> None:
    """However a coordinate is rounded, one of the grids has both on the same side of its borders."""

    def nudge(mesh: bpy.types.Mesh) -> None:
        for vertex in mesh.vertices:
            vertex.co.x += 4e-6

    other = made(3, nudge)

    def faces(state: dict[str, Any], shift: float) -> list[str]:
        return [face["vertices"] for face in in_order(state["meshes"]["Mesh"], shift)["polygons"]]

    assert any(faces(one, shift) == faces(other, shift) for shift in SHIFTS)


def test_a_removed_or_empty_mesh_is_accepted(one: dict[str, Any]) -> None:
    assert unlike(one, {**one, "meshes": {}}) == ["/meshes/Mesh: " + f"{one['meshes']['Mesh']!r:.60} → None"]
    empty = made(change=lambda mesh: mesh.clear_geometry())
    assert unlike(one, empty) != []
    assert unlike(empty, made(change=lambda mesh: mesh.clear_geometry())) == []
