# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares cost estimates with what Blender makes of the same trees; plans that are stopped before evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal

import bpy
import pytest
from geonode_assistant import api, native
from geonode_assistant.cli import e2e
from geonode_assistant.host import catalogue, context, evaluate

COUNTS = ("vertices", "edges", "faces", "curves", "curve_points", "points", "instances")


@pytest.fixture(autouse=True)
def scene() -> None:
    objects = [
        {"name": "Plane", "primitive": "plane", "size": 10},
        {"name": "Cube", "primitive": "cube", "size": 2},
    ]
    e2e.build_start({"objects": objects}, None)


class Maker:
    """Builds a tree on the plane; node types are given without `GeometryNode`."""

    def __init__(self) -> None:
        self.tree = bpy.data.node_groups.new("Cost", "GeometryNodeTree")
        self.tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        self.tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        self.given = self.tree.nodes.new("NodeGroupInput")
        self.out = self.tree.nodes.new("NodeGroupOutput")

    def node(self, kind: str, modes: dict[str, str] | None = None, **inputs: Any) -> Any:
        """A node; `modes` are properties or menu inputs, whichever this Blender has; an input is a value, a node
        (its first output that is shown) or a socket. In names `_` stands for a space.
        """
        full = kind if kind.startswith(("FunctionNode", "ShaderNode")) else f"GeometryNode{kind}"
        node = self.tree.nodes.new(full)
        for name, value in (modes or {}).items():
            prop = name.lower().replace(" ", "_")
            if prop in node.bl_rna.properties:
                setattr(node, prop, value)
            else:
                items = {"VOXEL_SIZE": "Size", "VOXEL_AMOUNT": "Amount", "DENSITY_GRID": "Grid"}
                node.inputs[name].default_value = items.get(value, value.replace("_", " ").title())
        for name, value in inputs.items():
            self.put(self.input(node, name), value)
        return node

    @staticmethod
    def input(node: Any, name: str) -> Any:
        """An input by identifier, else by name."""
        wanted = name.replace("_", " ")
        sockets = [s for s in node.inputs if s.enabled]
        found = [s for s in sockets if s.identifier in (name, wanted)] or [s for s in sockets if s.name == wanted]
        return found[0]

    def put(self, socket: Any, value: Any) -> None:
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, bpy.types.Node):
                part = next(s for s in part.outputs if s.enabled)
            if isinstance(part, bpy.types.NodeSocket):
                self.tree.links.new(part, socket)
            else:
                socket.default_value = part

    def end(self, value: Any) -> None:
        self.put(self.out.inputs[0], value)
        modifier = bpy.data.objects["Plane"].modifiers.new("Cost", "NODES")
        modifier.node_group = self.tree

    @property
    def plane(self) -> Any:
        return self.given.outputs[0]


def estimate_of(name: str) -> dict[str, Any]:
    found = native.core().estimates(context.inspect([name], []), catalogue.path())
    return found[name]


def measure(name: str) -> dict[str, float]:
    shown = evaluate.evidence([name], [], None)["objects"][0]["evaluated"]
    mesh, curves = shown.get("mesh", {}), shown.get("curves", {})
    counts = {key: mesh.get(key, 0) for key in ("vertices", "edges", "faces")}
    counts |= {"curves": curves.get("curves", 0), "curve_points": curves.get("points", 0)}
    counts["points"] = shown.get("pointcloud", {}).get("points", 0)
    return counts | {"instances": shown.get("instances", {}).get("count", 0)}


def compare(name: str, low: float = 0.5, high: float = 2.0) -> None:
    """Asserts that every count of the estimate is within a factor of what Blender makes."""
    expected, real = estimate_of(name)["result"], measure(name)
    wrong = {
        key: (expected[key], real[key])
        for key in COUNTS
        if not low * real[key] <= expected[key] + 1e-6 or not expected[key] <= high * real[key] + 1e-6
    }
    assert not wrong, f"(estimated, real): {wrong}"


Recipe = Callable[[Maker], Any]


def cube(m: Maker, **more: Any) -> Any:
    return m.node("MeshCube", **more)


def grid(m: Maker, x: int = 10, y: int = 10, size: float = 2.0) -> Any:
    return m.node("MeshGrid", Size_X=size, Size_Y=size, Vertices_X=x, Vertices_Y=y)


def circle(m: Maker, resolution: int = 32) -> Any:
    return m.node("CurvePrimitiveCircle", Resolution=resolution)


def doubled(m: Maker, iterations: int) -> Any:
    """Joins its state with a moved copy of itself."""
    zone, end = m.tree.nodes.new("GeometryNodeRepeatInput"), m.tree.nodes.new("GeometryNodeRepeatOutput")
    zone.pair_with_output(end)
    zone.inputs["Iterations"].default_value = iterations
    m.put(zone.inputs["Geometry"], cube(m))
    moved = m.node("Transform", Geometry=zone.outputs["Geometry"], Translation=(1.0, 0.0, 0.0))
    m.put(end.inputs["Geometry"], m.node("JoinGeometry", Geometry=[zone.outputs["Geometry"], moved]))
    return end.outputs["Geometry"]


def added(m: Maker, iterations: int) -> Any:
    """Joins a cube to its state."""
    zone, end = m.tree.nodes.new("GeometryNodeRepeatInput"), m.tree.nodes.new("GeometryNodeRepeatOutput")
    zone.pair_with_output(end)
    zone.inputs["Iterations"].default_value = iterations
    m.put(end.inputs["Geometry"], m.node("JoinGeometry", Geometry=[zone.outputs["Geometry"], cube(m)]))
    return end.outputs["Geometry"]


def chosen(m: Maker, truth: bool) -> Any:
    few, many = cube(m), grid(m, 300, 300)
    return m.node("Switch", {"input_type": "GEOMETRY"}, **{"Switch": truth, "False": few, "True": many})


def math(m: Maker, operation: str, a: Any, b: Any) -> Any:
    node = m.tree.nodes.new("ShaderNodeMath")
    node.operation = operation
    m.put(node.inputs[0], a)
    m.put(node.inputs[1], b)
    return node


EXACT: dict[str, Recipe] = {
    "what comes in": lambda m: m.plane,
    "cube": lambda m: cube(m, Vertices_X=5, Vertices_Y=4, Vertices_Z=3),
    "flat cube": lambda m: cube(m, Vertices_X=5, Vertices_Y=1, Vertices_Z=3),
    "grid": lambda m: grid(m, 100, 70),
    "ico sphere": lambda m: m.node("MeshIcoSphere", Subdivisions=4),
    "uv sphere": lambda m: m.node("MeshUVSphere", Segments=20, Rings=9),
    "cylinder": lambda m: m.node("MeshCylinder", Vertices=24, Side_Segments=5),
    "cylinder with fans": lambda m: m.node(
        "MeshCylinder", {"fill_type": "TRIANGLE_FAN"}, Vertices=24, Side_Segments=5, Fill_Segments=3
    ),
    "open cylinder": lambda m: m.node("MeshCylinder", {"fill_type": "NONE"}, Vertices=24, Side_Segments=5),
    "cone": lambda m: m.node("MeshCone", Vertices=24, Side_Segments=5),
    "filled circle": lambda m: m.node("MeshCircle", {"fill_type": "TRIANGLE_FAN"}, Vertices=40),
    "line": lambda m: m.node("MeshLine", Count=77),
    "points": lambda m: m.node("Points", Count=123),
    "subdivision surface": lambda m: m.node("SubdivisionSurface", Mesh=cube(m), Level=4),
    "subdivided triangles": lambda m: m.node("SubdivideMesh", Mesh=m.node("MeshIcoSphere"), Level=3),
    "extruded faces": lambda m: m.node("ExtrudeMesh", Mesh=cube(m)),
    "extruded region": lambda m: m.node("ExtrudeMesh", Mesh=grid(m), Individual=False),
    "extruded edges": lambda m: m.node("ExtrudeMesh", {"mode": "EDGES"}, Mesh=m.node("MeshLine", Count=9)),
    "triangles": lambda m: m.node("Triangulate", Mesh=grid(m)),
    "duplicated faces": lambda m: m.node("DuplicateElements", {"domain": "FACE"}, Geometry=cube(m), Amount=7),
    "duplicated points": lambda m: m.node("DuplicateElements", Geometry=m.node("Points", Count=5), Amount=7),
    "mesh to points": lambda m: m.node("MeshToPoints", {"mode": "FACES"}, Mesh=grid(m)),
    "vertices": lambda m: m.node("PointsToVertices", Points=m.node("Points", Count=50)),
    "joined": lambda m: m.node("JoinGeometry", Geometry=[cube(m), grid(m), m.plane]),
    "circle": lambda m: circle(m),
    "spiral": lambda m: m.node("CurveSpiral", Resolution=20, Rotations=3.0),
    "star": lambda m: m.node("CurveStar", Points=9),
    "resampled": lambda m: m.node("ResampleCurve", Curve=circle(m), Count=300),
    "subdivided curve": lambda m: m.node("SubdivideCurve", Curve=circle(m), Cuts=4),
    "tube": lambda m: m.node("CurveToMesh", Curve=circle(m), Profile_Curve=circle(m, 12)),
    "tube of a line": lambda m: m.node("CurveToMesh", Curve=m.node("CurvePrimitiveLine"), Profile_Curve=circle(m, 12)),
    "wire": lambda m: m.node("CurveToMesh", Curve=circle(m)),
    "curve points": lambda m: m.node("CurveToPoints", Curve=circle(m), Count=55),
    "instances": lambda m: m.node("InstanceOnPoints", Points=grid(m), Instance=cube(m)),
    "real instances": lambda m: m.node(
        "RealizeInstances", Geometry=m.node("InstanceOnPoints", Points=grid(m), Instance=cube(m))
    ),
    "instances in instances": lambda m: m.node(
        "RealizeInstances",
        Geometry=m.node(
            "InstanceOnPoints",
            Points=m.node("MeshLine", Count=4),
            Instance=m.node("InstanceOnPoints", Points=grid(m), Instance=cube(m)),
        ),
    ),
    "instance points": lambda m: m.node(
        "InstancesToPoints", Instances=m.node("InstanceOnPoints", Points=grid(m), Instance=cube(m))
    ),
    "object": lambda m: m.node(
        "SubdivideMesh", Mesh=m.node("ObjectInfo", Object=bpy.data.objects["Cube"]).outputs["Geometry"], Level=2
    ),
    "text": lambda m: m.node("StringToCurves", String="GeometryNodes"),
    "computed count": lambda m: m.node("Points", Count=math(m, "MULTIPLY", math(m, "ADD", 20.0, 5.0), 4.0)),
    "switched off": lambda m: chosen(m, False),
    "switched on": lambda m: chosen(m, True),
    "nothing selected": lambda m: m.node("DeleteGeometry", Geometry=grid(m), Selection=True),
    "the first points": lambda m: m.node(
        "DeleteGeometry",
        Geometry=m.node("Points", Count=500),
        Selection=m.node(
            "FunctionNodeCompare",
            {"data_type": "INT", "operation": "GREATER_EQUAL"},
            A=m.node("InputIndex"),
            B=math(m, "ADD", 60.0, 20.0),
        ),
    ),
    "split into components": lambda m: m.node(
        "SeparateComponents", Geometry=m.node("JoinGeometry", Geometry=[cube(m), circle(m)])
    ),
    "repeat, doubling": lambda m: doubled(m, 9),
    "repeat, adding": lambda m: added(m, 200),
    "repeat, not at all": lambda m: doubled(m, 0),
    "bounding box": lambda m: m.node("BoundBox", Geometry=grid(m)),
}


@pytest.mark.parametrize("name", EXACT)
def test_counts_are_exact(name: str) -> None:
    maker = Maker()
    maker.end(EXACT[name](maker))
    compare("Plane", 0.999, 1.001)


# Counts that depend on areas, lengths and positions: within a factor of two.
NEAR: dict[str, Recipe] = {
    "distributed": lambda m: m.node("DistributePointsOnFaces", Mesh=m.plane, Density=20.0),
    "distributed on a sphere": lambda m: m.node(
        "DistributePointsOnFaces", Mesh=m.node("MeshUVSphere", Radius=2.0), Density=50.0
    ),
    "distributed on a scaled grid": lambda m: m.node(
        "DistributePointsOnFaces",
        Mesh=m.node("Transform", Geometry=grid(m), Scale=(3.0, 3.0, 3.0)),
        Density=50.0,
    ),
    "least distance": lambda m: m.node(
        "DistributePointsOnFaces",
        {"distribute_method": "POISSON"},
        Mesh=m.plane,
        Density_Max=500.0,
        Distance_Min=0.2,
    ),
    "scattered": lambda m: m.node(
        "InstanceOnPoints",
        Points=m.node("DistributePointsOnFaces", Mesh=m.plane, Density=8.0),
        Instance=m.node("MeshIcoSphere", Subdivisions=3),
    ),
    "resampled by length": lambda m: m.node("ResampleCurve", {"Mode": "LENGTH"}, Curve=circle(m), Length=0.01),
    "bezier": lambda m: m.node("CurveToMesh", Curve=m.node("CurvePrimitiveBezierSegment", Resolution=40)),
    "quadratic bezier": lambda m: m.node("CurveQuadraticBezier", Resolution=30),
    "arc": lambda m: m.node("CurveArc", Resolution=50),
    "dual": lambda m: m.node("DualMesh", Mesh=m.node("MeshIcoSphere", Subdivisions=4)),
    "split": lambda m: m.node("SplitEdges", Mesh=m.node("MeshIcoSphere", Subdivisions=3)),
    "filled": lambda m: m.node("FillCurve", {"Mode": "TRIANGLES"}, Curve=circle(m)),
    "rounded": lambda m: m.node("FilletCurve", {"Mode": "POLY"}, Curve=circle(m), Count=6, Radius=0.01),
    "mesh to curve": lambda m: m.node("MeshToCurve", Mesh=m.node("MeshCircle")),
    "hull": lambda m: m.node("ConvexHull", Geometry=m.node("MeshIcoSphere", Subdivisions=4)),
    "voxels of a cube": lambda m: m.node(
        "VolumeToMesh", Volume=m.node("VolumeCube", Resolution_X=40, Resolution_Y=40, Resolution_Z=40)
    ),
    "remeshed by amount": lambda m: m.node("VolumeToMesh", Volume=m.node("MeshToVolume", Mesh=m.node("MeshUVSphere"))),
    "remeshed by size": lambda m: m.node(
        "VolumeToMesh",
        Volume=m.node(
            "MeshToVolume",
            {"Resolution Mode": "VOXEL_SIZE"},
            Mesh=m.node("MeshUVSphere"),
            Voxel_Size=0.05,
            Interior_Band_Width=0.2,
        ),
    ),
    "sampled anew": lambda m: m.node(
        "VolumeToMesh",
        {"Resolution Mode": "VOXEL_SIZE"},
        Volume=m.node("MeshToVolume", Mesh=m.node("MeshUVSphere")),
        Voxel_Size=0.1,
    ),
    "points to volume": lambda m: m.node(
        "VolumeToMesh", Volume=m.node("PointsToVolume", Points=m.node("Points", Count=1), Radius=0.5)
    ),
    "points in a volume": lambda m: m.node("DistributePointsInVolume", Volume=m.node("VolumeCube"), Density=100.0),
    "points on a lattice": lambda m: m.node(
        "DistributePointsInVolume",
        {"Mode": "DENSITY_GRID"},
        Volume=m.node("VolumeCube"),
        Spacing=(0.1, 0.1, 0.1),
    ),
    "text made real": lambda m: m.node("RealizeInstances", Geometry=m.node("StringToCurves", String="GeometryNodes")),
    "points to curves": lambda m: m.node("PointsToCurves", Points=m.node("Points", Count=40)),
}


@pytest.mark.parametrize("name", NEAR)
def test_counts_are_near(name: str) -> None:
    maker = Maker()
    maker.end(NEAR[name](maker))
    compare("Plane")


# The presets, each with its first example that fits the scene.
PROMPTS = {
    "along_curve": "place 20 cubes along the curve",
    "array_line": "array the cube 10 times along x with 3 m spacing",
    "curve_to_tube": "turn the curve into a tube with a radius of 10 cm",
    "extrude": "extrude the faces of the cube by 0.5 m",
    "grid": "arrange 5 by 4 cubes in a grid 3 m apart",
    "noise_displace": "displace the plane with noise, strength 0.5 m and scale 2",
    "ring": "arrange 12 cubes in a circle with a radius of 5 m",
    "scatter": "scatter 200 cubes on the plane",
    "subdivide": "subdivide the cube 3 times",
    "wireframe": "turn the cube into a wireframe with a thickness of 5 cm",
}


def bezier() -> bpy.types.Curve:
    """One open curve of two points, a few metres long."""
    curve = bpy.data.curves.new("Curve", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("BEZIER")
    spline.bezier_points.add(1)
    for at, point in enumerate(spline.bezier_points):
        point.co = (4.0 * at, at, 0.0)
        point.handle_left_type = point.handle_right_type = "AUTO"
    return curve


@pytest.mark.parametrize("preset", PROMPTS)
def test_presets_are_estimated(preset: str) -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Curve", bezier()))
    objects = {o.name for o in bpy.data.objects}
    target = "Curve" if "curve" in PROMPTS[preset] else "Cube" if "the cube" in PROMPTS[preset] else "Plane"
    report = api.run(PROMPTS[preset], target, "offline")
    assert report.status == "done", report.messages
    assert not [m for m in report.messages if m["code"] == "BLOWUP_RISK"]
    changed = [o.name for o in bpy.data.objects if o.name in objects and any(m.type == "NODES" for m in o.modifiers)]
    assert changed
    for name in changed:
        compare(name)


def plan(detail: int) -> dict[str, Any]:
    """A plan that subdivides the plane, with the level as an input."""
    return {
        "version": "1.1",
        "steps": [
            {
                "id": "fine",
                "type": "NODE_TREE",
                "description": "Subdivide",
                "payload": {
                    "target": {"object_name": "Plane", "modifier_name": "Fine", "node_group_name": "Fine"},
                    "operations": [
                        {
                            "op": "set_group_io",
                            "direction": "input",
                            "name": "Detail",
                            "socket_type": "NodeSocketInt",
                            "default": detail,
                        },
                        {"op": "create_node", "node_id": "sub", "bl_idname": "GeometryNodeSubdivideMesh"},
                        link("group_input", "Geometry", "sub", "Mesh"),
                        link("group_input", "Detail", "sub", "Level"),
                        link("sub", "Mesh", "group_output", "Geometry"),
                    ],
                },
            }
        ],
        "done": True,
        "final_message": "Subdivided.",
    }


def link(a: str, output: str, b: str, into: str) -> dict[str, Any]:
    return {"op": "link", "from": {"node_id": a, "socket": output}, "to": {"node_id": b, "socket": into}}


def state() -> dict[str, Any]:
    found = context.inspect(["Plane"], [g.name for g in bpy.data.node_groups])
    return {key: found[key] for key in ("objects", "trees", "names")}


def test_a_plan_that_is_too_large_ends_before_anything_is_evaluated() -> None:
    before = state()
    begun = time.process_time()
    report = api.apply_plan(plan(13))
    assert time.process_time() - begun < 5
    assert report.status == "error"
    assert "approval_required" in {m["code"] for m in report.messages}
    [risk] = [m for m in report.messages if m["code"] == "BLOWUP_RISK"]
    assert risk["origin"] == "gates" and risk["severity"] == "warning"
    made, takes = risk["text"].split(" That will take about ")
    assert made == "Subdivide Mesh at Level 13 (from the input “Detail”) makes about 67 million vertices."
    assert " GB" in takes
    assert risk["hint"].startswith("Level 11 stays under 5 million, ")
    assert report.gates is not None and report.gates["failed_gates"] == ["BLOWUP_RISK"]
    assert state() == before


def test_what_blender_cannot_hold_is_refused_whoever_approves() -> None:
    """More corners of faces than 31 bits number crash Blender."""
    before, asked = state(), []

    def answer(request: dict[str, Any]) -> Literal["approved"]:
        asked.append(request)
        return "approved"

    report = api.apply_plan(plan(16), approve=answer)
    assert report.status == "error" and not asked
    [risk] = [m for m in report.messages if m["code"] == "BLOWUP_RISK"]
    assert risk["severity"] == "error" and risk["text"].endswith("Blender cannot hold that many.")
    assert state() == before


def test_an_approved_heavy_plan_is_applied() -> None:
    asked: list[dict[str, Any]] = []

    def refuse(request: dict[str, Any]) -> Literal["rejected"]:
        asked.append(request)
        return "rejected"

    # 66,049 vertices, above a budget of 10,000.
    settings = {"max_elements": 10_000}
    assert api.apply_plan(plan(8), approve=refuse, settings=settings).status == "cancelled"
    assert "Subdivide Mesh at Level 8" in asked[0]["reason"]
    report = api.apply_plan(plan(8), approve="all", settings=settings)
    assert report.status == "done", report.messages
    assert "BLOWUP_RISK" in {m["code"] for m in report.messages}
    assert measure("Plane")["vertices"] == 257 * 257
    # A tree that was as heavy before is not asked about again.
    again = api.apply_plan(plan(8), settings=settings)
    assert again.status == "done", again.messages


def endless(iterations: int) -> dict[str, Any]:
    """A plan with a zone that only runs."""
    items = [{"name": "Geometry", "socket_type": "NodeSocketGeometry"}]
    often = {"op": "set_input_default", "node_id": "z.in", "socket": "Iterations", "value": iterations}
    wanted = plan(1)
    wanted["steps"][0]["payload"]["operations"] = [
        {"op": "add_zone", "id": "z", "kind": "repeat", "items": items},
        often,
        {"op": "create_node", "node_id": "move", "bl_idname": "GeometryNodeTransform"},
        link("group_input", "Geometry", "z.in", "Geometry"),
        link("z.in", "Geometry", "move", "Geometry"),
        link("move", "Geometry", "z.out", "Geometry"),
        link("z.out", "Geometry", "group_output", "Geometry"),
    ]
    return wanted


def test_iterations_cost_time_and_memory_although_they_make_nothing() -> None:
    before = state()
    for iterations in (4_900_000, 10**9):
        begun = time.process_time()
        report = api.apply_plan(endless(iterations))
        assert time.process_time() - begun < 10
        [risk] = [m for m in report.messages if m["code"] == "BLOWUP_RISK"]
        assert f"Iterations {iterations:,} will take about " in risk["text"]
        assert state() == before
    settings = {"max_evaluation_s": 1, "max_evaluation_mb": 1_000_000}
    [risk] = [m for m in api.apply_plan(endless(1_000_000), settings=settings).messages if m["code"] == "BLOWUP_RISK"]
    assert risk["hint"].endswith(" stays under 1 second.")
    # Whoever follows the advice is not asked again, and it holds.
    advised = int(risk["hint"].split(" stays")[0].removeprefix("Iterations ").replace(",", ""))
    begun = time.process_time()
    report = api.apply_plan(endless(advised), settings=settings)
    assert report.status == "done", report.messages
    assert time.process_time() - begun < 10
    # Another number is another plan, which would come after this one.
    bpy.data.objects["Plane"].modifiers.clear()
    memory = {"max_evaluation_s": 86_400, "max_evaluation_mb": 100}
    [risk] = [m for m in api.apply_plan(endless(4_900_000), settings=memory).messages if m["code"] == "BLOWUP_RISK"]
    assert risk["hint"].endswith(" stays under 100 MB.")


def called(m: Maker, iterations: int, inner: bool) -> Any:
    """A closure that displaces, called in a zone; with `inner` it calls what it is given, and it is given itself."""
    begin, end = m.tree.nodes.new("NodeClosureInput"), m.tree.nodes.new("NodeClosureOutput")
    begin.pair_with_output(end)
    calls = [m.tree.nodes.new("NodeEvaluateClosure") for _ in range(2)]
    for owner in (end, *calls):
        owner.input_items.new("GEOMETRY", "Geometry")
        owner.input_items.new("CLOSURE", "Self")
        owner.output_items.new("GEOMETRY", "Geometry")
    m.put(end.inputs["Geometry"], m.node("SetPosition", Geometry=begin.outputs["Geometry"], Offset=(0.0, 0.0, 1.0)))
    if inner:
        m.put(calls[1].inputs[0], begin.outputs["Self"])
        m.put(calls[1].inputs["Self"], begin.outputs["Self"])
        m.put(calls[1].inputs["Geometry"], begin.outputs["Geometry"])
        m.put(end.inputs["Geometry"], calls[1].outputs["Geometry"])
    zone, last = m.tree.nodes.new("GeometryNodeRepeatInput"), m.tree.nodes.new("GeometryNodeRepeatOutput")
    zone.pair_with_output(last)
    zone.inputs["Iterations"].default_value = iterations
    m.put(zone.inputs["Geometry"], grid(m))
    m.put(calls[0].inputs[0], end.outputs[0])
    m.put(calls[0].inputs["Self"], end.outputs[0])
    m.put(calls[0].inputs["Geometry"], zone.outputs["Geometry"])
    m.put(last.inputs["Geometry"], calls[0].outputs["Geometry"])
    return last.outputs["Geometry"]


def prepared(build: Callable[[Maker], Any]) -> dict[str, Any]:
    """What is expected of a tree that Blender never evaluates."""
    maker = Maker()
    plane = bpy.data.objects["Plane"]
    plane.modifiers.clear()
    maker.put(maker.out.inputs[0], build(maker))
    modifier = plane.modifiers.new("Cost", "NODES")
    modifier.show_viewport = False
    modifier.node_group = maker.tree
    return estimate_of("Plane")


@pytest.mark.skipif(bpy.app.version < (5, 1), reason="closures of this form")
def test_closures_cost_where_they_are_called() -> None:
    few, many = (prepared(lambda m, n=n: called(m, n, False)) for n in (1_000, 100_000))
    assert few["result"]["vertices"] == 100
    assert 0.005 < few["seconds"] < 1 and 50 < many["seconds"] / few["seconds"] < 200
    # A closure that calls itself has no end.
    assert prepared(lambda m: called(m, 1, True))["seconds"] > 1e6


def test_ordinary_heavy_scenes_are_not_asked_about() -> None:
    maker = Maker()
    points = maker.node("MeshGrid", Vertices_X=1000, Vertices_Y=1000)
    maker.end(maker.node("InstanceOnPoints", Points=points, Instance=cube(maker)))
    found = estimate_of("Plane")
    assert found["result"]["instances"] == 1_000_000
    assert 1e6 <= found["elements"] < 2e6
