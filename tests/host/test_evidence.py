# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated geometry, context, the starter scene and the picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from geonode_assistant.host import context, evaluate, picture
from geonode_assistant.host.apply import apply_delta
from geonode_assistant.host.errors import HostError
from making import on, socket, step, through


def result(
    nodes: list[dict[str, Any]],
    links: list[list[str]],
    values: list[list[Any]] | None = None,
    obj: str = "Plane",
    **more: Any,
) -> dict[str, Any]:
    """Evidence for an object with a tree that ends in the node `last`, output `=Geometry` unless a link says
    otherwise.
    """
    delta = through(
        add=[{"id": "in", "type": "NodeGroupInput"}, {"id": "out", "type": "NodeGroupOutput"}, *nodes],
        links=links,
        values=values or [],
        locations=[],
        **more,
    )
    apply_delta(step(delta, modifiers=[on(obj, "Test")]))
    found = evaluate.evidence([obj], ["Test"], None)
    json.dumps(found, allow_nan=False)
    return found["objects"][0]["evaluated"] | {"_all": found}


def test_instances_count_with_their_size(starter: None) -> None:
    found = result(
        [{"id": "i", "type": "GeometryNodeInstanceOnPoints"}, {"id": "c", "type": "GeometryNodeMeshCube"}],
        [["in", "@in", "i", "Points"], ["c", "Mesh", "i", "Instance"], ["i", "Instances", "out", "@out"]],
        [
            ["c", "Size", [2.0, 2.0, 4.0]],
            ["i", "Rotation", [0.0, 1.5707963267948966, 0.0]],
            ["i", "Scale", [1.0, 1.0, 0.5]],
        ],
    )
    assert found["instances"] == {"count": 4} and "mesh" not in found and found["finite"]
    np.testing.assert_allclose(found["bounds"], [[-6, -6, -1], [6, 6, 1]], atol=1e-5)


def test_a_space_in_a_text_is_an_instance_of_nothing(starter: None) -> None:
    found = result(
        [{"id": "t", "type": "GeometryNodeStringToCurves"}],
        [["t", "Curve Instances", "out", "@out"]],
        [["t", "String", "a b"]],
    )
    assert found["instances"]["count"] in (2, 3) and found["finite"]
    assert found["bounds"][1][0] > found["bounds"][0][0]


def test_instances_in_instances_and_of_objects(starter: None) -> None:
    bpy.data.objects["Sphere"].data.transform(__import__("mathutils").Matrix.Scale(2, 4))
    nodes = [
        {"id": "line", "type": "GeometryNodeMeshLine"},
        {"id": "a", "type": "GeometryNodeInstanceOnPoints"},
        {"id": "b", "type": "GeometryNodeInstanceOnPoints"},
        {"id": "o", "type": "GeometryNodeObjectInfo"},
    ]
    found = result(
        nodes,
        [
            ["line", "Mesh", "a", "Points"],
            ["o", "Geometry", "a", "Instance"],
            ["in", "@in", "b", "Points"],
            ["a", "Instances", "b", "Instance"],
            ["b", "Instances", "out", "@out"],
        ],
        [
            ["o", "Object", {"object": "Sphere"}],
            ["o", "As Instance", True],
            ["line", "Count", 3],
            ["line", "Offset", [0.0, 0.0, 10.0]],
        ],
    )
    assert found["instances"]["count"] == (4 if bpy.app.version >= (4, 5) else 12)
    np.testing.assert_allclose(found["bounds"], [[-7, -7, -2], [7, 7, 22]], atol=1e-4)


def test_curves_and_points_without_mesh(starter: None) -> None:
    line = [{"id": "l", "type": "GeometryNodeCurvePrimitiveLine"}, {"id": "r", "type": "GeometryNodeResampleCurve"}]
    found = result(
        line,
        [["l", "Curve", "r", "Curve"], ["r", "Curve", "out", "@out"]],
        [["l", "End", [0.0, 0.0, 3.0]], ["r", "Count", 5]],
    )
    assert found["curves"] == {"curves": 1, "points": 5} and found["bounds"] == [[0.0, 0.0, 0.0], [0.0, 0.0, 3.0]]
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    found = result(
        [{"id": "p", "type": "GeometryNodePoints"}],
        [["p", "=Points", "out", "@out"]],
        [["p", "Count", 7], ["p", "Position", [1.0, 2.0, 3.0]]],
        obj="Cube",
    )
    assert found["pointcloud"] == {"points": 7} and found["bounds"] == [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("mesh", {"mesh": {"vertices": 1184, "edges": 2336, "faces": 1152}}),
        ("curve", {"curves": {"curves": 1, "points": 10}}),
        ("instances", {"instances": {"count": 10}}),
    ],
)
def test_results_on_a_curve_object(starter: None, last: str, expected: dict[str, Any]) -> None:
    nodes = [
        {"id": "m", "type": "GeometryNodeCurveToMesh"},
        {"id": "c", "type": "GeometryNodeCurvePrimitiveCircle"},
        {"id": "r", "type": "GeometryNodeResampleCurve"},
        {"id": "i", "type": "GeometryNodeInstanceOnPoints"},
        {"id": "k", "type": "GeometryNodeMeshCube"},
    ]
    links = {
        "mesh": [["in", "@in", "m", "Curve"], ["c", "Curve", "m", "Profile Curve"], ["m", "Mesh", "out", "@out"]],
        "curve": [["in", "@in", "r", "Curve"], ["r", "Curve", "out", "@out"]],
        "instances": [
            ["in", "@in", "r", "Curve"],
            ["r", "Curve", "i", "Points"],
            ["k", "Mesh", "i", "Instance"],
            ["i", "Instances", "out", "@out"],
        ],
    }[last]
    found = result(nodes, links, obj="Curve")
    assert {k: v for k, v in found.items() if k in {"mesh", "curves", "instances", "pointcloud"}} == expected


def test_an_empty_and_an_infinite_result(starter: None) -> None:
    empty = result([], [])
    assert empty["bounds"] is None and empty["finite"] and not {"mesh", "instances", "curves"} & empty.keys()
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    nodes = [{"id": "s", "type": "GeometryNodeSetPosition"}, {"id": "m", "type": "ShaderNodeMath"}]
    # 3e38 * 3e38 is beyond 32 bits.
    broken = result(
        nodes,
        [["m", "Value", "s", "Offset"], ["in", "@in", "s", "Geometry"], ["s", "Geometry", "out", "@out"]],
        [["m", "Value", 3e38], ["m", "Value_001", 3e38]],
        obj="Cube",
        props=[["m", "operation", "MULTIPLY"]],
    )
    assert not broken["finite"] and broken["bounds"] is None and broken["mesh"]["vertices"] == 8


def test_warnings_and_invalid_links(starter: None) -> None:
    nodes = [
        {"id": "d", "type": "GeometryNodeDistributePointsOnFaces"},
        {"id": "p", "type": "GeometryNodeInputPosition"},
        {"id": "line", "type": "GeometryNodeCurvePrimitiveLine"},
    ]
    found = result(
        nodes, [["line", "Curve", "d", "Mesh"], ["p", "Position", "d", "Seed"], ["d", "Points", "out", "@out"]]
    )["_all"]
    warnings = found["objects"][0]["modifiers"][0]["warnings"]
    if bpy.app.version < (4, 5):
        assert warnings is None
    else:
        assert warnings and set(warnings[0]) == {"type", "message"}
    assert [link[:4] for link in found["invalid_links"]["Test"]] == [["p", "Position", "d", "Seed"]]
    assert found["after"]["node_groups"] == ["Test"] and found["before"]["node_groups"] == []


def test_many_instances_are_counted_without_a_loop(starter: None) -> None:
    """A million instances are measured without creating a million Python objects (which 4.2 cannot avoid)."""
    count = 1_000_000 if bpy.app.version >= (4, 5) else 20_000
    found = result(
        [
            {"id": "g", "type": "GeometryNodePoints"},
            {"id": "i", "type": "GeometryNodeInstanceOnPoints"},
            {"id": "c", "type": "GeometryNodeMeshCube"},
        ],
        [["g", "=Points", "i", "Points"], ["c", "Mesh", "i", "Instance"], ["i", "Instances", "out", "@out"]],
        [["g", "Count", count]],
    )
    assert found["instances"] == {"count": count} and found["bounds"] == [[-0.5] * 3, [0.5] * 3]


def test_a_hidden_object_is_reported_as_hidden(starter: None) -> None:
    bpy.data.objects["Plane"].hide_viewport = True
    with pytest.raises(HostError) as caught:
        evaluate.evidence(["Plane"], [], None)
    assert caught.value.code == "object_hidden"


def test_starter_scene(starter: None) -> None:
    objects = bpy.data.objects
    assert sorted(objects.keys()) == [
        "Camera",
        "Cube",
        "Curve",
        "Light",
        "Plane",
        "Rock",
        "Rock 1",
        "Rock 2",
        "Rock 3",
        "Sphere",
        "Suzanne",
    ]
    assert bpy.context.view_layer.objects.active == objects["Plane"]
    assert tuple(objects["Plane"].dimensions) == (10.0, 10.0, 0.0)
    assert 0.3 < max(objects["Rock"].dimensions) < 0.5
    assert [o.name for o in bpy.data.collections["Rocks"].objects] == ["Rock 1", "Rock 2", "Rock 3"]
    length = sum(s.calc_length() for s in objects["Curve"].data.splines)
    assert 8.0 < length < 10.0
    solid = [o for o in objects if o.type in {"MESH", "CURVE"}]
    boxes = [[np.array(o.matrix_world @ __import__("mathutils").Vector(c)) for c in o.bound_box] for o in solid]
    for a, one in enumerate(boxes):
        for b, two in enumerate(boxes[:a]):
            apart = [
                min(p[k] for p in one) > max(p[k] for p in two) or min(p[k] for p in two) > max(p[k] for p in one)
                for k in (0, 1)
            ]
            assert any(apart), (solid[a].name, solid[b].name)


def test_context_of_target_and_selection(starter: None) -> None:
    apply_delta(step(through(), modifiers=[on("Plane", "Test")]))
    before = sorted((b.id_type, b.name, b.users) for b in bpy.data.user_map())
    seen = context.capture_context()
    assert json.dumps(context.capture_context()) == json.dumps(seen)
    assert (seen["target_object"], seen["target_modifier"], seen["target_node_group"]) == ("Plane", "GeoNode", "Test")
    assert seen["selection"] == ["Plane"] and seen["tree"]["root"] == "Test"
    by_name = {o["name"]: o for o in seen["objects"]}
    assert list(by_name) == sorted(by_name)
    assert by_name["Cube"]["counts"] == {"vertices": 8, "edges": 12, "faces": 6}
    assert by_name["Curve"]["counts"] == {"splines": 1, "points": 4}
    assert by_name["Plane"]["modifiers"] == [{"name": "GeoNode", "type": "NODES", "node_group": "Test"}]
    assert "bounds" not in by_name["Camera"]
    assert context.capture_context("Cube")["target_modifier"] is None
    assert sorted((b.id_type, b.name, b.users) for b in bpy.data.user_map()) == before
    for arguments, code in ((("Cbue",), "unknown_object"), (("Plane", "Nothing"), "unknown_modifier")):
        with pytest.raises(HostError) as refused:
            context.capture_context(*arguments)
        assert refused.value.code == code
    with pytest.raises(HostError, match='Did you mean "Cube"'):
        context.capture_context("Cbue")


def test_a_large_scene_is_cut_but_keeps_what_matters(empty: None) -> None:
    for number in range(260):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(f"o{number:03}", None))
    last = bpy.data.objects["o259"]
    last.select_set(True)
    seen = context.capture_context("o258")
    assert len(seen["objects"]) == context.OBJECT_LIMIT and seen["cut"] == 60
    assert {"o258", "o259"} <= {o["name"] for o in seen["objects"]}


def test_inspect_answers_only_what_is_asked(starter: None) -> None:
    new = through()
    new["interface"].append(socket("@h", "Height", "INPUT", "NodeSocketFloat", default_value=0.1))
    apply_delta(step(new, modifiers=[on("Plane", "Test")]))
    document = context.inspect(["Plane", "Missing"], ["Test", "Missing"])
    assert document["objects"] == {
        "Plane": {
            "type": "MESH",
            "library": False,
            "modifiers": [{"name": "GeoNode", "type": "NODES", "node_group": "Test", "inputs": {"Socket_2": 0.1}}],
        }
    }
    assert list(document["trees"]) == ["Test"]
    assert document["tree_info"] == {"Test": {"users": 1, "library": False, "type": "GeometryNodeTree"}}
    assert document["fingerprint"] == context.inspect(["Plane", "Missing"], ["Test", "Missing"])["fingerprint"]
    bpy.data.node_groups["Test"].nodes["move"].mute = True
    assert document["fingerprint"] != context.inspect(["Plane"], ["Test"])["fingerprint"]


def test_picture_shows_the_object_and_leaves_no_trace(starter: None, tmp_path: Path) -> None:
    before = sorted((b.id_type, b.name, b.users) for b in bpy.data.user_map())
    scene = bpy.context.scene.name
    path = tmp_path / "picture.png"
    picture.render("Suzanne", path, (160, 120))
    assert sorted((b.id_type, b.name, b.users) for b in bpy.data.user_map()) == before
    assert bpy.context.scene.name == scene
    image = bpy.data.images.load(str(path))
    assert tuple(image.size) == (160, 120)
    pixels = np.array(image.pixels[:]).reshape(120, 160, 4)[..., :3]
    differs = np.abs(pixels - pixels[0, 0]).max(axis=2) > 0.04
    rows, columns = np.where(differs)
    assert len(np.unique((pixels * 255).astype(int).reshape(-1, 3), axis=0)) > 200, "a real picture has many colours"
    assert 0.15 < differs.mean() < 0.8, "the object fills the frame"
    assert columns.min() > 0 and columns.max() < 159 and rows.min() > 0 and rows.max() < 119, "and is inside it"
    with pytest.raises(HostError):
        picture.render("Nobody", path)


def test_a_picture_shows_the_current_frame_and_what_has_no_extent(starter: None, tmp_path: Path) -> None:
    scene, suzanne = bpy.context.scene, bpy.data.objects["Suzanne"]
    for frame, size in ((1, 0.0), (10, 1.0)):
        suzanne.scale = (size, size, size)
        suzanne.keyframe_insert("scale", frame=frame)
    scene.frame_set(1)
    picture.render("Suzanne", tmp_path / "nothing.png", (80, 60))
    scene.frame_set(10)
    picture.render("Suzanne", tmp_path / "whole.png", (80, 60))
    assert scene.frame_current == 10
    colours = [
        len({tuple(pixel) for pixel in (np.array(image.pixels[:]).reshape(-1, 4) * 255).astype(int)})
        for image in (bpy.data.images.load(str(tmp_path / f"{name}.png")) for name in ("nothing", "whole"))
    ]
    assert colours[0] < 10 and colours[1] > 100


def test_a_picture_of_bare_curves_shows_them(starter: None, tmp_path: Path) -> None:
    before = sorted((b.id_type, b.name, b.users) for b in bpy.data.user_map())
    path = tmp_path / "curve.png"
    picture.render("Curve", path, (160, 120))
    assert sorted((b.id_type, b.name, b.users) for b in bpy.data.user_map()) == before
    pixels = np.array(bpy.data.images.load(str(path)).pixels[:]).reshape(120, 160, 4)[..., :3]
    assert (np.abs(pixels - pixels[0, 0]).max(axis=2) > 0.04).mean() > 0.004
