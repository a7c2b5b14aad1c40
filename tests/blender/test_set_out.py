# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set out on a surface stands on it; gaps, sizes, counts and ends are those of the words, in the scene."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from test_along_one_curve import ask, choose, scene, shown


def boxes(target: Any) -> Any:
    """Lower and upper corner of each copy that an object shows, in the scene: two arrays of a row each."""
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    lows, highs = [], []
    for one in graph.object_instances:
        if not (one.is_instance and one.parent.original == target and one.object.type == "MESH"):
            continue
        co = np.empty(len(one.object.data.vertices) * 3)
        one.object.data.vertices.foreach_get("co", co)
        matrix = np.array(one.matrix_world)
        placed = co.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
        lows.append(placed.min(axis=0))
        highs.append(placed.max(axis=0))
    return np.array(lows), np.array(highs)


def crate(at: tuple[float, float, float] = (0, 0, 0)) -> Any:
    bpy.ops.mesh.primitive_cube_add(size=1, location=at)
    made = bpy.context.object
    made.name, made.scale = "Crate", (1.2, 0.8, 0.6)
    bpy.context.view_layer.update()
    return made


@pytest.mark.parametrize(
    ("prompt", "count"),
    [
        ("a grid of 3 by 2 crates on the ground, 1.5 m apart", 6),
        ("a row of 3 crates on the ground", 3),
        ("a ring of 5 crates on the ground, radius 2 m", 5),
        ("a stack of 4 crates on the ground", 4),
    ],
)
def test_what_is_set_out_on_a_surface_stands_on_it(prompt: str, count: int) -> None:
    scene()
    crate()
    ground = choose("Ground")
    ground.location.z = 0.5
    report = ask(prompt)
    assert report.ok, report.messages
    lows, highs = boxes(ground)
    assert len(lows) == count
    assert np.isclose(lows[:, 2].min(), 0.5, atol=1e-4)
    if "stack" not in prompt:
        assert np.allclose(lows[:, 2], 0.5, atol=1e-4)
    # All over the ground, 6 m wide about (20, 20).
    assert np.all(lows[:, :2] > 17) and np.all(highs[:, :2] < 23)
    assert "beyond its edge" not in report.final_message


def test_a_row_that_leaves_the_surface_is_said_to() -> None:
    scene()
    crate()
    ground = choose("Ground")
    report = ask("a row of 9 crates on the ground, 2 m apart")
    assert report.ok and "beyond its edge" in report.final_message
    lows, _ = boxes(ground)
    assert np.allclose(lows[:, 2], 0, atol=1e-4)


def test_a_shrinking_row_keeps_its_gap_and_its_ground() -> None:
    scene()
    made = crate((0, 0, 0.3))
    choose("Crate")
    report = ask("five copies in a row along X, 2 m apart, each one 20 % smaller than the one before")
    assert report.ok and "free gap between two is 2 m" in report.final_message
    lows, highs = boxes(made)
    order = np.argsort(lows[:, 0])
    lows, highs = lows[order], highs[order]
    assert np.allclose(lows[1:, 0] - highs[:-1, 0], 2, atol=1e-3)
    assert np.allclose(lows[:, 2], 0, atol=1e-4)
    assert np.allclose((highs - lows)[:, 0], 1.2 * 0.8 ** np.arange(5), atol=1e-3)


def test_a_height_is_no_largest_side() -> None:
    scene()
    crate()
    ground = choose("Ground")
    assert ask("4 crates on the ground, each at least 90 cm high").ok
    lows, highs = boxes(ground)
    assert len(lows) and np.all((highs - lows)[:, 2] > 0.899)
    scene()
    crate()
    ground = choose("Ground")
    assert ask("4 crates on the ground, 90 cm high").ok
    lows, highs = boxes(ground)
    assert np.allclose((highs - lows)[:, 2], 0.9, atol=1e-3)


def test_a_rope_is_tied_where_it_is_said() -> None:
    for prompt, height in [
        ("hang a rope from the top of the lamp to the top of the pebble with half a metre of sag", 1.5),
        ("hang a rope from the lamp to the pebble with half a metre of sag", 1.5),
        ("hang a rope from the middle of the lamp to the middle of the pebble with half a metre of sag", 0),
    ]:
        scene()
        lamp = choose("Lamp")
        report = ask(prompt)
        assert report.ok and "It is tied at their" in report.final_message, report.messages
        # The lamp itself is 0.15 m thick.
        rope = shown(lamp)
        start = rope[np.linalg.norm(rope[:, :2] - (14, 0), axis=1) < 0.1]
        assert abs(start[:, 2].mean() - height) < 0.1, prompt


@pytest.mark.parametrize("prompt", ["make a chain along it with 15 links", "turn it into a chain with links of 41 cm"])
def test_a_closed_chain_has_an_even_number_of_links(prompt: str) -> None:
    scene()
    bpy.ops.curve.primitive_bezier_circle_add(radius=2)
    bpy.context.object.name = "Loop"
    loop = choose("Loop")
    assert ask(prompt).ok
    lows, _ = boxes(loop)
    assert len(lows) >= 16 and len(lows) % 2 == 0


def test_hairs_on_a_part_are_as_many_as_asked() -> None:
    scene()
    bpy.ops.mesh.primitive_monkey_add()
    head = bpy.context.object
    head.name = "Head"
    choose("Head")
    assert ask("700 hairs on the top of the head only, 10 cm long").ok
    assert len(boxes(head)[0]) == 700


def test_a_shine_leaves_gold_a_metal() -> None:
    for prompt, metallic in [("polished gold material", 1), ("shiny red plastic", 0), ("glossy red", 0)]:
        scene()
        ground = choose("Ground")
        report = ask(f"give it a {prompt}" if "material" in prompt else f"make it {prompt}")
        assert report.ok, report.messages
        made = ground.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.materials[0]
        shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        assert shader.inputs["Metallic"].default_value == metallic, prompt


def test_copies_are_coloured_in_the_same_sentence_and_the_ground_is_not() -> None:
    scene()
    ground = choose("Ground")
    report = ask("scatter 30 pebbles on the ground and paint them red")
    assert report.ok and "Only a part" not in report.final_message, report.final_message
    assert len(boxes(ground)[0]) == 30
    graph = bpy.context.evaluated_depsgraph_get()
    used = {
        material.name
        for one in graph.object_instances
        if one.is_instance and one.parent.original == ground
        for material in one.object.data.materials
    }
    assert used == {"Red"}
    assert not ground.evaluated_get(graph).data.materials


def test_a_wire_is_wound_around_an_object() -> None:
    scene()
    lamp = choose("Lamp")
    report = ask("wrap a wire around it in a helix, 6 turns, wire 2 cm thick")
    assert report.ok, report.messages
    wire = shown(lamp)
    far = np.linalg.norm(wire[:, :2] - (14, 0), axis=1)
    assert far.min() > 0.149 and far.max() < 0.18
    wire = wire[far > 0.152]
    assert len(wire) > 1000 and np.abs(wire[:, 2]).max() < 1.51 and np.ptp(wire[:, 2]) > 2.9
