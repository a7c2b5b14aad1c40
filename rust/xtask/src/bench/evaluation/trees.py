# SPDX-License-Identifier: GPL-3.0-or-later
"""Composed trees, none of which the costs were made from: measured, and compared with what the core expected."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
from blind import BLIND
from comparing import page, recorded
from making import Tree


def moved(t, given, **inputs):
    """Moved by noise."""
    return t.node("SetPosition", Geometry=given, Offset=t.noise(**inputs))


def instances(t, points, shape=None):
    return t.node("InstanceOnPoints", Points=points, Instance=shape or t.node("MeshCube"))


def sphere(t, side):
    return t.node("MeshUVSphere", Segments=side, Rings=side)


def chain(t, count, start, step):
    for at in range(count):
        start = step(t, start, at)
    return start


def boolean(t, side, solver):
    moved_away = t.node("Transform", Geometry=sphere(t, side), Translation=(0.3, 0.2, 0.1))
    node = t.node("MeshBoolean", {"solver": solver})
    sockets = [one for one in node.inputs if one.enabled and one.type == "GEOMETRY"]
    for socket, value in zip(sockets, (sphere(t, side), moved_away), strict=True):
        t.put(socket, value)
    return node


def looked_up(t, kind, points, target, **names):
    found = t.node(kind, **{names.get("geometry", "Target"): target})
    return t.node(
        "SetPosition", Geometry=points, Offset=next(o for o in found.outputs if o.enabled and o.type == "VECTOR")
    )


def nested(t, count, depth):
    """Groups within groups, each with two of the next."""
    inner = None
    for _ in range(depth):
        made = Tree()
        if inner is None:
            made.end(moved(made, made.given.outputs[0]))
        else:
            last = made.given.outputs[0]
            for _ in range(2):
                call = made.tree.nodes.new("GeometryNodeGroup")
                call.node_tree = inner
                made.put(call.inputs[0], last)
                last = call.outputs[0]
            made.end(last)
        inner = made.tree
    call = t.tree.nodes.new("GeometryNodeGroup")
    call.node_tree = inner
    t.put(call.inputs[0], t.grid(count))
    return call


def repeated(t, outer, inner):
    return t.repeat(
        outer,
        t.grid(100),
        lambda state, _: t.repeat(inner, state, lambda deep, _: t.node("Transform", Geometry=deep)),
    )


def text(t, iterations):
    begin = t.tree.nodes.new("GeometryNodeRepeatInput")
    end = t.tree.nodes.new("GeometryNodeRepeatOutput")
    begin.pair_with_output(end)
    end.repeat_items.new("STRING", "Text")
    begin.inputs["Iterations"].default_value = iterations
    t.put(end.inputs["Text"], t.node("StringJoin", Strings=[begin.outputs["Text"], t.node("FunctionNodeInputString")]))
    length = t.node("FunctionNodeStringLength", String=end.outputs["Text"])
    return t.node("Points", Count=length)


TREES = {
    "scatter on a plane": lambda t: instances(
        t, t.node("DistributePointsOnFaces", Mesh=t.grid(4, 10.0), Density=4000.0)
    ),
    "scatter, least distance": lambda t: t.node(
        "DistributePointsOnFaces",
        {"distribute_method": "POISSON"},
        Mesh=t.grid(400, 10.0),
        Density_Max=2000.0,
        Distance_Min=0.03,
    ),
    "scatter made real": lambda t: t.node(
        "RealizeInstances",
        Geometry=instances(t, t.node("DistributePointsOnFaces", Mesh=t.grid(4, 10.0), Density=600.0), sphere(t, 12)),
    ),
    "grid of spheres made real and welded": lambda t: t.node(
        "MergeByDistance", Geometry=t.node("RealizeInstances", Geometry=instances(t, t.grid(400), sphere(t, 16)))
    ),
    "subdivided cube": lambda t: t.node("SubdivisionSurface", Mesh=t.node("MeshCube"), Level=8),
    "subdivided, displaced": lambda t: moved(t, t.node("SubdivideMesh", Mesh=t.grid(100), Level=6)),
    "landscape of many octaves": lambda t: moved(t, t.grid(400_000, 10.0), Detail=12.0),
    "four noises": lambda t: t.node(
        "SetPosition",
        Geometry=t.grid(250_000),
        Offset=chain(t, 4, t.noise(), lambda t, last, at: t.math("ADD", last, t.noise(Scale=float(at + 2)))),
    ),
    "forty additions": lambda t: t.node(
        "SetPosition",
        Geometry=t.grid(300_000),
        Offset=chain(t, 40, t.noise(), lambda t, last, at: t.math("MULTIPLY", last, 1.01)),
    ),
    "voronoi": lambda t: t.node(
        "SetPosition", Geometry=t.grid(200_000), Offset=t.node("ShaderNodeTexVoronoi").outputs[0]
    ),
    "ten displacements": lambda t: chain(
        t, 10, t.grid(60_000), lambda t, last, at: moved(t, last, Scale=float(at + 1))
    ),
    "boolean, exact": lambda t: boolean(t, 60, "EXACT"),
    "boolean, float": lambda t: boolean(t, 120, "FLOAT"),
    "extruded faces": lambda t: t.node("ExtrudeMesh", Mesh=t.grid(60_000)),
    "extruded twice": lambda t: t.node("ExtrudeMesh", Mesh=t.node("ExtrudeMesh", Mesh=t.grid(20_000))),
    "dual of triangles": lambda t: t.node("DualMesh", Mesh=t.node("Triangulate", Mesh=t.grid(60_000))),
    "split and scaled": lambda t: t.node(
        "ScaleElements", Geometry=t.node("SplitEdges", Mesh=t.grid(60_000)), Scale=0.8
    ),
    "hull of points": lambda t: t.node("ConvexHull", Geometry=moved(t, t.node("Points", Count=300_000), Scale=9.0)),
    "hull of a sphere": lambda t: t.node("ConvexHull", Geometry=sphere(t, 200)),
    "curve resampled to a tube": lambda t: t.node(
        "CurveToMesh", Curve=t.node("ResampleCurve", Curve=t.circle(32), Count=20_000), Profile_Curve=t.circle(16)
    ),
    "many tubes": lambda t: t.node(
        "CurveToMesh",
        Curve=t.node("RealizeInstances", Geometry=instances(t, t.grid(2_000), t.circle(16))),
        Profile_Curve=t.circle(8),
    ),
    "filled curves": lambda t: t.node(
        "FillCurve", Curve=t.node("RealizeInstances", Geometry=instances(t, t.grid(400, 100.0), t.circle(32)))
    ),
    "rounded curves": lambda t: t.node(
        "FilletCurve", Curve=t.node("RealizeInstances", Geometry=instances(t, t.grid(4_000), t.circle(12)))
    ),
    "mesh to curves and back": lambda t: t.node("CurveToMesh", Curve=t.node("MeshToCurve", Mesh=t.grid(60_000))),
    "points along curves": lambda t: instances(t, t.node("CurveToPoints", Curve=t.circle(64), Count=200_000)),
    "rays": lambda t: t.node(
        "SetPosition",
        Geometry=t.grid(100_000),
        Offset=next(o for o in t.node("Raycast", Target_Geometry=sphere(t, 100)).outputs if o.name == "Hit Position"),
    ),
    "nearest on a surface": lambda t: looked_up(t, "Proximity", t.grid(60_000), sphere(t, 60), geometry="Geometry"),
    "nearest sample": lambda t: t.node(
        "SetPosition",
        Geometry=t.grid(100_000),
        Offset=t.node("SampleNearest", Geometry=t.node("Points", Count=5_000)).outputs[0],
    ),
    "captured and stored": lambda t: t.node(
        "StoreNamedAttribute", Geometry=t.node("CaptureAttribute", Geometry=t.grid(400_000)), Name="a", Value=t.noise()
    ),
    "half of it deleted": lambda t: t.node(
        "DeleteGeometry", Geometry=t.grid(250_000), Selection=t.math("GREATER_THAN", t.noise(), 0.5)
    ),
    "accumulated": lambda t: t.node(
        "SetPosition", Geometry=t.grid(300_000), Offset=t.node("AccumulateField", Value=t.noise()).outputs[0]
    ),
    "blurred": lambda t: t.node(
        "SetPosition",
        Geometry=t.grid(60_000),
        Offset=t.node("BlurAttribute", Value=t.noise(), Iterations=10).outputs[0],
    ),
    "duplicated": lambda t: t.node("DuplicateElements", {"domain": "FACE"}, Geometry=t.grid(20_000), Amount=10),
    "volume remeshed": lambda t: t.node(
        "VolumeToMesh", Volume=t.node("MeshToVolume", Mesh=sphere(t, 60), Voxel_Amount=150.0)
    ),
    "balls around points": lambda t: t.node(
        "VolumeToMesh", Volume=t.node("PointsToVolume", Points=t.grid(400), Radius=0.2, Voxel_Amount=100.0)
    ),
    "points in a volume": lambda t: t.node("DistributePointsInVolume", Volume=t.node("VolumeCube"), Density=20_000.0),
    "text made real": lambda t: t.node(
        "RealizeInstances", Geometry=t.node("StringToCurves", String="Geometry Nodes " * 200)
    ),
    "text filled": lambda t: t.node("FillCurve", Curve=t.node("StringToCurves", String="Geometry Nodes " * 200)),
    "text joined in a zone": lambda t: text(t, 20_000),
    "zone that moves a little": lambda t: t.repeat(40_000, t.grid(16), lambda g, _: t.node("Transform", Geometry=g)),
    "zone that only counts": lambda t: t.repeat(100_000, t.grid(16), lambda g, _: g),
    "zone that displaces": lambda t: t.repeat(200, t.grid(10_000), lambda g, _: moved(t, g)),
    "zone that smooths": lambda t: t.repeat(
        60,
        t.grid(20_000),
        lambda g, _: t.node(
            "SetPosition",
            Geometry=g,
            Position=t.node("BlurAttribute", {"data_type": "FLOAT_VECTOR"}, Value=t.node("InputPosition")).outputs[0],
        ),
    ),
    "zone that adds cubes": lambda t: t.repeat(
        1_500, t.node("MeshCube"), lambda g, i: t.node("JoinGeometry", Geometry=[g, t.node("MeshCube")])
    ),
    "zone that doubles": lambda t: t.repeat(
        16, t.node("MeshCube"), lambda g, _: t.node("JoinGeometry", Geometry=[g, t.node("Transform", Geometry=g)])
    ),
    "zone that subdivides": lambda t: t.repeat(8, t.node("MeshCube"), lambda g, _: t.node("SubdivideMesh", Mesh=g)),
    "zone that extrudes": lambda t: t.repeat(
        40, t.grid(2_500), lambda g, _: t.node("ExtrudeMesh", Mesh=g, Individual=False)
    ),
    "zone with rays": lambda t: t.repeat(
        50,
        t.grid(3_000),
        lambda g, _: t.node(
            "SetPosition",
            Geometry=g,
            Offset=next(
                o for o in t.node("Raycast", Target_Geometry=sphere(t, 32)).outputs if o.name == "Hit Position"
            ),
        ),
    ),
    "zone of hulls": lambda t: t.repeat(100, sphere(t, 32), lambda g, _: t.node("ConvexHull", Geometry=g)),
    "zone in a zone": lambda t: repeated(t, 200, 200),
    "zone of ten nodes": lambda t: t.repeat(
        5_000, t.grid(100), lambda g, _: chain(t, 10, g, lambda t, last, at: t.node("Transform", Geometry=last))
    ),
    "for each face": lambda t: t.for_each(t.grid(10_000), lambda g: t.node("Transform", Geometry=g)),
    "for each point a sphere": lambda t: t.for_each(
        t.grid(2_000), lambda g: t.node("MeshUVSphere", Segments=12, Rings=8)
    ),
    "for each point noise": lambda t: t.for_each(t.grid(1_000), lambda g: moved(t, t.grid(100))),
    "one frame of a simulation": lambda t: t.simulation(t.grid(150_000), lambda g: moved(t, g)),
    "groups in groups": lambda t: nested(t, 4_000, 7),
    "groups in groups, small": lambda t: nested(t, 16, 11),
    "two nodes after a switch": lambda t: t.node(
        "Switch",
        {"input_type": "GEOMETRY"},
        Switch=True,
        **{"False": moved(t, t.grid(1_000_000)), "True": moved(t, t.grid(90_000))},
    ),
    "instances of instances made real": lambda t: t.node(
        "RealizeInstances", Geometry=instances(t, t.grid(100), instances(t, t.grid(100), sphere(t, 8)))
    ),
    "instances turned": lambda t: t.node(
        "RotateInstances", Instances=instances(t, t.grid(400_000)), Rotation=t.noise()
    ),
    "ico spheres of noise": lambda t: moved(t, t.node("MeshIcoSphere", Subdivisions=8)),
    "bounding boxes": lambda t: t.repeat(20_000, t.grid(100), lambda g, _: t.node("BoundBox", Geometry=g)),
    "statistics in a zone": lambda t: t.repeat(
        200,
        t.grid(10_000),
        lambda g, _: t.node(
            "Transform",
            Geometry=g,
            Translation=t.node("AttributeStatistic", Geometry=g, Attribute=t.noise()).outputs[0],
        ),
    ),
}


def called(t, times):
    """A closure that displaces, called on its own result."""
    closure = t.closure(lambda given: moved(t, given))
    return chain(t, times, t.grid(20_000), lambda t, last, at: t.evaluate_closure(closure, last))


def called_in_a_zone(t, times):
    closure = t.closure(lambda given: t.node("Transform", Geometry=given))
    return t.repeat(times, t.grid(100), lambda g, _: t.evaluate_closure(closure, g))


NEW = {"closure called": lambda t: called(t, 8), "closure in a zone": lambda t: called_in_a_zone(t, 2_000)}


def main():
    if len(sys.argv) > 1:
        page(sys.argv[1:])
    else:
        recorded(TREES | (NEW if bpy.app.version >= (5, 1) else {}) | BLIND)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)
