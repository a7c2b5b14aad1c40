# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes that cannot go together change nothing; several cables stay on what they are tied to."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from test_along_one_curve import ask, choose, scene


def mast(name: str, at: tuple[float, float, float]) -> Any:
    bpy.ops.mesh.primitive_cylinder_add(radius=0.1, depth=4, location=at)
    bpy.context.object.name = name
    bpy.context.view_layer.update()
    return bpy.context.object


def ends(target: Any, count: int) -> Any:
    """The middle of the first ring of each cable, in the scene."""
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    mesh = target.evaluated_get(graph).data
    co = np.empty(len(mesh.vertices) * 3)
    mesh.vertices.foreach_get("co", co)
    matrix = np.array(target.matrix_world)
    placed = co.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    cables = placed[-count * 48 * 12 :].reshape(count, 48, 12, 3).mean(axis=2)
    return cables[:, 0], cables[:, -1]


@pytest.mark.parametrize(
    ("words", "count", "thickness"),
    [("3 cables", 3, None), ("5 cables 2 cm thick", 5, 0.02), ("8 cables 6 cm thick", 8, 0.06), ("1 cable", 1, None)],
)
def test_cables_hang_side_by_side_on_what_they_are_tied_to(words: str, count: int, thickness: float | None) -> None:
    scene()
    one, other = mast("MastL", (-10, -4, 2)), mast("MastR", (-4, -3, 2))
    choose("MastL")
    report = ask(f"hang {words} from MastL to MastR with a sag of 60 cm")
    assert report.ok, report.messages
    for tied, middles in zip((one, other), ends(one, count), strict=True):
        beside = middles[:, :2] - np.array(tied.location[:2])
        wide = thickness or 0.0
        assert np.linalg.norm(beside, axis=1).max() <= 0.1 - wide / 2 + 1e-4
        assert np.allclose(beside.mean(axis=0), 0, atol=1e-4)
        assert np.allclose(middles[:, 2], 4, atol=1e-4)
    crowded = thickness is not None and count * thickness > 0.2
    assert ("lie in each other" in report.final_message) == crowded
    if count > 1:
        start = ends(one, count)[0]
        assert np.linalg.norm(np.diff(start, axis=0), axis=1).min() > 0.01


@pytest.mark.parametrize(
    ("active", "prompt"),
    [
        ("Crate", "round its edges by 3 m"),
        ("Crate", "cut 4 holes of 90 cm into the crate"),
        ("Ground", "scatter 20 cubes of 10 cm on the ground at least 50 m apart"),
    ],
)
def test_what_is_too_large_for_the_object_changes_nothing(active: str, prompt: str) -> None:
    if "edges" in prompt and bpy.app.version < (5, 2, 0):
        pytest.skip("this Blender has no node that rounds edges")
    scene()
    bpy.ops.mesh.primitive_cube_add(size=1)
    bpy.context.object.name = "Crate"
    choose(active)
    before = {one.name for one in bpy.data.objects}
    report = ask(prompt)
    assert not report.ok
    assert "the size of" in report.messages[0]["text"] and "at most" in report.messages[0]["text"]
    assert {one.name for one in bpy.data.objects} == before and not bpy.data.objects[active].modifiers


def test_a_change_keeps_to_what_stands() -> None:
    scene()
    choose("Ground")
    assert ask("a gear with 12 teeth").ok
    refused = ask("make the teeth 2 m high")
    assert not refused.ok and "Height of the teeth 2 m" in refused.messages[0]["text"]
    assert ask("make the radius 5 m").ok
    assert ask("make the teeth 2 m high").ok
