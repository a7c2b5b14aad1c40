# SPDX-License-Identifier: GPL-3.0-or-later
"""Broken plans of every kind: each ends with a diagnosis that names the node, the socket and what to do, and leaves the
file unchanged; if the advice is followed, the same plan passes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.cli import e2e

Op = dict[str, Any]


def n(node_id: str, kind: str, **properties: Any) -> Op:
    full = kind if kind.startswith(("FunctionNode", "ShaderNode")) else f"GeometryNode{kind}"
    op = {"op": "create_node", "node_id": node_id, "bl_idname": full}
    return op | ({"properties": properties} if properties else {})


def at(place: str) -> dict[str, str]:
    node, _, socket = place.rpartition(".") if "." in place else (place, "", "Geometry")
    return {"node_id": {"in": "group_input", "out": "group_output"}.get(node, node), "socket": socket}


def links(*chain: str) -> list[Op]:
    """``"a.Out > b.In"``; ``in`` and ``out`` are the group's own geometry."""
    pairs = (text.split(" > ") for text in chain)
    return [{"op": "link", "from": at(start), "to": at(end)} for start, end in pairs]


def v(place: str, value: Any) -> Op:
    node, _, socket = place.partition(".")
    return {"op": "set_input_default", "node_id": node, "socket": socket, "value": value}


def io(name: str, kind: str, **more: Any) -> Op:
    return {"op": "set_group_io", "direction": "input", "name": name, "socket_type": f"NodeSocket{kind}", **more}


def plan(obj: str, ops: list[Op], message: str = "Done.", **meta: Any) -> dict[str, Any]:
    target = {"object_name": obj, "modifier_name": "Made", "node_group_name": "Made"}
    step = {
        "id": "s",
        "type": "NODE_TREE",
        "description": "Make",
        "payload": {"target": target, "operations": ops},
    }
    made = {"version": "1.2", "steps": [step], "done": True, "final_message": message}
    return made | ({"meta": meta} if meta else {})


@dataclass
class Case:
    """A broken plan, its expected diagnosis, and the same plan with the advice followed."""

    code: str
    broken: list[Op]
    mended: list[Op]
    node: str | None = None
    socket: str | None = None
    obj: str = "Plane"
    meta: dict[str, Any] = field(default_factory=dict)
    mended_meta: dict[str, Any] | None = None
    since: tuple[int, int] = (4, 2)
    words: str = ""


# The cause itself says what would fit.
SELF_EXPLAINING = {"illegal_link", "unknown_data_block"}
THROUGH = links("in > out")
GEOMETRY_ITEM = {"name": "Geometry", "socket_type": "NodeSocketGeometry"}


def put(instance: list[Op], *more: Op) -> list[Op]:
    """Instances on the points of the plane."""
    return [
        n("put", "InstanceOnPoints"),
        *instance,
        *links("in > put.Points", "put.Instances > out"),
        *more,
    ]


BOX = [n("box", "MeshCube"), *links("box.Mesh > put.Instance")]


def chain(node_id: str, kind: str, into: str, out: str, *before: Op, source: str = "in", **properties: Any) -> list[Op]:
    return [*before, n(node_id, kind, **properties), *links(f"{source} > {node_id}.{into}", f"{node_id}.{out} > out")]


def read(name: str, *more: Op) -> list[Op]:
    return [
        n("lift", "SetPosition"),
        n("read", "InputNamedAttribute", data_type="FLOAT_VECTOR"),
        v("read.Name", name),
        *links("read.Attribute > lift.Offset", "lift > out"),
        *(more or links("in > lift")),
    ]


CASES: dict[str, Case] = {
    # Plans that are refused before anything is written.
    "a node type that does not exist": Case(
        "unknown_node_type",
        chain("fine", "SubdivideMeshes", "Mesh", "Mesh"),
        chain("fine", "SubdivideMesh", "Mesh", "Mesh"),
    ),
    "a socket that does not exist": Case(
        "unknown_socket",
        [*chain("fine", "SubdivideMesh", "Mesh", "Mesh"), v("fine.Density of it", 2)],
        [*chain("fine", "SubdivideMesh", "Mesh", "Mesh"), v("fine.Level", 2)],
    ),
    "a property that does not exist": Case(
        "unknown_property",
        chain("up", "ExtrudeMesh", "Mesh", "Mesh", extrusion_kind_of_it="FACES"),
        chain("up", "ExtrudeMesh", "Mesh", "Mesh", mode="FACES"),
    ),
    "a cycle": Case(
        "cycle",
        [n("a", "Transform"), n("b", "Transform"), *links("a > b", "b > a", "b > out")],
        [n("a", "Transform"), n("b", "Transform"), v("a.Translation", [0, 0, 1]), *links("in > a", "a > b", "b > out")],
    ),
    "types that do not convert": Case(
        "illegal_link",
        [n("box", "MeshCube"), n("size", "ShaderNodeMath"), *links("box.Mesh > size.Value", "box.Mesh > out")],
        [n("box", "MeshCube"), n("size", "ShaderNodeMath"), *links("size.Value > box.Size", "box.Mesh > out")],
    ),
    "half a zone": Case(
        "zone_incomplete",
        [n("again", "RepeatOutput"), *THROUGH],
        [
            {"op": "add_zone", "id": "again", "kind": "repeat", "items": [GEOMETRY_ITEM]},
            n("up", "Transform"),
            v("up.Translation", [0, 0, 1]),
            *links("in > again.in.Geometry", "again.in.Geometry > up.Geometry"),
            *links("up.Geometry > again.out.Geometry", "again.out.Geometry > out"),
        ],
    ),
    "an object that does not exist": Case(
        "unknown_data_block",
        put([n("rock", "ObjectInfo"), v("rock.Object", {"object": "Nobody"}), *links("rock.Geometry > put.Instance")]),
        put([n("rock", "ObjectInfo"), v("rock.Object", {"object": "Cube"}), *links("rock.Geometry > put.Instance")]),
    ),
    "a count and bounds": Case(
        "conflicting_fields",
        put(BOX),
        put(BOX),
        meta={"expects": [{"object_name": "Plane", "component": "instances", "count": 4, "min": 1}]},
        mended_meta={"expects": [{"object_name": "Plane", "component": "instances", "count": 4}]},
    ),
    "an explosion": Case(
        "BLOWUP_RISK",
        [
            io("Detail", "Int", default=13),
            *chain("fine", "SubdivideMesh", "Mesh", "Mesh"),
            *links("in.Detail > fine.Level"),
        ],
        [
            io("Detail", "Int", default=6),
            *chain("fine", "SubdivideMesh", "Mesh", "Mesh"),
            *links("in.Detail > fine.Level"),
        ],
        node="fine",
        socket="Level",
    ),
    # Faults that Blender does not report.
    "instances of nothing": Case("nothing_received", put([]), put(BOX), "put", "Instance"),
    "an object info without object": Case(
        "missing_data",
        put([n("rock", "ObjectInfo"), *links("rock.Geometry > put.Instance")]),
        put([n("rock", "ObjectInfo"), v("rock.Object", {"object": "Cube"}), *links("rock.Geometry > put.Instance")]),
        "rock",
        "Object",
    ),
    "a collection info without collection": Case(
        "missing_data",
        put([n("rocks", "CollectionInfo"), *links("rocks.Instances > put.Instance")]),
        put(
            [
                n("rocks", "CollectionInfo"),
                v("rocks.Collection", {"collection": "Rocks"}),
                *links("rocks.Instances > put.Instance"),
            ]
        ),
        "rocks",
        "Collection",
    ),
    "a material that is missing": Case(
        "missing_data",
        chain("paint", "SetMaterial", "Geometry", "Geometry"),
        [*chain("paint", "SetMaterial", "Geometry", "Geometry"), v("paint.Material", {"material": "Red"})],
        "paint",
        "Material",
    ),
    "an input of the modifier that is empty": Case(
        "missing_data",
        put(
            [
                io("Rock", "Object"),
                n("rock", "ObjectInfo"),
                *links("in.Rock > rock.Object", "rock.Geometry > put.Instance"),
            ]
        ),
        put(
            [
                io("Rock", "Object", default={"object": "Cube"}),
                n("rock", "ObjectInfo"),
                *links("in.Rock > rock.Object", "rock.Geometry > put.Instance"),
            ]
        ),
        "rock",
        "Object",
        words="“Rock”",
    ),
    "a tube of a mesh": Case(
        "no_effect",
        chain("tube", "CurveToMesh", "Curve", "Mesh"),
        [
            *chain(
                "tube",
                "CurveToMesh",
                "Curve",
                "Mesh",
                n("line", "MeshToCurve"),
                n("round", "CurvePrimitiveCircle"),
                *links("in > line.Mesh"),
                source="line.Curve",
            ),
            *links("round.Curve > tube.Profile Curve"),
        ],
        "tube",
        "Curve",
        words="Mesh to Curve",
    ),
    "a mesh node on curves": Case(
        "no_effect",
        chain("fine", "SubdivideMesh", "Mesh", "Mesh"),
        chain(
            "fine",
            "SubdivideMesh",
            "Mesh",
            "Mesh",
            n("wire", "CurveToMesh"),
            n("round", "CurvePrimitiveCircle"),
            *links("in > wire.Curve", "round.Curve > wire.Profile Curve"),
            source="wire.Mesh",
        ),
        "fine",
        "Mesh",
        obj="Curve",
        words="Curve to Mesh",
    ),
    "points on a curve": Case(
        "no_effect",
        chain("dots", "DistributePointsOnFaces", "Mesh", "Points"),
        [
            n("face", "FillCurve"),
            n("circle", "CurvePrimitiveCircle"),
            *chain("dots", "DistributePointsOnFaces", "Mesh", "Points", source="face.Mesh"),
            *links("circle.Curve > face.Curve"),
        ],
        "dots",
        "Mesh",
        obj="Curve",
        words="Fill Curve",
    ),
    "points on a mesh without faces": Case(
        "no_effect",
        chain("dots", "DistributePointsOnFaces", "Mesh", "Points", n("ring", "MeshCircle"), source="ring.Mesh"),
        chain(
            "dots",
            "DistributePointsOnFaces",
            "Mesh",
            "Points",
            n("ring", "MeshCircle", fill_type="NGON"),
            source="ring.Mesh",
        ),
        "dots",
        "Mesh",
        words="faces",
    ),
    "a curve node on a mesh": Case(
        "no_effect",
        chain("even", "ResampleCurve", "Curve", "Curve"),
        chain(
            "even",
            "ResampleCurve",
            "Curve",
            "Curve",
            n("line", "MeshToCurve"),
            *links("in > line.Mesh"),
            source="line.Curve",
        ),
        "even",
        "Curve",
    ),
    "turning what is no instance": Case(
        "no_effect",
        [*chain("turn", "RotateInstances", "Instances", "Instances"), v("turn.Rotation", [0, 0, 1])],
        [
            n("put", "InstanceOnPoints"),
            *BOX,
            *chain("turn", "RotateInstances", "Instances", "Instances", source="put.Instances"),
            v("turn.Rotation", [0, 0, 1]),
            *links("in > put.Points"),
        ],
        "turn",
        "Instances",
        words="Instance on Points",
    ),
    "a radius for vertices": Case(
        "no_effect",
        chain("round", "SetPointRadius", "Points", "Points"),
        chain(
            "round",
            "SetPointRadius",
            "Points",
            "Points",
            n("dots", "MeshToPoints"),
            *links("in > dots.Mesh"),
            source="dots.Points",
        ),
        "round",
        "Points",
        words="Mesh to Points",
    ),
    "mesh points of a curve": Case(
        "no_effect",
        chain("dots", "MeshToPoints", "Mesh", "Points"),
        chain(
            "dots",
            "MeshToPoints",
            "Mesh",
            "Points",
            n("wire", "CurveToMesh"),
            *links("in > wire.Curve"),
            source="wire.Mesh",
        ),
        "dots",
        "Mesh",
        obj="Curve",
    ),
    "the skin of a mesh": Case(
        "no_effect",
        chain("skin", "VolumeToMesh", "Volume", "Mesh"),
        chain(
            "skin",
            "VolumeToMesh",
            "Volume",
            "Mesh",
            n("fog", "MeshToVolume"),
            *links("in > fog.Mesh"),
            source="fog.Volume",
        ),
        "skin",
        "Volume",
        obj="Cube",
        words="Mesh to Volume",
    ),
    "extruding points": Case(
        "no_effect",
        chain(
            "up",
            "ExtrudeMesh",
            "Mesh",
            "Mesh",
            n("dots", "MeshToPoints"),
            *links("in > dots.Mesh"),
            source="dots.Points",
        ),
        chain("up", "ExtrudeMesh", "Mesh", "Mesh"),
        "up",
        "Mesh",
        words="points",
    ),
    "a curve radius for instances of a mesh": Case(
        "no_effect",
        [
            n("put", "InstanceOnPoints"),
            *BOX,
            *links("in > put.Points"),
            *chain("thick", "SetCurveRadius", "Curve", "Curve", source="put.Instances"),
        ],
        [
            n("put", "InstanceOnPoints"),
            n("line", "CurvePrimitiveLine"),
            *links("in > put.Points", "line.Curve > put.Instance"),
            *chain("thick", "SetCurveRadius", "Curve", "Curve", source="put.Instances"),
            v("thick.Radius", 0.5),
        ],
        "thick",
        "Curve",
        words="instances of a mesh",
    ),
    "guides that are instances": Case(
        "no_effect",
        [
            n("put", "InstanceOnPoints"),
            n("line", "CurvePrimitiveLine"),
            n("fur", "InterpolateCurves"),
            *links(
                "in > put.Points", "line.Curve > put.Instance", "put.Instances > fur.Guide Curves", "in > fur.Points"
            ),
            *links("fur.Curves > out"),
        ],
        [
            n("put", "InstanceOnPoints"),
            n("line", "CurvePrimitiveLine"),
            n("real", "RealizeInstances"),
            n("fur", "InterpolateCurves"),
            *links("in > put.Points", "line.Curve > put.Instance", "put.Instances > real", "real > fur.Guide Curves"),
            *links("in > fur.Points", "fur.Curves > out"),
        ],
        "fur",
        "Guide Curves",
        words="Realize Instances",
    ),
    "an attribute on instances that are none": Case(
        "no_effect",
        [*chain("store", "StoreNamedAttribute", "Geometry", "Geometry", domain="INSTANCE"), v("store.Name", "hue")],
        [*chain("store", "StoreNamedAttribute", "Geometry", "Geometry", domain="POINT"), v("store.Name", "hue")],
        "store",
        "Geometry",
        words="instances",
    ),
    "an attribute that nothing makes": Case(
        "missing_attribute",
        read("height"),
        read(
            "height",
            n("store", "StoreNamedAttribute", data_type="FLOAT_VECTOR"),
            v("store.Name", "height"),
            v("store.Value", [0.0, 0.0, 1.0]),
            *links("in > store", "store > lift"),
        ),
        "read",
        "Name",
        words="Store Named Attribute",
    ),
    "an attribute with a slip": Case(
        "missing_attribute", read("lfit"), read("lift"), "read", "Name", words="Did you mean “lift”?"
    ),
    "a group node without a group": Case(
        "missing_group",
        [n("part", "Group"), *THROUGH],
        [*chain("up", "Transform", "Geometry", "Geometry"), v("up.Translation", [0, 0, 1])],
        "part",
    ),
    # Faults that only the evaluated result shows.
    "everything deleted": Case(
        "NOT_EMPTY",
        chain("gone", "DeleteGeometry", "Geometry", "Geometry"),
        [
            *chain("gone", "DeleteGeometry", "Geometry", "Geometry"),
            n("i", "InputIndex"),
            *links("i.Index > gone.Selection"),
        ],
        words="Plane",
    ),
    "instances of what was deleted": Case(
        "empty_instances",
        put(
            [
                n("box", "MeshCube"),
                n("gone", "DeleteGeometry"),
                *links("box.Mesh > gone", "gone > put.Instance"),
            ]
        ),
        put(BOX),
        since=(4, 5),
        words="are empty",
    ),
    "infinite coordinates": Case(
        "non_finite_number",
        [
            n("huge", "ShaderNodeMath", operation="POWER"),
            v("huge.Value", 10000),
            v("huge.Value_001", 100),
            *chain("lift", "SetPosition", "Geometry", "Geometry"),
            *links("huge.Value > lift.Offset"),
        ],
        [
            n("huge", "ShaderNodeMath", operation="POWER"),
            v("huge.Value", 3),
            v("huge.Value_001", 2),
            *chain("lift", "SetPosition", "Geometry", "Geometry"),
            *links("huge.Value > lift.Offset"),
        ],
    ),
    "fewer than the plan says": Case(
        "count_mismatch",
        [
            n("grid", "MeshGrid"),
            n("put", "InstanceOnPoints"),
            *BOX,
            *links("grid.Mesh > put.Points", "put.Instances > out"),
        ],
        [
            n("grid", "MeshGrid"),
            v("grid.Vertices X", 20),
            v("grid.Vertices Y", 10),
            n("put", "InstanceOnPoints"),
            *BOX,
            *links("grid.Mesh > put.Points", "put.Instances > out"),
        ],
        "grid",
        "Vertices X",
        meta={"expects": [{"object_name": "Plane", "component": "instances", "count": 200}]},
        words="200 instances",
    ),
    "instances that were made real": Case(
        "count_mismatch",
        [
            n("put", "InstanceOnPoints"),
            *BOX,
            n("real", "RealizeInstances"),
            *links("in > put.Points", "put.Instances > real", "real > out"),
        ],
        put(BOX),
        meta={"expects": [{"object_name": "Plane", "component": "instances", "count": 4}]},
        words="realized",
    ),
    "less than the least": Case(
        "count_mismatch",
        [*chain("fine", "SubdivideMesh", "Mesh", "Mesh"), v("fine.Level", 2)],
        [*chain("fine", "SubdivideMesh", "Mesh", "Mesh"), v("fine.Level", 5)],
        "fine",
        "Level",
        meta={"expects": [{"object_name": "Plane", "component": "faces", "min": 1000}]},
    ),
    "smaller than it is to be": Case(
        "size_mismatch",
        [*chain("grow", "Transform", "Geometry", "Geometry"), v("grow.Scale", [1.5, 1, 1])],
        [*chain("grow", "Transform", "Geometry", "Geometry"), v("grow.Scale", [2, 1, 1])],
        meta={"measures": [{"object_name": "Plane", "extent": "size_x", "min": 19, "max": 21}]},
        words="in the result it is 15",
    ),
    "higher than it may reach": Case(
        "size_mismatch",
        [*chain("up", "Transform", "Geometry", "Geometry"), v("up.Translation", [0, 0, 3])],
        [*chain("up", "Transform", "Geometry", "Geometry"), v("up.Translation", [0, 0, 2])],
        meta={"measures": [{"object_name": "Plane", "extent": "high_z", "min": 1, "max": 2}]},
        words="greatest Z",
    ),
    "expectations of another object": Case(
        "unknown_object",
        put(BOX),
        put(BOX),
        meta={"expects": [{"object_name": "Cube", "component": "instances", "count": 4}]},
        mended_meta={"expects": [{"object_name": "Plane", "component": "instances", "count": 4}]},
    ),
}


@pytest.fixture(autouse=True)
def scene() -> None:
    objects = [
        {"name": "Plane", "primitive": "plane", "size": 10},
        {"name": "Cube", "primitive": "cube", "size": 2},
        {"name": "Curve", "primitive": "bezier_curve", "size": 4},
    ]
    e2e.build_start({"objects": objects}, None)
    bpy.data.materials.new("Red")
    rocks = bpy.data.collections.new("Rocks")
    bpy.context.scene.collection.children.link(rocks)
    rocks.objects.link(bpy.data.objects["Cube"])
    lift = bpy.data.objects["Plane"].data.attributes.new("lift", "FLOAT_VECTOR", "POINT")
    lift.data.foreach_set("vector", [0.0, 0.0, 1.0] * 4)
    bpy.ops.ed.undo_push(message="Start")


def everything() -> str:
    """The whole file as far as runs can reach it, with the names of all data-blocks."""
    blocks = sorted(f"{b.id_type} {b.name} {b.users}" for b in bpy.data.user_map())
    return json.dumps([e2e.document(), blocks], sort_keys=True)


def all_findings(report: Any) -> list[dict[str, Any]]:
    """All findings of the gates and all messages."""
    gates = (report.gates or {}).get("findings", [])
    messages = [
        {
            "code": m["code"],
            "cause": m["text"],
            "fix": (m.get("planner") or m).get("hint"),
            "node_id": None,
            "socket": None,
            "path": m.get("path"),
        }
        for m in report.messages
    ]
    return [*gates, *messages]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 35


@pytest.mark.parametrize("name", CASES)
def test_a_broken_plan_is_diagnosed_and_following_the_advice_fixes_it(name: str) -> None:
    case = CASES[name]
    if bpy.app.version < case.since:
        pytest.skip("this Blender does not tell")
    before = everything()
    report = api.apply_plan(plan(case.obj, case.broken, **case.meta))
    assert report.status == "error", report.messages
    assert everything() == before
    found = [f for f in all_findings(report) if f["code"] == case.code]
    assert found, all_findings(report)
    if case.node:
        found = [f for f in found if f.get("node_id") == case.node]
        assert found and found[0].get("socket") == case.socket, all_findings(report)
    text = " ".join(f"{f['cause']} {f.get('fix')}" for f in found)
    assert any(f.get("fix") for f in found) or case.code in SELF_EXPLAINING, found
    assert case.words in text, text
    meta = case.meta if case.mended_meta is None else case.mended_meta
    again = api.apply_plan(plan(case.obj, case.mended, **meta))
    assert again.status == "done", again.messages
    doubts = [m for m in again.messages if m["origin"] == "gates" and m["severity"] != "info"]
    assert not doubts, doubts


WARNED: dict[str, tuple[str, list[Op], str, str | None]] = {
    "a result that goes nowhere": (
        "dead_end",
        [*chain("fine", "SubdivideMesh", "Mesh", "Mesh"), n("lost", "MeshCube")],
        "Done.",
        "lost",
    ),
    "a tree that changes nothing": ("unchanged", chain("move", "Transform", "Geometry", "Geometry"), "Done.", None),
    "words that do not hold": ("count_mismatch", put(BOX), "Put 300 instances on the plane.", None),
}


@pytest.mark.parametrize("name", WARNED)
def test_doubtful_plans_get_a_warning(name: str) -> None:
    code, ops, words, node = WARNED[name]
    report = api.apply_plan(plan("Plane", ops, words))
    assert report.status == "done", report.messages
    [found] = [f for f in report.gates["findings"] if f["code"] == code]
    assert found["severity"] == "warning" and found.get("node_id") == node and found["fix"]
    [message] = [m for m in report.messages if m["code"] == code]
    assert message["severity"] == "warning" and message["planner"]["hint"] == found["fix"]
