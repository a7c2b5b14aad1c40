# SPDX-License-Identifier: GPL-3.0-or-later
"""What a prompt says of the whole holds for the whole: lengths, heights, shares."""

from __future__ import annotations

import math
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from geonode_assistant import api
from mathutils import Matrix
from preset_cases import Seen, layers, near, radii, scene, see


def span(seen: Seen) -> float:
    """The angle around the origin between the first and the last instance, in degrees."""
    first, last = seen.places[0], seen.places[-1]
    return math.degrees(math.atan2(last[1], last[0]) - math.atan2(first[1], first[0])) % 360


def hollow(seen: Seen, outside: float, inside: float) -> bool:
    """Whether a cube is a closed shell from one size to the other."""
    sides = np.unique(np.round(np.abs(seen.points), 4))
    return seen.boundary == 0 and bool(np.allclose(sides, (inside / 2, outside / 2)))


def far(seen: Seen) -> float:
    """The greatest distance of an instance from the origin."""
    return float(np.linalg.norm(seen.places, axis=1).max())


def inmost(seen: Seen) -> float:
    """How near a vertex is to the axis."""
    return float(np.linalg.norm(seen.points[:, :2], axis=1).min())


WHOLES: dict[str, Callable[[Seen], bool]] = {
    "stairs rising to 3 m": lambda s: near(s.high[2], 3) and s.faces == 17 * 6,
    "a staircase 3 m high and 5 m long": lambda s: near(s.high[2], 3) and near(s.size(1), 5),
    "stairs up to 2.7 m, steps 18 cm high": lambda s: near(s.high[2], 2.7) and s.faces == 15 * 6,
    "stairs 2 m wide and 3 m long with 10 steps": lambda s: near(s.size(0), 2) and near(s.size(1), 3) and s.faces == 60,
    "a spiral staircase 4 m high with two full turns": lambda s: (
        near(s.high[2], 4) and float(np.linalg.norm(s.points[:, :2], axis=1).max()) < 1.001
    ),
    "a curved staircase 3 m high": lambda s: near(s.high[2], 3) and s.faces == 17 * 6,
    "a gear with 20 teeth, 60 cm across": lambda s: near(float(np.linalg.norm(s.points[:, :2], axis=1).max()), 0.3),
    "put snow on top of the ball, 10 cm thick": lambda s: near(s.high[2], 1.1, 0.005),
    "turn the plane into hills up to 2 m high": lambda s: near(s.low[2], 0) and near(s.high[2], 2),
    "a low brick wall": lambda s: 0.9 < s.high[2] < 1.05 and len(layers(s)) == 13,
    "a tree without leaves": lambda s: s.instances == 0 and s.faces > 1000,
    "decimate the ball to 200 faces": lambda s: 150 <= s.faces <= 230 and s.boundary == 0,
    "low poly Suzanne and keep half of the faces": lambda s: 230 <= s.faces <= 275,
    "a third of a circle of 12 cubes": lambda s: s.instances == 12 and near(span(s), 120),
    "reduce the polycount of Suzanne by half": lambda s: 230 <= s.faces <= 275,
    "reduce the polycount of Suzanne by 30 %": lambda s: 325 <= s.faces <= 375,
    "make the cube hollow with 20 cm walls": lambda s: hollow(s, 2.0, 1.6),
    "inset the faces of the cube": lambda s: s.faces == 30 and near(s.high[2], 1),
    "a fence along the curve with 12 posts": lambda s: s.instances == 12 + 2,
    "30 dominoes along the curve": lambda s: s.instances == 30,
    "12 dominoes along the curve, 20 cm apart": lambda s: s.instances == 12 and near(s.nearest(), 0.2, 0.01),
    "a boulder 2 m wide": lambda s: s.faces == 1280 and 1 < s.size(0) < 2.6,
    "a spiral of 40 balls rising 5 m, getting smaller": lambda s: s.instances == 40,
    "a ring of 12 cubes, each rotated randomly": lambda s: s.instances == 12,
    "give the cube a thickness of 20 cm": lambda s: hollow(s, 2.4, 2.0),
    "solidify the cube by 20 cm inwards": lambda s: hollow(s, 2.0, 1.6),
    "give the ball a thickness of 20 cm": lambda s: 1.19 < float(np.linalg.norm(s.points, axis=1).max()) < 1.21,
    "a gear with 20 teeth, radius 1 m, hole 10 cm in diameter": lambda s: near(inmost(s), 0.05, 1e-4),
    "a gear with 20 teeth, radius 1 m, with a 10 cm hole": lambda s: near(inmost(s), 0.05, 1e-4),
    "a gear with 20 teeth, radius 1 m, bore radius 10 cm": lambda s: near(inmost(s), 0.1, 1e-4),
    "a spring with 5 turns, 40 cm in diameter, 2 cm thick": lambda s: near(s.size(1), 0.4, 0.005),
    "distribute 100 cubes evenly over a fibonacci sphere 6 m in diameter": lambda s: near(far(s), 3, 1e-4),
    "arrange 50 cubes in a sunflower pattern, 20 m in diameter": lambda s: 9.5 < far(s) < 10.01,
    "a helix of 40 balls, 6 m wide and 5 m high": lambda s: near(float(radii(s).max()), 3, 1e-4),
    "a brick wall 3.6 m long, 2.4 m high": lambda s: near(s.size(0), 3.6, 1e-4) and near(s.size(2), 2.4, 1e-4),
    "a brick wall 5 m long and 1.9 m high with 30 cm bricks": lambda s: (
        near(s.size(0), 5, 1e-4) and near(s.high[2], 1.9)
    ),
    "a brick wall 3 m long, bricks 24 cm long and 7 cm high": lambda s: (
        near(s.size(0), 3, 1e-4) and near(s.high[2], 2) and len(layers(s)) == 25
    ),
    "a brick wall 3 m long and 1.5 m high, bricks 24 x 12 x 7 cm": lambda s: (
        near(s.high[2], 1.5) and near(s.size(1), 0.12, 0.01) and len(layers(s)) == 19
    ),
    "grass 8 to 15 cm high on the plane": lambda s: 0.13 < s.high[2] <= 0.1501,
    "waves on the plane, 20 cm from trough to crest": lambda s: near(s.size(2), 0.2, 0.01),
    "waves on the plane 0.3 m high": lambda s: near(s.size(2), 0.3, 0.01),
    "waves on the plane with an amplitude of 0.3 m": lambda s: near(s.size(2), 0.6, 0.01),
    "make mountains on the plane, up to 2 m high": lambda s: near(s.size(2), 2),
    "a shelf with 4 boards": lambda s: s.faces == 7 * 6,
    "a shelf with 4 compartments": lambda s: s.faces == 8 * 6,
    "spiral stairs with 20 steps, each 18 cm high": lambda s: near(s.high[2], 3.6),
    "spiral stairs with 20 steps 18 cm high": lambda s: near(s.high[2], 3.6),
    "spiral stairs with 20 steps, 15 cm step height": lambda s: near(s.high[2], 3.0),
    "a spiral staircase 3 m high with a step height of 20 cm": lambda s: (
        near(s.high[2], 3.0) and s.faces == 15 * 6 + 26
    ),
    "subdivide the cube 4 times and then make waves on it": lambda s: s.faces == 6 * 4**5,
}


@pytest.mark.parametrize("prompt", WHOLES)
def test_what_is_said_of_the_whole_holds_for_it(prompt: str) -> None:
    scene()
    report = api.run(prompt, provider="offline")
    assert report.status == "done", report.messages
    [target] = [one for one in bpy.data.objects if one.modifiers]
    seen = see(target)
    assert WHOLES[prompt](seen), f"{seen.faces} faces, {seen.instances} instances, {seen.low} to {seen.high}"


def places(name: str) -> list[Matrix]:
    """Where the instances of an object stand, in the scene."""
    shown = bpy.context.evaluated_depsgraph_get().object_instances
    return [one.matrix_world.copy() for one in shown if one.is_instance and one.parent.original.name == name]


def test_on_top_is_only_where_the_object_looks_up() -> None:
    scene()
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    bpy.context.object.name = "Block"
    assert api.run("scatter 20 cones 10 cm tall on top of the Block", provider="offline").status == "done"
    heights = [one.translation.z for one in places("Block")]
    assert len(heights) == 20 and min(heights) > 0.99


def test_an_unevenly_scaled_object_gets_things_in_their_true_size() -> None:
    scene()
    bpy.ops.mesh.primitive_plane_add(size=4.0)
    ground = bpy.context.object
    ground.name, ground.scale = "Field", (3.0, 2.0, 1.0)
    bpy.context.view_layer.update()
    assert api.run("scatter 30 cones 20 cm tall on the Field", provider="offline").status == "done"
    placed = places("Field")
    assert len(placed) == 30
    assert all(max(one.to_scale()) - min(one.to_scale()) < 1e-4 for one in placed)
    assert max(abs(one.translation.x) for one in placed) > 4.0
