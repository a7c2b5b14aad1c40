# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests are read strictly, and every kind of expectation can fail."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import geonode_core
import pytest
from geonode_assistant.cli import expectations, manifest
from geonode_assistant.cli.expectations import Measured, Scene
from geonode_assistant.cli.manifest import ManifestReport
from geonode_assistant.host import primitives
from geonode_assistant.messages import AssistantError

GOOD: dict[str, Any] = {
    "manifest": 1,
    "name": "scatter",
    "prompt": "scatter 200 rocks on the plane",
    "provider": "offline",
    "start": {
        "objects": [
            {
                "name": "Plane",
                "primitive": "plane",
                "size": 10,
                "location": [0, 0, 1],
                "scale": [1, 1, 1],
                "rotation": [0, 0, 0],
            }
        ],
        "active": "Plane",
    },
    "object": "Plane",
    "follow_ups": ["make it 200"],
    "timeout_s": 60,
    "expect": {
        "status": "done",
        "codes": [],
        "objects": ["Plane"],
        "absent": ["Rock"],
        "steps": 1,
        "failed_gates": [],
        "budget": {"seconds": 30, "tokens": 1000},
        "untouched": [
            {"kind": "materials", "name": "Stone"},
            {"kind": "node_groups", "name": "Waves", "nodes": ["Noise"]},
        ],
        "modifiers": [{"object": "Plane", "name": "Scatter", "type": "NODES"}],
        "node_types": [
            {
                "object": "Plane",
                "modifier": "Scatter",
                "contains": {"GeometryNodeDistributePointsOnFaces": 1, "GeometryNodeGroup": [2, 2]},
                "links": [{"from": ["GeometryNodeGroup", "Points"], "to": ["out", "Socket_1"]}],
            }
        ],
        "geometry": [
            {
                "object": "Plane",
                "vertices": 4,
                "edges": [4, 4],
                "faces": 1,
                "instances": [200, 200],
                "points": 0,
                "curves": 0,
                "grids": 0,
                "warnings": 0,
                "attributes": {"heat": {"domain": "POINT", "type": "FLOAT", "min": [-1, 0], "max": 1}},
                "bounds": {"min": [-5, -5, 0], "max": [5, 5, 0.5], "tolerance": 0.1},
                "size": {"x": [9.9, 10.1], "z": 0.5},
            },
            {"object": "Plane", "frame": 20, "instances": 200},
        ],
        "undo_restores": True,
    },
}


def changed(pointer: str, value: Any, remove: bool = False) -> dict[str, Any]:
    """The good manifest with one place changed or removed."""
    data = copy.deepcopy(GOOD)
    *parents, last = pointer.split("/")[1:]
    place: Any = data
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place[key]
    key = int(last) if isinstance(place, list) else last
    if remove:
        del place[key]
    else:
        place[key] = value
    return data


def load(data: Any, tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "m.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return manifest.load(path)


def test_a_good_manifest_is_read_as_it_is(tmp_path: Path) -> None:
    assert load(GOOD, tmp_path) == GOOD


@pytest.mark.parametrize("pointer", ["/manifest", "/name", "/prompt", "/timeout_s", "/expect", "/expect/status"])
def test_missing_fields(tmp_path: Path, pointer: str) -> None:
    with pytest.raises(AssistantError) as caught:
        load(changed(pointer, None, remove=True), tmp_path)
    assert caught.value.code == "manifest_invalid"
    assert f'{pointer}: The field "{pointer.rpartition("/")[2]}" is missing.' in caught.value.message


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/manifest", 2),
        ("/manifest", True),
        ("/name", ""),
        ("/prompt", 7),
        ("/timeout_s", 0),
        ("/timeout_s", True),
        ("/extra", 1),
        ("/provider", 1),
        ("/replies", "text"),
        ("/replies", []),
        ("/start/objects/0/primitive", "teapot"),
        ("/start/objects/0/size", -1),
        ("/start/objects/0/location", [1, 2]),
        ("/start/objects/0/colour", "red"),
        ("/expect/status", "fine"),
        ("/expect/codes/0", 3),
        ("/expect/modifiers/0/kind", "NODES"),
        ("/expect/node_types/0/contains", {}),
        ("/expect/node_types/0/contains/GeometryNodeDistributePointsOnFaces", 0),
        ("/expect/geometry/0/instances", [3, 1]),
        ("/expect/geometry/0/instances", 1.5),
        ("/expect/geometry/0/instances", [1, 2, 3]),
        ("/expect/geometry/0/size/w", 1),
        ("/expect/geometry/0/bounds/tolerance", 0),
        ("/expect/geometry/0/rocks", 200),
        ("/expect/undo_restores", 1),
        ("/follow_ups/0", ""),
        ("/expect/absent", "Rock"),
        ("/expect/steps", -1),
        ("/expect/steps", [3, 1]),
        ("/expect/failed_gates/0", 1),
        ("/expect/budget/seconds", 0),
        ("/expect/budget/tokens", -5),
        ("/expect/budget/euros", 1),
        ("/expect/untouched/0/name", ""),
        ("/expect/node_types/0/contains/GeometryNodeGroup", [3, 1]),
        ("/expect/node_types/0/links/0/from", ["GeometryNodeGroup"]),
        ("/expect/geometry/0/frame", 100000),
        ("/expect/geometry/0/attributes/heat/min", [1, 0]),
        ("/expect/geometry/0/attributes/heat/colour", 1),
    ],
)
def test_wrong_fields_are_named_by_pointer(tmp_path: Path, pointer: str, value: Any) -> None:
    data = copy.deepcopy(GOOD)
    if pointer in ("/expect/codes/0", "/expect/failed_gates/0"):
        data["expect"][pointer.split("/")[2]] = [value]
    else:
        data = changed(pointer, value)
    with pytest.raises(AssistantError) as caught:
        load(data, tmp_path)
    assert caught.value.code == "manifest_invalid"
    assert f"{pointer}: " in caught.value.message


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"start": {"blend": "a.blend", "active": "Plane"}}, "/start/active"),
        ({"start": {"blend": ""}}, "/start/blend"),
        ({"start": {}}, "/start/objects"),
        ({"provider": "replay"}, "/replies"),
        ({"provider": "offline", "replies": ["{}"]}, "/replies"),
        ({"provider": "replay", "replies": [1]}, "/replies/0"),
    ],
)
def test_conflicting_fields_are_refused(tmp_path: Path, fields: dict[str, Any], pointer: str) -> None:
    with pytest.raises(AssistantError) as caught:
        load(GOOD | fields, tmp_path)
    assert f"{pointer}: " in caught.value.message


@pytest.mark.parametrize("text", ["", "[]", "{", '{"manifest": 1, "manifest": 1}', "[" * 100_000, "nul", "\ufeff{}"])
def test_files_that_are_not_manifests_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(AssistantError) as caught:
        load(text, tmp_path)
    assert caught.value.code == "manifest_invalid"


def test_a_missing_manifest_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AssistantError) as caught:
        manifest.load(tmp_path / "nope.json")
    assert caught.value.code == "file_not_found"


RUN = {
    "status": "done",
    "steps": [{}],
    "messages": [{"code": "repaired", "severity": "info", "text": ""}],
    "gates": {"findings": [], "failed_gates": []},
    "usage": {"input_tokens": 400, "output_tokens": None},
}
GROUP = {"id": "one", "type": "GeometryNodeGroup", "props": {"node_tree": {"node_group": "Inner"}}}
FILE: dict[Any, Any] = {
    ("materials", "Stone"): {"roughness": 0.5},
    ("node_groups", "Waves"): {
        "nodes": [{"name": "Noise", "scale": 5.0}, {"name": "Other", "scale": 1.0}],
        "links": [{"to_node": ("Node", "Noise"), "to_socket": "W"}, {"to_node": ("Node", "Other")}],
    },
}
EVALUATED = {
    "mesh": {"vertices": 4, "edges": 4, "faces": 1},
    "instances": {"count": 200},
    "bounds": [[-5, -5, 0], [5, 5, 0.5]],
}
MEASURED = Measured(
    {"objects": [{"name": "Plane", "evaluated": EVALUATED, "modifiers": [{"warnings": []}]}]},
    {"Plane": {"heat": {"domain": "POINT", "type": "FLOAT", "min": -0.5, "max": 1.0}}},
)
SCENE = Scene(
    {
        "objects": {"Plane": {"modifiers": [{"name": "Scatter", "type": "NODES", "node_group": "Scatter"}]}},
        "trees": {
            "Scatter": {
                "nodes": [GROUP, {**GROUP, "id": "two"}],
                "links": [{"from": ["one", "Points"], "to": ["out", "Socket_1"]}],
            },
            "Inner": {
                "nodes": [{"id": "points", "type": "GeometryNodeDistributePointsOnFaces", "props": {}}],
                "links": [],
            },
        },
    },
    {None: MEASURED, 20: MEASURED},
    FILE,
    {**copy.deepcopy(FILE), ("objects", "New"): {}},
    12.0,
)


def test_a_scene_as_expected_passes_every_check() -> None:
    checks = expectations.compare(GOOD["expect"], [RUN], SCENE)
    assert len(checks) == 31
    assert all(check.ok for check in checks), [check.line() for check in checks if not check.ok]


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/status", "error"),
        ("/codes", ["cycle"]),
        ("/objects", ["Rock"]),
        ("/modifiers/0/name", "Other"),
        ("/modifiers/0/type", "SUBSURF"),
        ("/modifiers/0/object", "Rock"),
        ("/node_types/0/contains", {"GeometryNodeDistributePointsOnFaces": 2}),
        ("/node_types/0/modifier", "Other"),
        ("/geometry/0/object", "Rock"),
        ("/geometry/0/vertices", 5),
        ("/geometry/0/instances", [201, 300]),
        ("/geometry/0/points", 1),
        ("/geometry/0/curves", [1, 9]),
        ("/geometry/0/bounds/max", [5, 5, 0.7]),
        ("/geometry/0/bounds/min", [-5.2, -5, 0]),
        ("/geometry/0/size", {"y": 11}),
        ("/absent", ["Plane"]),
        ("/steps", 2),
        ("/failed_gates", ["empty_result"]),
        ("/budget/seconds", 11.9),
        ("/budget/tokens", 399),
        ("/untouched/0/name", "Wood"),
        ("/untouched/1/nodes", ["Missing"]),
        ("/node_types/0/contains", {"GeometryNodeGroup": [3, 9]}),
        ("/node_types/0/links/0/to", ["out", "Socket_2"]),
        ("/node_types/0/links/0/from", ["GeometryNodeDistributePointsOnFaces", "Points"]),
        ("/geometry/0/grids", 1),
        ("/geometry/0/warnings", [1, 9]),
        ("/geometry/0/attributes", {"cold": {}}),
        ("/geometry/0/attributes/heat/domain", "FACE"),
        ("/geometry/0/attributes/heat/type", "INT"),
        ("/geometry/0/attributes/heat/min", 0),
        ("/geometry/0/attributes/heat/max", [2, 3]),
        ("/geometry/1/instances", 201),
    ],
)
def test_every_expectation_can_fail(pointer: str, value: Any) -> None:
    expect = changed("/expect" + pointer, value)["expect"]
    failed = [check for check in expectations.compare(expect, [RUN], SCENE) if not check.ok]
    assert failed
    assert all(check.line().startswith("FAIL") and "expected" in check.line() for check in failed)


@pytest.mark.parametrize(("key", "value"), [("object", "Rock"), ("modifier", "Other")])
def test_none_of_these_nodes_is_not_true_of_what_is_not_there(key: str, value: str) -> None:
    wanted = {"object": "Plane", "modifier": "Scatter", "contains": {"GeometryNodeTransform": [0, 0]}}
    assert expectations.compare({"status": "done", "node_types": [wanted]}, [RUN], SCENE)[-1].ok
    last = expectations.compare({"status": "done", "node_types": [wanted | {key: value}]}, [RUN], SCENE)[-1]
    assert not last.ok and last.actual == "missing"


def test_an_object_that_was_hidden_or_replaced_by_its_namesake_is_not_untouched() -> None:
    expect = {"status": "done", "untouched": [{"kind": "objects", "name": "Plane"}]}
    file = {("objects", "Plane"): {}}
    for other in ((1, False, ["Scene"]), (2, True, ["Scene"]), (1, None, [])):
        places = ({"Plane": (1, True, ["Scene"])}, {"Plane": other})
        scene = replace(SCENE, before=file, after=file, placed=places)
        assert not expectations.compare(expect, [RUN], scene)[-1].ok, other


def test_lengths_are_compared_as_exactly_as_blender_stores_them() -> None:
    for value, ok in ((4.0000002, True), (3.9999998, True), (4.0001, False), (3.9999, False)):
        heat = {"domain": "POINT", "type": "FLOAT", "min": 0.0, "max": value}
        measured = Measured(MEASURED.evidence, {"Plane": {"heat": heat}})
        wanted = {"object": "Plane", "attributes": {"heat": {"max": 4}}}
        checks = expectations.compare(
            {"status": "done", "geometry": [wanted]}, [RUN], replace(SCENE, measured={None: measured})
        )
        assert checks[-1].ok is ok, value


@pytest.mark.parametrize(
    ("block", "change"),
    [
        (("materials", "Stone"), {"roughness": 0.6}),
        (("materials", "Stone"), None),
        (("node_groups", "Waves"), {"nodes": [{"name": "Noise", "scale": 6.0}]}),
        (("node_groups", "Waves"), {"nodes": [], "links": []}),
        (("node_groups", "Waves"), {**FILE["node_groups", "Waves"], "links": []}),
    ],
)
def test_what_is_untouched_is_compared_by_its_values(block: tuple[str, str], change: Any) -> None:
    after = {key: value for key, value in FILE.items() if key != block} | ({block: change} if change else {})
    checks = expectations.compare(GOOD["expect"], [RUN], replace(SCENE, after=after))
    assert [check.name.split()[1] for check in checks if not check.ok] == [block[1]]


def test_a_node_beside_the_untouched_ones_may_change() -> None:
    after = copy.deepcopy(FILE)
    after["node_groups", "Waves"]["nodes"][1]["scale"] = 3.0
    checks = expectations.compare(GOOD["expect"], [RUN], replace(SCENE, after=after))
    assert all(check.ok for check in checks), [check.line() for check in checks if not check.ok]


def test_a_report_without_checks_has_not_passed() -> None:
    report = ManifestReport("empty", "m.json")
    assert not report.ok
    json.dumps(report.to_dict())


def test_the_core_knows_the_same_primitives_as_the_host() -> None:
    known = geonode_core.schema("manifest")["$defs"]["PrimitiveKind"]["enum"]
    assert sorted(known) == sorted(primitives.ADD)


@pytest.mark.parametrize("primitive", primitives.ADD)
def test_primitives_have_the_size_that_the_manifest_says(primitive: str) -> None:
    from geonode_assistant.cli import e2e

    item = {"name": "Thing", "primitive": primitive, "size": 3.0, "location": [1, 2, 3], "scale": [1, 2, 1]}
    e2e.build_start({"objects": [item, {"name": "Other", "primitive": "cube"}], "active": "Thing"}, Path())
    assert sorted(thing.name for thing in bpy.data.objects) == ["Other", "Thing"]
    made = bpy.context.view_layer.objects.active
    assert made.name == made.data.name == "Thing"
    assert [round(value, 4) for value in (*made.location, *made.scale)] == [1, 2, 3, 1, 2, 1]
    assert [thing.name for thing in bpy.context.selected_objects] == ["Thing"]
    bpy.context.view_layer.update()
    # Ico spheres and beziers do not fill their bounding box on every side.
    widest = max(side / scale for side, scale in zip(made.dimensions, (1, 2, 1), strict=True))
    assert 2.5 <= widest <= (4.2 if primitive == "monkey" else 3.2)


def test_an_unknown_active_object_makes_the_manifest_invalid() -> None:
    from geonode_assistant.cli import e2e

    with pytest.raises(AssistantError, match="/start/active"):
        e2e.build_start({"objects": [], "active": "Nobody"}, Path())
