# SPDX-License-Identifier: GPL-3.0-or-later
"""Prompts with several demands: what is understood is there, the rest is named; sizes and distances hold."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from geonode_assistant.host import sliders
from geonode_assistant.run import session
from test_along_one_curve import ask, choose, scene, shown


def copies(target: Any) -> Any:
    """The extent of each copy that an object shows, in the scene."""
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    found = []
    for one in graph.object_instances:
        if not (one.is_instance and one.parent.original == target and one.object.type == "MESH"):
            continue
        mesh = one.object.data
        co = np.empty(len(mesh.vertices) * 3)
        mesh.vertices.foreach_get("co", co)
        placed = co.reshape(-1, 3) @ np.array(one.matrix_world)[:3, :3].T
        found.append(placed.max(axis=0) - placed.min(axis=0))
    return np.array(found)


def test_a_wish_beside_the_main_one_is_named_and_the_main_one_made() -> None:
    scene()
    trail = choose("Trail")
    fence = "a fence along the trail 1.1 m high, posts every 1.5 m"
    report = ask(f"{fence}, but leave out a gap for the gate in the middle")
    assert report.ok and report.final_message.startswith(
        "Only a part was done, without “but leave out a gap for the gate in the middle”"
    )
    with_gap = shown(trail)
    scene()
    trail = choose("Trail")
    assert ask(fence).ok
    assert np.array_equal(with_gap, shown(trail))


def test_colours_of_the_pieces_are_on_the_pieces() -> None:
    scene()
    choose("Ground")
    report = ask("a bookshelf 2 m high and 1 m wide with 6 boards, filled with books in random colours")
    assert report.ok, report.messages
    shelf = bpy.data.objects["Shelf"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    used = {shelf.data.materials[face.material_index].name for face in shelf.data.polygons}
    # The boards keep their wood.
    assert {"Shelf Wood", "Colour 1", "Colour 2", "Colour 3", "Colour 4", "Colour 5"} <= used


@pytest.mark.parametrize(
    ("prompt", "least", "most"),
    [
        ("scatter 20 lamps on the ground at least 2 m tall", 2, 3),
        ("scatter 20 lamps on the ground, at most 2 m tall", 1.99, 2),
    ],
)
def test_a_bound_of_the_height_is_no_distance(prompt: str, least: float, most: float) -> None:
    scene()
    ground = choose("Ground")
    assert ask(prompt).ok
    heights = copies(ground)[:, 2]
    assert len(heights) == 20 and heights.min() > least - 1e-3 and heights.max() < most + 1e-3


def test_copies_without_a_minimum_distance_are_there() -> None:
    scene()
    ground = choose("Ground")
    report = ask("scatter 10 cubes of 30 cm on the ground")
    assert report.ok, report.messages
    [modifier] = session.current.results or ground.modifiers
    slider = next(one for one in sliders.of(modifier) if one.name == "Distance")
    if slider.path == "value":
        slider.owner.value = 0
    else:
        slider.owner[slider.path[2:-2]] = 0.0
    ground.update_tag()
    assert copies(ground).max(axis=1).min() > 0.29


def test_little_room_is_said_with_the_size_that_is_left() -> None:
    scene()
    ground = choose("Ground")
    report = ask("scatter 100 cubes on the ground")
    assert report.ok, report.messages
    said = report.final_message.split("to about ")[1].split("%")[0]
    # A turned cube is as wide as its diagonal.
    heights = copies(ground)[:, 2]
    assert abs(heights.max() * 100 - int(said)) < 2, (heights.max(), said)


def test_a_chain_has_as_many_links_as_were_asked_for() -> None:
    scene()
    trail = choose("Trail")
    assert ask("a chain along the trail with 60 links").ok
    assert len(copies(trail)) == 60
