# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees as artists build them, beside those of `trees.py`, which measures them too."""

BLIND = {}


def blind(name):
    def note(build):
        BLIND[name] = build
        return build

    return note


@blind("meadow: scatter, random turns, made real")
def _(t):
    ground = t.node("SetPosition", Geometry=t.grid(40_000, 10.0), Offset=t.noise(Scale=2.0))
    spots = t.node("DistributePointsOnFaces", Mesh=ground, Density=80.0)
    turn = t.node("FunctionNodeRandomValue", {"data_type": "FLOAT_VECTOR"})
    blade = t.node("MeshCone", Vertices=8)
    placed = t.node("InstanceOnPoints", Points=spots, Instance=blade, Rotation=turn.outputs[0])
    return t.node("JoinGeometry", Geometry=[ground, t.node("RealizeInstances", Geometry=placed)])


@blind("meadow: instances only")
def _(t):
    spots = t.node("DistributePointsOnFaces", Mesh=t.grid(10_000, 20.0), Density=500.0)
    scale = t.node("FunctionNodeRandomValue")
    return t.node("InstanceOnPoints", Points=spots, Instance=t.node("MeshIcoSphere", Subdivisions=2), Scale=scale)


@blind("forest on a steep hill")
def _(t):
    hill = t.node("SetPosition", Geometry=t.grid(90_000, 20.0), Offset=t.noise(Detail=8.0))
    normal = t.node("InputNormal")
    steep = t.node("FunctionNodeCompare", A=t.math("ABSOLUTE", normal.outputs[0], 0.0), B=0.5)
    spots = t.node("DistributePointsOnFaces", Mesh=hill, Density=50.0, Selection=steep.outputs[0])
    tree = t.node("JoinGeometry", Geometry=[t.node("MeshCylinder", Vertices=12), t.node("MeshCone", Vertices=12)])
    return t.node("RealizeInstances", Geometry=t.node("InstanceOnPoints", Points=spots, Instance=tree))


@blind("cables: resampled, noisy, tubes")
def _(t):
    lines = t.node("DuplicateElements", {"domain": "SPLINE"}, Geometry=t.node("CurvePrimitiveLine"), Amount=200)
    bent = t.node("SetPosition", Geometry=t.node("ResampleCurve", Curve=lines, Count=100), Offset=t.noise(Scale=3.0))
    return t.node("CurveToMesh", Curve=bent, Profile_Curve=t.circle(12))


@blind("cables with smooth spline type")
def _(t):
    spiral = t.node("CurveSpiral", Resolution=500, Rotations=20.0)
    smooth = t.node("CurveSplineType", {"spline_type": "CATMULL_ROM"}, Curve=spiral)
    return t.node("CurveToMesh", Curve=smooth, Profile_Curve=t.circle(16), Fill_Caps=True)


@blind("stairs: a zone that joins steps")
def _(t):
    step = t.node("MeshCube")

    def body(last, at):
        move = t.node("ShaderNodeCombineXYZ", X=t.math("MULTIPLY", at, 0.3), Z=t.math("MULTIPLY", at, 0.2))
        return t.node("JoinGeometry", Geometry=[last, t.node("Transform", Geometry=step, Translation=move)])

    return t.repeat(300, step, body)


@blind("stairs: one instance a step")
def _(t):
    def body(last, at):
        return t.node("JoinGeometry", Geometry=[last, t.node("GeometryToInstance", Geometry=t.node("MeshCube"))])

    return t.node("RealizeInstances", Geometry=t.repeat(2000, t.node("MeshCube"), body))


@blind("recursive subdivision and displacement")
def _(t):
    def body(last, at):
        finer = t.node("SubdivideMesh", Mesh=last, Level=1)
        return t.node("SetPosition", Geometry=finer, Offset=t.noise(Scale=4.0))

    return t.repeat(7, t.node("MeshCube"), body)


@blind("tower: extruded and scaled in a zone")
def _(t):
    def body(last, at):
        z = t.node("ShaderNodeSeparateXYZ", Vector=t.node("InputNormal").outputs[0])
        top = t.node("FunctionNodeCompare", A=z.outputs[2], B=0.9)
        up = t.node("ExtrudeMesh", Mesh=last, Selection=top.outputs[0])
        return t.node("ScaleElements", Geometry=up, Selection=up.outputs[1], Scale=0.95)

    return t.repeat(60, t.node("MeshCylinder", Vertices=64), body)


@blind("city: faces extruded at random heights")
def _(t):
    height = t.node("FunctionNodeRandomValue")
    return t.node("ExtrudeMesh", Mesh=t.grid(90_000, 30.0), Individual=True, Offset_Scale=height)


@blind("greeble: three extrusions one after the other")
def _(t):
    made = t.node("SubdivideMesh", Mesh=t.node("MeshCube"), Level=6)
    for _at in range(3):
        made = t.node("ExtrudeMesh", Mesh=made, Offset_Scale=t.node("FunctionNodeRandomValue"), Individual=True)
    return made


@blind("planet: high subdivision, four octaves of noise")
def _(t):
    ball = t.node("SubdivisionSurface", Mesh=t.node("MeshCube"), Level=9)
    return t.node("SetPosition", Geometry=ball, Offset=t.noise(Detail=10.0, Scale=3.0))


@blind("planet near the limit: voronoi and noise")
def _(t):
    ball = t.node("MeshIcoSphere", Subdivisions=9)
    cells = t.node("ShaderNodeTexVoronoi", Scale=20.0).outputs[0]
    height = t.math("MULTIPLY", cells, t.noise(Detail=15.0))
    rough = t.node("SetPosition", Geometry=ball, Offset=height)
    return t.node("SetPosition", Geometry=rough, Offset=t.noise(Detail=15.0, Scale=9.0))


@blind("holes: boolean of instances, made real")
def _(t):
    holes = t.node(
        "InstanceOnPoints", Points=t.grid(64, 1.6), Instance=t.node("MeshUVSphere", Segments=16, Rings=8, Radius=0.05)
    )
    return t.node(
        "MeshBoolean",
        {"operation": "DIFFERENCE"},
        Mesh_1=t.node("MeshCube"),
        Mesh_2=t.node("RealizeInstances", Geometry=holes),
    )


@blind("boolean of two dense balls")
def _(t):
    a = t.node("MeshIcoSphere", Subdivisions=6)
    b = t.node("Transform", Geometry=t.node("MeshIcoSphere", Subdivisions=6), Translation=(0.4, 0.1, 0.0))
    return t.node("MeshBoolean", {"operation": "DIFFERENCE"}, Mesh_1=a, Mesh_2=b)


@blind("melted: mesh to volume to mesh")
def _(t):
    parts = t.node("InstanceOnPoints", Points=t.grid(100, 3.0), Instance=t.node("MeshUVSphere", Radius=0.3))
    fog = t.node("MeshToVolume", Mesh=t.node("RealizeInstances", Geometry=parts))
    return t.node("VolumeToMesh", Volume=fog)


@blind("cloud of points to a surface")
def _(t):
    spots = t.node("DistributePointsOnFaces", Mesh=t.node("MeshIcoSphere", Subdivisions=4), Density=200.0)
    return t.node("VolumeToMesh", Volume=t.node("PointsToVolume", Points=spots, Radius=0.1))


@blind("caption: text, filled and extruded")
def _(t):
    text = t.node("StringToCurves", String="The quick brown fox jumps over the lazy dog")
    flat = t.node("FillCurve", Curve=t.node("RealizeInstances", Geometry=text))
    return t.node("ExtrudeMesh", Mesh=flat)


@blind("cloud welded by distance")
def _(t):
    spots = t.node("DistributePointsOnFaces", Mesh=t.grid(100, 4.0), Density=10_000.0)
    return t.node("MergeByDistance", Geometry=t.node("PointsToVertices", Points=spots), Distance=0.02)


@blind("cracked: voronoi deletes faces")
def _(t):
    cells = t.node("ShaderNodeTexVoronoi", {"feature": "DISTANCE_TO_EDGE"}, Scale=12.0)
    edge = t.node("FunctionNodeCompare", A=cells.outputs[0], B=0.05)
    return t.node("DeleteGeometry", {"domain": "FACE"}, Geometry=t.grid(500_000), Selection=edge.outputs[0])


@blind("instances on instances, made real")
def _(t):
    inner = t.node("InstanceOnPoints", Points=t.node("MeshIcoSphere", Subdivisions=3), Instance=t.node("MeshCube"))
    outer = t.node("InstanceOnPoints", Points=t.grid(400), Instance=inner)
    return t.node("RealizeInstances", Geometry=outer)


@blind("fur: curves grown on a ball")
def _(t):
    spots = t.node("DistributePointsOnFaces", Mesh=t.node("MeshUVSphere"), Density=2000.0)
    hair = t.node("ResampleCurve", Curve=t.node("CurvePrimitiveLine"), Count=8)
    fur = t.node("RealizeInstances", Geometry=t.node("InstanceOnPoints", Points=spots, Instance=hair))
    return t.node("SetPosition", Geometry=fur, Offset=t.noise(Scale=8.0))


@blind("fur as tubes, near the limit")
def _(t):
    spots = t.node("DistributePointsOnFaces", Mesh=t.node("MeshUVSphere"), Density=4000.0)
    hair = t.node("ResampleCurve", Curve=t.node("CurvePrimitiveLine"), Count=8)
    fur = t.node("RealizeInstances", Geometry=t.node("InstanceOnPoints", Points=spots, Instance=hair))
    return t.node("CurveToMesh", Curve=fur, Profile_Curve=t.circle(8))


@blind("shrinkwrap: nearest on a surface")
def _(t):
    near = t.node("Proximity", Geometry=t.node("MeshIcoSphere", Subdivisions=6))
    return t.node("SetPosition", Geometry=t.grid(250_000), Position=near.outputs[0])


@blind("ripples from a cloud")
def _(t):
    drops = t.node("DistributePointsOnFaces", Mesh=t.grid(100), Density=20.0)
    near = t.node("Proximity", {"target_element": "POINTS"}, Geometry=drops)
    wave = t.math("SINE", t.math("MULTIPLY", near.outputs[1], 30.0), 0.0)
    up = t.node("ShaderNodeCombineXYZ", Z=wave)
    return t.node("SetPosition", Geometry=t.grid(360_000), Offset=up)


@blind("crystal: dual mesh with hull and subdivision")
def _(t):
    dual = t.node("DualMesh", Mesh=t.node("MeshIcoSphere", Subdivisions=6))
    return t.node("SubdivisionSurface", Mesh=t.node("SplitEdges", Mesh=dual), Level=2)


@blind("wire frame: edges to tubes")
def _(t):
    edges = t.node("MeshToCurve", Mesh=t.node("MeshIcoSphere", Subdivisions=5))
    split = t.node("MeshToCurve", Mesh=t.node("SplitEdges", Mesh=t.grid(10_000)))
    return t.node("CurveToMesh", Curve=t.node("JoinGeometry", Geometry=[edges, split]), Profile_Curve=t.circle(6))


@blind("each face a spike")
def _(t):
    return t.for_each(t.node("MeshIcoSphere", Subdivisions=4), lambda one: t.node("SubdivideMesh", Mesh=one, Level=3))


@blind("zone that blurs and displaces, near the limit")
def _(t):
    def body(last, at):
        soft = t.node("BlurAttribute", {"data_type": "FLOAT_VECTOR"}, Iterations=5)
        t.put([one for one in soft.inputs if one.enabled][0], t.node("InputPosition"))
        smooth = t.node("SetPosition", Geometry=last, Position=soft.outputs[0] if soft.outputs[0].enabled else soft)
        return t.node("SetPosition", Geometry=smooth, Offset=t.noise(Scale=5.0))

    return t.repeat(20, t.grid(160_000), body)


@blind("twenty rings around each other")
def _(t):
    def body(last, at):
        return t.node(
            "JoinGeometry", Geometry=[t.node("Transform", Geometry=last, Scale=(1.1, 1.1, 1.1)), t.node("MeshUVSphere")]
        )

    return t.repeat(100, t.node("MeshUVSphere"), body)


@blind("weathered wall: bricks, bevel by subdivision, noise")
def _(t):
    bricks = t.node(
        "InstanceOnPoints",
        Points=t.grid(900, 20.0),
        Instance=t.node("SubdivisionSurface", Mesh=t.node("MeshCube"), Level=4),
    )
    wall = t.node("RealizeInstances", Geometry=bricks)
    return t.node("SetPosition", Geometry=wall, Offset=t.noise(Detail=6.0))
