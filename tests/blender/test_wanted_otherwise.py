# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the last result, said in everyday words; where things lie; and what is copied gets a colour."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from geonode_assistant import api
from geonode_assistant.run.report import RunReport
from preset_cases import scene, see


def said(prompt: str) -> RunReport:
    report = api.run(prompt, provider="offline")
    assert report.status == "done", (prompt, report.messages)
    return report


def refused(prompt: str) -> str:
    report = api.run(prompt, provider="offline")
    assert report.status != "done", (prompt, report.final_message)
    return str(report.messages)


def test_things_lie_on_top_of_a_solid_unless_all_of_it_is_meant() -> None:
    scene()
    cube = bpy.data.objects["Cube"]
    report = said("scatter 20 cones, 10 cm, on the cube")
    assert np.allclose(see(cube).places[:, 2], 1, atol=1e-4), "on its top"
    assert "looks up" in report.final_message
    said("only on the left half")
    places = see(cube).places
    assert len(places) > 5 and np.allclose(places[:, 2], 1, atol=1e-4) and (places[:, 0] <= 0.01).all()
    cube.modifiers.clear()
    said("scatter 60 cones, 10 cm, all over the cube")
    assert (see(cube).places[:, 2] < 0).any()
    said("scatter 30 Suzannes on the plane")
    assert see(bpy.data.objects["Plane"]).instances == 30, "a plane has no other side"


@pytest.mark.parametrize(
    "margin",
    ["with a margin of 1 m at the edge", "but keep 1 m free along the border", "no closer than 1 m to the edges"],
)
def test_a_margin_is_kept_on_a_plane_of_one_face(margin: str) -> None:
    scene()
    said(f"scatter 60 cones, 20 cm, on the plane, {margin}")
    places = see(bpy.data.objects["Plane"]).places
    assert len(places) == 60 and np.abs(places[:, :2]).max() <= 4.001


def colours(name: str) -> set[str]:
    """The materials that the faces of an object's copies have."""
    shown = bpy.context.evaluated_depsgraph_get().object_instances
    copies = [one.object.data for one in shown if one.is_instance and one.parent.original.name == name]
    found = set()
    for mesh in copies:
        slots = [slot.name if slot else "" for slot in mesh.materials] or [""]
        found |= {slots[face.material_index] for face in mesh.polygons}
    return found


def test_only_the_copies_get_the_colour() -> None:
    scene()
    plane = bpy.data.objects["Plane"]
    said("scatter 12 Suzannes on the plane")
    said("make them red")
    assert colours("Plane") == {"Red"} and see(plane).instances == 12
    assert see(plane).materials == 0, "the plane keeps what it has"
    curve = bpy.data.objects["Curve"]
    bpy.context.view_layer.objects.active = curve
    said("a fence along the curve")
    said("make it white")
    assert colours("Curve") == {"White"}


def test_words_without_a_verb_are_about_the_last_result() -> None:
    scene()
    plane = bpy.data.objects["Plane"]
    said("scatter 30 Suzannes on the plane")
    report = said("randomly 0.8 to 1.2 in size")
    seen = see(plane)
    assert len(plane.modifiers) == 1 and seen.instances == 30, report.final_message
    said("just in the middle")
    assert np.abs(see(plane).places[:, :2]).max() < 2.1
    bpy.ops.wm.read_factory_settings(use_empty=True)
    said("spiral stairs with 12 steps")
    said("each step 20 cm high")
    stairs = bpy.data.objects["Spiral Stairs"]
    assert np.isclose(see(stairs).size(2), 2.4, rtol=0.02)
    said("steps are too high")
    assert see(stairs).size(2) < 2
    assert [one.name for one in bpy.data.objects] == ["Spiral Stairs"]


def test_a_part_is_not_another_one() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    said("a table 2 m long, 1 m wide and 75 cm high")
    assert np.allclose([see(bpy.data.objects["Table"]).size(axis) for axis in range(3)], [2, 1, 0.75], atol=1e-3)
    report = said("the legs are too thin")
    [parameter] = report.understanding["parameters"]
    assert parameter["title"] == "Thickness of the legs"


def test_what_is_no_change_says_what_can_be_changed() -> None:
    scene()
    said("scatter 30 Suzannes on the plane")
    for prompt in ("make it more dramatic", "with a cherry on top", "mach es dramatischer"):
        words = refused(prompt)
        assert "What can be changed there: " in words and "count" in words, words
        assert "minimum distance" in words and "what is copied" in words
    assert see(bpy.data.objects["Plane"]).instances == 30


@pytest.mark.skipif(bpy.app.version < (4, 3), reason="what modifiers make is not measured before 4.3")
def test_a_further_result_works_on_what_stands_there() -> None:
    scene()
    said("subdivide the plane 4 times")
    said("now make waves on it, 30 cm high")
    seen = see(bpy.data.objects["Plane"])
    assert 256 <= seen.faces < 20_000 and np.isclose(seen.size(2), 0.3, rtol=0.02)


def test_it_and_them_are_the_last_result() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    said("a brick wall 3 m long")
    said("paint it white")
    assert colours("Brick Wall") == {"White"}
    said("a ring of 16 cubes, radius 5 m")
    said("cones instead of cubes")
    ring = bpy.data.objects["Ring"]
    assert see(ring).instances == 16 and len(ring.modifiers) == 1
    assert np.isclose(np.abs(see(ring).places[:, 0]).max(), 5, rtol=1e-3), "the radius stays"
    said("I don't like the arrangement, make it 8")
    assert see(ring).instances == 8
