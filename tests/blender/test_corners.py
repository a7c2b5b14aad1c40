# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows a curve follows its straight legs up to the corners, and smooth curves as they bend."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from test_along_one_curve import ask, choose, scene, shown

CORNERS = ((0, 0, 0), (8, 0, 0), (8, 4, 0))
# Where the object stands: no copy stands at its origin, where the mesh of a curve is shown.
ORIGIN = (0, 0, -5)


def path(kind: str) -> Any:
    """The trail as a polyline, as a Bezier curve with the same corner, or as a circle of 3 m."""
    scene()
    trail = choose("Trail")
    trail.location = ORIGIN
    if kind == "POLY":
        for point, place in zip(trail.data.splines[0].points, CORNERS, strict=True):
            point.co = (*np.subtract(place, ORIGIN), 1)
        return trail
    if kind == "CIRCLE":
        bpy.ops.curve.primitive_bezier_circle_add(radius=3)
        circle = bpy.context.object.data
        trail.location = (0, 0, 0)
        trail.data = circle
        bpy.data.objects.remove(bpy.context.object)
        return choose("Trail")
    spline = trail.data.splines.new("BEZIER")
    spline.bezier_points.add(2)
    for point, place in zip(spline.bezier_points, CORNERS, strict=True):
        point.co = np.subtract(place, ORIGIN)
        point.handle_left_type = point.handle_right_type = "VECTOR"
    trail.data.splines.remove(trail.data.splines[0])
    return trail


def copies(target: Any) -> Any:
    """The places and x axes of the copies that an object shows."""
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    matrices = [
        np.array(one.matrix_world)
        for one in graph.object_instances
        if one.is_instance and one.parent.original == target and not np.allclose(one.matrix_world, target.matrix_world)
    ]
    return np.array([m[:3, 3] for m in matrices]), np.array([m[:3, 0] / np.linalg.norm(m[:3, 0]) for m in matrices])


def turned(axes: Any) -> Any:
    return np.degrees(np.arctan2(axes[:, 1], axes[:, 0]))


def off_the_legs(places: Any, angles: Any, period: float) -> Any:
    """How far the copies are turned from the leg beside them, without those at the very corner."""
    on_first = np.abs(places[:, 1]) < 1e-3
    wanted = np.where(on_first, 0.0, 90.0)
    away = np.linalg.norm(places[:, :2] - (8, 0), axis=1) > 0.05
    return np.abs((angles - wanted + period / 2) % period - period / 2)[away]


TURNED = {
    "9 lamps along the trail": (9, 360.0),
    "place a pebble every 40 cm along the trail": (31, 360.0),
    "50 dominoes along the trail": (50, 180.0),
    "dominoes along the trail, 30 cm apart": (41, 180.0),
}


@pytest.mark.parametrize("kind", ["POLY", "BEZIER"])
@pytest.mark.parametrize("prompt", TURNED)
def test_copies_follow_the_leg_that_they_stand_on(kind: str, prompt: str) -> None:
    trail = path(kind)
    assert ask(prompt).ok
    places, axes = copies(trail)
    count, period = TURNED[prompt]
    assert len(places) == count
    across = 90 if "domino" in prompt else 0
    assert off_the_legs(places, turned(axes) + across, period).max() < 0.1
    # Evenly spaced, as before.
    lengths = np.where(places[:, 0] < 7.9999, places[:, 0], 8 + places[:, 1])
    steps = np.diff(np.sort(lengths))
    assert np.allclose(steps, steps[0], atol=1e-3)


@pytest.mark.parametrize("kind", ["POLY", "BEZIER"])
def test_what_stands_to_the_side_stands_as_far_as_was_asked(kind: str) -> None:
    trail = path(kind)
    assert ask("place lamps along both sides of the trail, 3 m from it, every 0.9 m").ok
    places, _ = copies(trail)
    assert len(places) == 28
    first, second = np.abs(places[:, 1]), np.abs(places[:, 0] - 8)
    assert (np.isclose(first, 3, atol=1e-3) | np.isclose(second, 3, atol=1e-3)).all()


@pytest.mark.parametrize("kind", ["POLY", "BEZIER"])
def test_posts_and_bricks_are_square_to_their_leg(kind: str) -> None:
    trail = path(kind)
    assert ask("a fence along the trail, 1.1 m high, posts every 1.5 m").ok
    posts, axes = copies(trail)
    low = np.isclose(posts[:, 2], 0, atol=1e-4)
    assert low.sum() == 9
    assert off_the_legs(posts[low], turned(axes[low]), 90.0).max() < 0.1
    trail = path(kind)
    assert ask("a brick wall along the trail, 2 m high and 30 cm thick").ok
    points = shown(trail)
    straight = points[points[:, 0] < 7]
    assert straight[:, 1].max() < 0.1501 and straight[:, 1].min() > -0.1501
    trail = path(kind)
    assert ask("a railway track along the trail with sleepers every 60 cm").ok
    sleepers, axes = copies(trail)
    assert len(sleepers) == 21 and off_the_legs(sleepers, turned(axes) + 90, 180.0).max() < 0.1


@pytest.mark.parametrize("kind", ["POLY", "BEZIER"])
@pytest.mark.parametrize("more", ["", ", hollow with a wall of 2 cm"])
def test_a_tube_is_as_thick_before_the_corner_as_at_its_ends(kind: str, more: str) -> None:
    trail = path(kind)
    assert ask(f"turn the trail into a tube 20 cm in diameter{more}").ok
    points = shown(trail)
    # Each vertex lies on one of the two straight cylinders, those of the corner on both.
    first = np.hypot(points[:, 1], points[:, 2])
    second = np.hypot(points[:, 0] - 8, points[:, 2])
    radii = (0.1, 0.08) if more else (0.1,)
    least = np.min([np.minimum(np.abs(first - r), np.abs(second - r)) for r in radii], axis=0)
    at_caps = np.isclose(first, 0, atol=1e-3) | np.isclose(second, 0, atol=1e-3)
    assert least[~at_caps].max() < 0.002
    corner = (np.abs(points[:, 0] - 8) < 0.3) & (np.abs(points[:, 1]) < 0.3)
    assert corner.any()
    both = np.maximum(np.abs(first - 0.1), np.abs(second - 0.1))
    assert both[corner].min() < 0.002 and len(points) < 400


def test_smooth_curves_are_followed_as_they_bend() -> None:
    trail = path("CIRCLE")
    assert ask("place 50 lamps along the trail").ok
    places, axes = copies(trail)
    assert len(places) == 50
    # Square to the radius: the tangent, not the facet of the evaluated curve.
    radial = places[:, :2] / np.linalg.norm(places[:, :2], axis=1)[:, None]
    off = np.degrees(np.arcsin(np.abs((radial * axes[:, :2]).sum(axis=1))))
    assert off.max() < 0.6, off.max()
    trail = path("CIRCLE")
    assert ask("turn the trail into a tube 20 cm in diameter").ok
    points = shown(trail)
    ring = np.hypot(points[:, 0], points[:, 1])
    assert abs(ring.max() - 3.1) < 0.01 and abs(ring.min() - 2.9) < 0.01
