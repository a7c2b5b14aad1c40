# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of copies come out as they were asked for, and what has no single size is refused."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from test_along_one_curve import ask, choose, scene


def scales(target: Any) -> Any:
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    return np.array(
        [
            np.linalg.norm(np.array(one.matrix_world)[:3, 0])
            for one in graph.object_instances
            if one.is_instance and one.parent.original == target
        ]
    )


@pytest.mark.parametrize(
    ("words", "by"),
    [
        ("with 20% random size", 0.2),
        ("with a size variation of 30%", 0.3),
        (", size varies by 20%", 0.2),
        ("with a random scale of plus or minus 20%", 0.2),
        (", ±10% in size", 0.1),
    ],
)
def test_a_share_by_which_sizes_differ_lies_around_the_whole(words: str, by: float) -> None:
    scene()
    ground = choose("Ground")
    report = ask(f"scatter 50 pebbles on the ground {words}")
    assert report.ok, report.final_message
    found = scales(ground)
    assert len(found) == 50 and found.min() >= 1 - by - 1e-4 and found.max() <= 1 + by + 1e-4
    assert found.max() - found.min() > by


@pytest.mark.parametrize(
    "words", ["vary the size by 20%", "randomise their size by 20%", "make them 20% random in size"]
)
def test_so_it_does_in_a_follow_up(words: str) -> None:
    scene()
    ground = choose("Ground")
    assert ask("scatter 50 pebbles on the ground").ok
    report = ask(words)
    assert report.ok, report.final_message
    found = scales(ground)
    assert found.min() >= 0.8 - 1e-4 and found.max() <= 1.2 + 1e-4 and found.max() - found.min() > 0.2


@pytest.mark.parametrize("words", ["each 3 m tall", "2 to 4 m tall"])
def test_objects_of_a_collection_have_no_one_size(words: str) -> None:
    scene()
    trees = bpy.data.collections.new("Trees")
    bpy.context.scene.collection.children.link(trees)
    for depth in (1, 2):
        bpy.ops.mesh.primitive_cone_add(depth=depth, location=(depth, -20, 0))
        bpy.context.object.name = "Pine"
        trees.objects.link(bpy.context.object)
    choose("Ground")
    report = ask(f"scatter 10 trees on the ground, {words}")
    assert not report.ok and "“Trees”" in report.final_message, report.final_message
    assert ask("scatter 10 trees on the ground, scale 1.5").ok


def test_inflating_moves_each_face_by_what_was_asked() -> None:
    scene()
    bpy.ops.mesh.primitive_cube_add(size=2, location=(5, -6, 0.3))
    crate = bpy.context.object
    crate.name = "Crate"
    crate.scale = (0.6, 0.4, 0.3)
    choose("Crate")
    assert ask("inflate the crate by 5 cm").ok
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    mesh = crate.evaluated_get(graph).data
    co = np.array([vertex.co for vertex in mesh.vertices]) * crate.scale
    assert np.allclose(np.ptp(co, axis=0), (1.3, 0.9, 0.7), atol=1e-3), np.ptp(co, axis=0)
