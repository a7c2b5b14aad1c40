# SPDX-License-Identifier: GPL-3.0-or-later
"""The trees of the benchmark's scenes, node by node, as artists build them."""

from __future__ import annotations

from typing import Any

from tree_making import Tree

POINTS = "GeometryNodeDistributePointsOnFaces"
PLACE = "GeometryNodeInstanceOnPoints"
JOIN = "GeometryNodeJoinGeometry"
MOVE = "GeometryNodeTransform"
SET_POSITION = "GeometryNodeSetPosition"
RANDOM = "FunctionNodeRandomValue"
MATH = "ShaderNodeMath"
COMBINE = "ShaderNodeCombineXYZ"


def pebbles() -> Any:
    t = Tree("Pebbles", ("Geometry", "Geometry"), ("Density", "Float", 3.0, (0.0, 100.0)), ("Seed", "Int", 0))
    points = t.add("Points", POINTS, Mesh=(t.input, "Geometry"), Density=(t.input, "Density"), Seed=(t.input, "Seed"))
    pebble = t.add("Pebble", "GeometryNodeMeshIcoSphere", Radius=0.1, Subdivisions=2)
    size = t.add("Size", RANDOM, {"data_type": "FLOAT"}, Min=0.5, Max=1.0, Seed=(t.input, "Seed"))
    place = t.add(
        "Place",
        PLACE,
        Points=(points, "Points"),
        Instance=(pebble, "Mesh"),
        Rotation=(points, "Rotation"),
        Scale=(size, "Value"),
    )
    join = t.add("Join", JOIN, Geometry=[(t.input, "Geometry"), (place, "Instances")])
    place.label = "The pebbles"
    return t.done(join, "Geometry")


def fence() -> Any:
    t = Tree("Fence", ("Geometry", "Geometry"), ("Spacing", "Float", 1.0, (0.1, 10.0)), ("Height", "Float", 1.2))
    along = t.add(
        "Along", "GeometryNodeResampleCurve", {"mode": "LENGTH"}, Curve=(t.input, "Geometry"),
        Length=(t.input, "Spacing"),
    )  # fmt: skip
    size = t.add("Post Size", COMBINE, X=0.1, Y=0.1, Z=(t.input, "Height"))
    post = t.add("Post", "GeometryNodeMeshCube", Size=(size, "Vector"))
    half = t.add("Half", MATH, {"operation": "MULTIPLY"}, **{"Value": (t.input, "Height"), "Value 1": 0.5})
    up = t.add("Up", COMBINE, Z=(half, "Value"))
    raised = t.add("Raise", MOVE, Geometry=(post, "Mesh"), Translation=(up, "Vector"))
    tangent = t.add("Tangent", "GeometryNodeInputTangent")
    turn = t.add(
        "Turn", "FunctionNodeAlignEulerToVector", {"axis": "X", "pivot_axis": "Z"}, Vector=(tangent, "Tangent")
    )
    posts = t.add("Posts", PLACE, Points=(along, "Curve"), Instance=(raised, "Geometry"), Rotation=(turn, "Rotation"))
    posts.label = "Posts along the path"
    profile = t.add("Profile", "GeometryNodeCurvePrimitiveQuadrilateral", Width=0.04, Height=0.1)
    rail = t.add(
        "Rail", "GeometryNodeCurveToMesh", Curve=(t.input, "Geometry"), **{"Profile Curve": (profile, "Curve")}
    )
    low = t.add("Low Rail", MOVE, Geometry=(rail, "Mesh"), Translation=(0.0, 0.0, 0.4))
    high = t.add("High Rail", MOVE, Geometry=(rail, "Mesh"), Translation=(0.0, 0.0, 0.9))
    join = t.add("Join", JOIN, Geometry=[(posts, "Instances"), (low, "Geometry"), (high, "Geometry")])
    t.frame("Rails", profile, rail, low, high)
    return t.done(join, "Geometry")


def tower() -> Any:
    t = Tree("Tower", ("Floors", "Int", 5, (0, 100)), ("Width", "Float", 4.0), ("Floor Height", "Float", 3.0))
    size = t.add("Floor Size", COMBINE, X=(t.input, "Width"), Y=(t.input, "Width"), Z=(t.input, "Floor Height"))
    floor = t.add("Floor", "GeometryNodeMeshCube", Size=(size, "Vector"))
    start = t.add("Repeat In", "GeometryNodeRepeatInput")
    end = t.add("Repeat Out", "GeometryNodeRepeatOutput")
    start.pair_with_output(end)
    end.repeat_items.new("FLOAT", "Level")
    t.feed(start, "Iterations", (t.input, "Floors"))
    up = t.add("Up", COMBINE, Z=(start, "Level"))
    lift = t.add("Lift", MOVE, Geometry=(floor, "Mesh"), Translation=(up, "Vector"))
    lift.label = "One floor"
    stack = t.add("Stack", JOIN, Geometry=[(start, "Geometry"), (lift, "Geometry")])
    higher = t.add(
        "Next Level", MATH, {"operation": "ADD"}, **{"Value": (start, "Level"), "Value 1": (t.input, "Floor Height")}
    )
    t.feed(end, "Geometry", (stack, "Geometry"))
    t.feed(end, "Level", (higher, "Value"))
    return t.done(end, "Geometry")


def window() -> Any:
    t = Tree("Window", ("Width", "Float", 0.8), ("Height", "Float", 1.2))
    size = t.add("Pane Size", COMBINE, X=(t.input, "Width"), Y=0.1, Z=(t.input, "Height"))
    pane = t.add("Pane", "GeometryNodeMeshCube", Size=(size, "Vector"))
    return t.done(pane, "Mesh")


def house() -> Any:
    t = Tree("House", ("Width", "Float", 4.0), ("Windows", "Int", 2, (0, 10)))
    size = t.add("Body Size", COMBINE, X=(t.input, "Width"), Y=4.0, Z=3.0)
    body = t.add("Body", "GeometryNodeMeshCube", Size=(size, "Vector"))
    pane = t.add("Window", "GeometryNodeGroup")
    pane.node_tree = window()
    t.feed(pane, "Width", 0.8)
    t.feed(pane, "Height", 1.2)
    row = t.add("Row", "GeometryNodeMeshLine", {"mode": "OFFSET"}, Count=(t.input, "Windows"))
    t.feed(row, "Start Location", (-1.0, -2.0, 0.0))
    t.feed(row, "Offset", (1.5, 0.0, 0.0))
    panes = t.add("Panes", PLACE, Points=(row, "Mesh"), Instance=(pane, "Geometry"))
    roof = t.add("Roof", "GeometryNodeMeshCone", Vertices=4, Depth=1.5)
    t.feed(roof, "Radius Bottom", 3.2)
    turned = t.add("On Top", MOVE, Geometry=(roof, "Mesh"), Translation=(0.0, 0.0, 1.5), Rotation=(0.0, 0.0, 0.785398))
    join = t.add("Join", JOIN, Geometry=[(body, "Mesh"), (panes, "Instances"), (turned, "Geometry")])
    return t.done(join, "Geometry")


def street() -> Any:
    t = Tree("Street", ("Houses", "Int", 4, (0, 100)), ("Gap", "Float", 6.0))
    one = t.add("House", "GeometryNodeGroup")
    one.node_tree = house()
    t.feed(one, "Width", 4.0)
    t.feed(one, "Windows", 2)
    step = t.add("Step", COMBINE, X=(t.input, "Gap"))
    line = t.add(
        "Plots", "GeometryNodeMeshLine", {"mode": "OFFSET"}, Count=(t.input, "Houses"), Offset=(step, "Vector")
    )
    row = t.add("Row", PLACE, Points=(line, "Mesh"), Instance=(one, "Geometry"))
    return t.done(row, "Instances")


def hills() -> Any:
    t = Tree("Hills", ("Geometry", "Geometry"), ("Strength", "Float", 1.0), ("Scale", "Float", 0.5))
    noise = t.add("Noise", "ShaderNodeTexNoise", Scale=(t.input, "Scale"), Detail=2.0)
    outputs = [socket.name for socket in noise.outputs]
    raised = t.add(
        "Height",
        MATH,
        {"operation": "MULTIPLY"},
        **{"Value": (noise, "Fac" if "Fac" in outputs else "Factor"), "Value 1": (t.input, "Strength")},
    )
    up = t.add("Up", COMBINE, Z=(raised, "Value"))
    moved = t.add("Raise", SET_POSITION, Geometry=(t.input, "Geometry"), Offset=(up, "Vector"))
    smooth = t.add("Smooth", "GeometryNodeSetShadeSmooth")
    t.feed(smooth, smooth.inputs[0].name, (moved, "Geometry"))
    return t.done(smooth, smooth.outputs[0].name)


def lamp() -> Any:
    t = Tree("Lamp", ("Shade", "Menu", "Cone"), ("Height", "Float", 1.5))
    cone = t.add("Cone Shade", "GeometryNodeMeshCone", Vertices=24, Depth=0.4)
    t.feed(cone, "Radius Top", 0.15)
    t.feed(cone, "Radius Bottom", 0.4)
    ball = t.add("Ball Shade", "GeometryNodeMeshUVSphere", Segments=24, Rings=12, Radius=0.3)
    switch = t.add("Which Shade", "GeometryNodeMenuSwitch", {"data_type": "GEOMETRY"})
    for item, name in zip(switch.enum_items, ("Cone", "Ball"), strict=False):
        item.name = name
    t.feed(switch, "Menu", (t.input, "Shade"))
    t.feed(switch, "Cone", (cone, "Mesh"))
    t.feed(switch, "Ball", (ball, "Mesh"))
    up = t.add("Up", COMBINE, Z=(t.input, "Height"))
    top = t.add("On Top", MOVE, Geometry=(switch, "Output"), Translation=(up, "Vector"))
    stand = t.add("Stand", "GeometryNodeMeshCylinder", Vertices=12, Radius=0.03, Depth=(t.input, "Height"))
    half = t.add("Half", MATH, {"operation": "MULTIPLY"}, **{"Value": (t.input, "Height"), "Value 1": 0.5})
    middle = t.add("Middle", COMBINE, Z=(half, "Value"))
    raised = t.add("Raise", MOVE, Geometry=(stand, "Mesh"), Translation=(middle, "Vector"))
    join = t.add("Join", JOIN, Geometry=[(top, "Geometry"), (raised, "Geometry")])
    return t.done(join, "Geometry")


def wheel() -> Any:
    t = Tree("Wheel", ("Spokes", "Int", 6, (1, 100)), ("Radius", "Float", 2.0))
    rim = t.add("Rim", "GeometryNodeCurvePrimitiveCircle", Resolution=48, Radius=(t.input, "Radius"))
    tyre = t.add("Tyre", "GeometryNodeCurvePrimitiveCircle", Resolution=12, Radius=0.15)
    ring = t.add("Ring", "GeometryNodeCurveToMesh", Curve=(rim, "Curve"), **{"Profile Curve": (tyre, "Curve")})
    hub = t.add("Spots", "GeometryNodeMeshCircle", Vertices=(t.input, "Spokes"), Radius=0.01)
    place = t.add("Position", "GeometryNodeInputPosition")
    turn = t.add(
        "Outwards", "FunctionNodeAlignEulerToVector", {"axis": "X", "pivot_axis": "Z"}, Vector=(place, "Position")
    )
    size = t.add("Spoke Size", COMBINE, X=(t.input, "Radius"), Y=0.08, Z=0.08)
    spoke = t.add("Spoke", "GeometryNodeMeshCube", Size=(size, "Vector"))
    half = t.add("Half", MATH, {"operation": "MULTIPLY"}, **{"Value": (t.input, "Radius"), "Value 1": 0.5})
    out = t.add("Out", COMBINE, X=(half, "Value"))
    moved = t.add("Outer", MOVE, Geometry=(spoke, "Mesh"), Translation=(out, "Vector"))
    spokes = t.add("Spokes", PLACE, Points=(hub, "Mesh"), Instance=(moved, "Geometry"), Rotation=(turn, "Rotation"))
    join = t.add("Join", JOIN, Geometry=[(ring, "Mesh"), (spokes, "Instances")])
    return t.done(join, "Geometry")


def cable() -> Any:
    t = Tree("Cable", ("Sag", "Float", 1.0), ("Thickness", "Float", 0.05))
    down = t.add("Down", MATH, {"operation": "MULTIPLY"}, **{"Value": (t.input, "Sag"), "Value 1": -2.0})
    middle = t.add("Middle", COMBINE, Z=(down, "Value"))
    line = t.add("Line", "GeometryNodeCurveQuadraticBezier", Resolution=16, Middle=(middle, "Vector"))
    t.feed(line, "Start", (-3.0, 0.0, 0.0))
    t.feed(line, "End", (3.0, 0.0, 0.0))
    profile = t.add("Profile", "GeometryNodeCurvePrimitiveCircle", Resolution=8, Radius=(t.input, "Thickness"))
    tube = t.add("Tube", "GeometryNodeCurveToMesh", Curve=(line, "Curve"), **{"Profile Curve": (profile, "Curve")})
    return t.done(tube, "Mesh")


def panels() -> Any:
    t = Tree("Panels", ("Geometry", "Geometry"), ("Depth", "Float", 0.3), ("Seed", "Int", 0))
    depth = t.add("Depths", RANDOM, {"data_type": "FLOAT"}, Min=0.05, Max=(t.input, "Depth"), Seed=(t.input, "Seed"))
    out = t.add(
        "Push Out", "GeometryNodeExtrudeMesh", {"mode": "FACES"}, Mesh=(t.input, "Geometry"), Individual=True,
        **{"Offset Scale": (depth, "Value")},
    )  # fmt: skip
    small = t.add("Taper", "GeometryNodeScaleElements", Geometry=(out, "Mesh"), Selection=(out, "Top"), Scale=0.8)
    return t.done(small, "Geometry")


def crowd() -> Any:
    t = Tree("Crowd", ("Geometry", "Geometry"), ("People", "Collection"), ("Seed", "Int", 0))
    points = t.add("Spots", "GeometryNodeMeshToPoints", Mesh=(t.input, "Geometry"))
    info = t.add("People", "GeometryNodeCollectionInfo", Collection=(t.input, "People"))
    t.feed(info, "Separate Children", True)
    t.feed(info, "Reset Children", True)
    turn = t.add("Turn", RANDOM, {"data_type": "FLOAT_VECTOR"}, Seed=(t.input, "Seed"))
    t.feed(turn, "Min", (0.0, 0.0, 0.0))
    t.feed(turn, "Max", (0.0, 0.0, 6.283185))
    place = t.add("Stand", PLACE, Points=(points, "Points"), Instance=(info, "Instances"), Rotation=(turn, "Value"))
    t.feed(place, "Pick Instance", True)
    join = t.add("Join", JOIN, Geometry=[(t.input, "Geometry"), (place, "Instances")])
    return t.done(join, "Geometry")


def stairs() -> Any:
    t = Tree("Stairs", ("Steps", "Int", 16, (1, 200)), ("Rise", "Float", 0.2), ("Turn", "Float", 0.35))
    step = t.add("Step", "GeometryNodeMeshCube", Size=(1.2, 0.4, 0.05))
    outer = t.add("Outer", MOVE, Geometry=(step, "Mesh"), Translation=(1.0, 0.0, 0.0))
    rise = t.add("Up", COMBINE, Z=(t.input, "Rise"))
    line = t.add("Axis", "GeometryNodeMeshLine", {"mode": "OFFSET"}, Count=(t.input, "Steps"), Offset=(rise, "Vector"))
    index = t.add("Index", "GeometryNodeInputIndex")
    angle = t.add("Angle", MATH, {"operation": "MULTIPLY"}, **{"Value": (index, "Index"), "Value 1": (t.input, "Turn")})
    turn = t.add("Rotation", COMBINE, Z=(angle, "Value"))
    flight = t.add("Flight", PLACE, Points=(line, "Mesh"), Instance=(outer, "Geometry"), Rotation=(turn, "Vector"))
    return t.done(flight, "Instances")


def wall() -> Any:
    t = Tree("Bricks", ("Rows", "Int", 8, (1, 100)), ("Columns", "Int", 10, (1, 100)))
    brick = t.add("Brick", "GeometryNodeMeshCube", Size=(0.24, 0.12, 0.08))
    across = t.add(
        "Across", "GeometryNodeMeshLine", {"mode": "OFFSET"}, Count=(t.input, "Columns"), Offset=(0.25, 0.0, 0.0)
    )
    row = t.add("Row", PLACE, Points=(across, "Mesh"), Instance=(brick, "Mesh"))
    up = t.add("Courses", "GeometryNodeMeshLine", {"mode": "OFFSET"}, Count=(t.input, "Rows"), Offset=(0.0, 0.0, 0.09))
    index = t.add("Index", "GeometryNodeInputIndex")
    odd = t.add("Odd", MATH, {"operation": "MODULO"}, **{"Value": (index, "Index"), "Value 1": 2.0})
    shift = t.add("Shift", MATH, {"operation": "MULTIPLY"}, **{"Value": (odd, "Value"), "Value 1": 0.125})
    sideways = t.add("Sideways", COMBINE, X=(shift, "Value"))
    moved = t.add("Bond", SET_POSITION, Geometry=(up, "Mesh"), Offset=(sideways, "Vector"))
    rows = t.add("Rows", PLACE, Points=(moved, "Geometry"), Instance=(row, "Instances"))
    return t.done(rows, "Instances")


def garden() -> Any:
    t = Tree(
        "Garden",
        ("Geometry", "Geometry"),
        ("Stones", "Float", 1.0, (0.0, 50.0)),
        ("Blades", "Float", 8.0, (0.0, 200.0)),
        ("Flowers", "Int", 12, (0, 1000)),
        ("Seed", "Int", 3),
    )
    ground = t.add("Ground", "NodeReroute")
    t.tree.links.new(t.input.outputs["Geometry"], ground.inputs[0])
    spots = t.add("Stone Spots", POINTS, Mesh=(ground, ground.outputs[0].name), Density=(t.input, "Stones"))
    stone = t.add("Stone", "GeometryNodeMeshIcoSphere", Radius=0.15, Subdivisions=1)
    flat = t.add("Flatten", MOVE, Geometry=(stone, "Mesh"), Scale=(1.0, 1.0, 0.6))
    stones = t.add("Stones", PLACE, Points=(spots, "Points"), Instance=(flat, "Geometry"))
    stones.label = "All stones"
    t.frame("Stones Frame", spots, stone, flat, stones)
    other = t.add("Group Input.001", "NodeGroupInput")
    seed = t.add("Other Seed", MATH, {"operation": "ADD"}, **{"Value": (other, "Seed"), "Value 1": 17.0})
    tips = t.add(
        "Blade Spots", POINTS, Mesh=(ground, ground.outputs[0].name), Density=(other, "Blades"), Seed=(seed, "Value")
    )
    blade = t.add("Blade", "GeometryNodeMeshCone", Vertices=4, Depth=0.3)
    t.feed(blade, "Radius Bottom", 0.02)
    height = t.add("Blade Height", RANDOM, {"data_type": "FLOAT"}, Min=0.6, Max=1.4)
    grass = t.add("Grass", PLACE, Points=(tips, "Points"), Instance=(blade, "Mesh"), Scale=(height, "Value"))
    grass.label = "Grass"
    t.frame("Grass Frame", seed, tips, blade, height, grass)
    last = t.add("Group Input.002", "NodeGroupInput")
    ring = t.add("Flower Ring", "GeometryNodeMeshCircle", Vertices=(last, "Flowers"), Radius=3.0)
    head = t.add("Head", "GeometryNodeMeshUVSphere", Segments=8, Rings=6, Radius=0.1)
    lifted = t.add("Lift Head", MOVE, Geometry=(head, "Mesh"), Translation=(0.0, 0.0, 0.4))
    flowers = t.add("Flowers", PLACE, Points=(ring, "Mesh"), Instance=(lifted, "Geometry"))
    t.frame("Flowers Frame", ring, head, lifted, flowers)
    join = t.add(
        "Everything",
        JOIN,
        Geometry=[
            (ground, ground.outputs[0].name),
            (stones, "Instances"),
            (grass, "Instances"),
            (flowers, "Instances"),
        ],
    )
    return t.done(join, "Geometry")


def bubbles() -> Any:
    t = Tree("Bubbles", ("Geometry", "Geometry"), ("Speed", "Float", 0.1))
    points = t.add("Spots", "GeometryNodeMeshToPoints", Mesh=(t.input, "Geometry"))
    start = t.add("Simulation In", "GeometryNodeSimulationInput")
    end = t.add("Simulation Out", "GeometryNodeSimulationOutput")
    start.pair_with_output(end)
    t.feed(start, "Geometry", (points, "Points"))
    up = t.add("Up", COMBINE, Z=(t.input, "Speed"))
    rise = t.add("Rise", SET_POSITION, Geometry=(start, "Geometry"), Offset=(up, "Vector"))
    t.feed(end, "Geometry", (rise, "Geometry"))
    ball = t.add("Bubble", "GeometryNodeMeshIcoSphere", Radius=0.1, Subdivisions=1)
    show = t.add("Show", PLACE, Points=(end, "Geometry"), Instance=(ball, "Mesh"))
    return t.done(show, "Instances")


def shelf() -> Any:
    t = Tree("Books", ("Books", "Int", 12, (1, 200)), ("Tallest", "Float", 0.4), ("Seed", "Int", 1))
    line = t.add(
        "Places", "GeometryNodeMeshLine", {"mode": "OFFSET"}, Count=(t.input, "Books"), Offset=(0.06, 0.0, 0.0)
    )
    heights = t.add(
        "Heights", RANDOM, {"data_type": "FLOAT"}, Min=0.2, Max=(t.input, "Tallest"), Seed=(t.input, "Seed")
    )
    place = t.add("Position", "GeometryNodeInputPosition")
    start = t.add("Each In", "GeometryNodeForeachGeometryElementInput")
    end = t.add("Each Out", "GeometryNodeForeachGeometryElementOutput")
    start.pair_with_output(end)
    end.input_items.new("FLOAT", "Height")
    end.input_items.new("VECTOR", "Place")
    t.feed(start, "Geometry", (line, "Mesh"))
    t.feed(start, "Height", (heights, "Value"))
    t.feed(start, "Place", (place, "Position"))
    size = t.add("Book Size", COMBINE, X=0.05, Y=0.25, Z=(start, "Height"))
    book = t.add("Book", "GeometryNodeMeshCube", Size=(size, "Vector"))
    half = t.add("Half", MATH, {"operation": "MULTIPLY"}, **{"Value": (start, "Height"), "Value 1": 0.5})
    up = t.add("Up", COMBINE, Z=(half, "Value"))
    where = t.add(
        "Where",
        "ShaderNodeVectorMath",
        {"operation": "ADD"},
        **{"Vector": (start, "Place"), "Vector 1": (up, "Vector")},
    )
    stand = t.add("Stand", MOVE, Geometry=(book, "Mesh"), Translation=(where, "Vector"))
    made = [socket for socket in end.inputs if socket.name == "Geometry" and socket.enabled][-1]
    t.tree.links.new(stand.outputs["Geometry"], made)
    out = [socket for socket in end.outputs if socket.name == "Geometry" and socket.enabled][-1]
    t.tree.links.new(out, t.output.inputs["Geometry"])
    return finish(t)


def finish(t: Tree) -> Any:
    for number, node in enumerate(t.tree.nodes):
        node.location = (number % 6 * 220.0, number // 6 * -260.0)
    return t.tree
