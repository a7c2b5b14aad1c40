# SPDX-License-Identifier: GPL-3.0-or-later
"""A second result on an object that carries one: it is what it would be alone, and the first stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import bpy
import numpy as np
from geonode_assistant import api
from geonode_assistant.run import session

ALONG = (
    "turn the trail into a road 5 m wide",
    "put lamps on both sides of the trail every 3 m",
    "place 10 pebbles along the trail",
    "a fence along the trail, 1.1 m high, posts every 1.5 m",
    "a railway track along the trail, gauge 50 cm",
    "a wall along the trail 2 m high",
    "a brick wall along the trail 2 m high",
    "turn the trail into a tube 20 cm in diameter",
    "turn the trail into a rope 10 cm thick",
    "turn the trail into a chain with links of 20 cm",
    "50 dominoes along the trail",
    "a necklace along the trail with beads of 5 cm",
)
ON = (
    "scatter 40 pebbles on the ground",
    "grass on the ground",
    "a pebble in every corner of the ground",
    "scatter 10 lamps on the ground",
)


def scene() -> None:
    session.current.reset("")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    curve = bpy.data.curves.new("Trail", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, place in zip(spline.points, ((0, 0, 0), (8, 0, 0), (8, 4, 0)), strict=True):
        point.co = (*place, 1)
    trail = bpy.data.objects.new("Trail", curve)
    bpy.context.scene.collection.objects.link(trail)
    trail.location = (-5, 2, 0.5)
    for add, name, size, at in (
        (bpy.ops.mesh.primitive_ico_sphere_add, "Pebble", {"radius": 0.08, "subdivisions": 1}, (0, -12, 0)),
        (bpy.ops.mesh.primitive_cylinder_add, "Lamp", {"radius": 0.15, "depth": 3, "vertices": 6}, (14, 0, 0)),
        (bpy.ops.mesh.primitive_plane_add, "Ground", {"size": 6}, (20, 20, 0)),
    ):
        add(location=at, **size)
        bpy.context.object.name = name


def choose(name: str) -> Any:
    target = bpy.data.objects[name]
    bpy.ops.object.select_all(action="DESELECT")
    target.select_set(True)
    bpy.context.view_layer.objects.active = target
    return target


def ask(prompt: str) -> Any:
    return api.run(prompt, provider="offline")


def shown(target: Any) -> Any:
    """The vertices of all meshes that an object shows, in the scene, in the order of their places."""
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    found = [np.zeros((0, 3))]
    for one in graph.object_instances:
        own = one.parent.original if one.is_instance else one.object.original
        if own != target or one.object.type != "MESH":
            continue
        mesh = one.object.data
        co = np.empty(len(mesh.vertices) * 3)
        mesh.vertices.foreach_get("co", co)
        matrix = np.array(one.matrix_world)
        found.append(co.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
    points = np.concatenate(found).round(3) + 0.0
    return points[np.lexsort(points.T)]


def wrong_pairs(prompts: tuple[str, ...], name: str, ground: bool) -> Iterator[str]:
    """What is wrong of pairs, each prompt with the first three before and behind it."""
    alone: dict[str, Any] = {}
    for prompt in prompts:
        scene()
        target = choose(name)
        bare = shown(target)
        report = ask(prompt)
        assert report.ok, (prompt, report.messages)
        alone[prompt] = shown(target)
        assert len(alone[prompt]) > len(bare), prompt
    examined = 0
    for first, second in permutations(prompts, 2):
        if not {first, second} & {*prompts[:3]}:
            continue
        scene()
        target = choose(name)
        bare = shown(target) if ground else np.zeros((0, 3))
        reports = [ask(first), ask(second)]
        if not all(report.ok for report in reports):
            yield f"{first} / {second}: {[m['text'] for report in reports for m in report.messages]}"
            continue
        examined += 1
        both = shown(target)
        # The ground itself is in each.
        wanted = np.concatenate([alone[first], alone[second]])
        if len(both) != len(wanted) - len(bare):
            yield f"{first} / {second}: {len(both)} vertices, not {len(wanted) - len(bare)}"
            continue
        wanted = wanted[np.lexsort(wanted.T)]
        if not ground and not np.allclose(both, wanted, atol=0.003):
            yield f"{first} / {second}: {np.abs(both - wanted).max(axis=1).argmax()} stands elsewhere"
    assert examined > len(prompts)


def test_every_result_along_a_curve_is_the_same_behind_another() -> None:
    wrong = list(wrong_pairs(ALONG, "Trail", ground=False))
    assert not wrong, "\n".join(wrong)


def test_what_stands_on_a_surface_is_no_surface_for_the_next() -> None:
    wrong = list(wrong_pairs(ON, "Ground", ground=True))
    assert not wrong, "\n".join(wrong)


def test_a_curve_that_is_gone_is_refused_or_handed_on() -> None:
    scene()
    trail = choose("Trail")
    assert ask(ALONG[0]).ok
    before = shown(trail)
    # What the road was made from is not cut behind it.
    for prompt in ("trim the trail to 20% to 80% of its length", "resample the trail to 50 points"):
        report = ask(prompt)
        assert not report.ok and "Road" in report.final_message, report.final_message
    # A result of before there was the input, and a modifier that makes a mesh of the curve.
    group = trail.modifiers[0].node_group
    [keep] = [item for item in group.interface.items_tree if item.name == "Keep Curve"]
    keep.name = "Other"
    report = ask(ALONG[2])
    assert not report.ok and "Duplicate “Trail”" in report.final_message, report.final_message
    keep.name = "Keep Curve"
    thick = trail.modifiers.new("Thick", "SOLIDIFY")
    report = ask(ALONG[2])
    assert not report.ok and "“Thick”" in report.final_message, report.final_message
    trail.modifiers.remove(thick)
    assert np.allclose(shown(trail), before)
    # Another object does not bend along a road.
    choose("Lamp")
    report = ask("bend the lamp along the trail")
    assert not report.ok and "Duplicate “Trail”" in report.final_message, report.final_message
    # Named, but not active: its values are not known.
    report = ask("place 10 pebbles along the trail")
    assert report.ok and len(shown(trail)) == len(before) + 120, report.final_message


def test_one_sentence_makes_both() -> None:
    scene()
    trail = choose("Trail")
    report = ask("turn the curve into a road 5 m wide, then put lamps on both sides of the trail every 3 m")
    assert report.ok, report.messages
    lamps = shown(trail)
    scene()
    trail = choose("Trail")
    assert ask(ALONG[0]).ok
    assert len(lamps) == len(shown(trail)) + 10 * 12
