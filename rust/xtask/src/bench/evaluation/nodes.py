# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures each node type by itself, one JSON line a type, or the zone that is named (`repeat`, `for_each`, …).

Given files of such lines, prints `rust/cost/src/costs.json`.
"""

import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import geonode_core
from making import Tree, clear, document, estimated, measured

SMALL, LARGE = 3_000, 60_000
FIELD = 200_000
COPIES = 24
"""Of a node, on next to nothing: what each takes beside its elements."""
TARGET = 10_000
LOOK_UPS = (
    "Raycast Proximity SampleNearest SampleNearestSurface SampleUVSurface SampleCurve SampleIndex SampleGrid".split()
)
MODES = {
    "GeometryNodeDuplicateElements": ("domain", "Domain", ("POINT", "EDGE", "FACE")),
    "GeometryNodeMeshBoolean": ("solver", "Solver", ("EXACT", "FLOAT", "MANIFOLD")),
    "GeometryNodeProximity": ("target_element", "Target Geometry", ("POINTS", "EDGES", "FACES")),
    "GeometryNodeDistributePointsOnFaces": ("distribute_method", "Distribute Method", ("RANDOM", "POISSON")),
}


def kinds():
    """Every type that Blender lets into such a tree and that is no zone, group or frame."""
    names = sorted(dir(bpy.types))
    tree = Tree()
    for name in names:
        if not name.startswith(("GeometryNode", "FunctionNode", "ShaderNode")):
            continue
        if any(
            part in name for part in ("Input_", "Tool", "Custom", "Repeat", "Simulation", "Foreach", "Group", "Import")
        ):
            continue
        try:
            node = tree.tree.nodes.new(name)
        except RuntimeError:
            continue
        yield name
        tree.tree.nodes.remove(node)
    clear(tree)


def acts_on():
    """By type, the kind of geometry that it does something with."""
    found = {}
    for row in geonode_core.effects():
        if row["input"] is None:
            found.setdefault(row["node"], row["acts_on"])
    return found


ACTS_ON = acts_on()


def source(tree, kind, size):
    """Geometry that the type acts on."""
    acts = str(ACTS_ON.get(kind, "mesh")).lower()
    if kind in ("GeometryNodeRealizeInstances",) or acts in ("instances", "['instances']"):
        points = tree.node("Points", Count=max(size // 8, 1))
        return tree.node("InstanceOnPoints", Points=points, Instance=tree.node("MeshCube"))
    if "Subdiv" in kind:
        # The poles of a sphere, where many edges meet, are dearer than anything else.
        return tree.grid(size)
    if "vert" in acts or "mesh" in acts or "face" in acts or "edge" in acts:
        return ball(tree, size)
    if "curve" in acts:
        return tree.circle(size)
    if "point" in acts:
        return tree.node("Points", Count=size)
    if "volume" in acts:
        side = max(int((size * 10) ** (1 / 3)), 2)
        return tree.node("VolumeCube", Resolution_X=side, Resolution_Y=side, Resolution_Z=side)
    return ball(tree, size)


def ball(tree, size):
    """A closed surface, which has an inside, a hull and points that are far from others."""
    side = max(int(size**0.5), 3)
    return tree.node("MeshUVSphere", Segments=side, Rings=side)


def counted(tree, geometry):
    """Something small that asks for the whole geometry: what becomes of a large result does not count."""
    counts = tree.node("AttributeDomainSize", Geometry=geometry)
    return tree.node("Points", Count=tree.math("MULTIPLY", counts.outputs[0], 0.0))


def grow(node, size):
    """A source of its own makes about so many elements."""
    side, edge = max(int(size**0.5), 2), max(int(size ** (1 / 3)), 2)
    sizes = {
        **dict.fromkeys(("Count", "Resolution", "Vertices", "Points"), size),
        **dict.fromkeys(("Vertices X", "Vertices Y", "Segments", "Rings"), side),
        **dict.fromkeys(("Resolution X", "Resolution Y", "Resolution Z"), edge),
    }
    if "Vertices Z" in node.inputs:
        sizes |= dict.fromkeys(("Vertices X", "Vertices Y", "Vertices Z"), max(int((size / 6) ** 0.5), 2))
    if "Subdivisions" in node.inputs:
        sizes["Subdivisions"] = max(int(math.log(size / 10, 4)) + 1, 1)
    for socket in node.inputs:
        if socket.enabled and socket.name in sizes and socket.type == "INT":
            socket.default_value = int(sizes[socket.name])
        if socket.enabled and socket.type == "STRING":
            socket.default_value = "a" * min(size, 2000)


def geometry_of(sockets):
    return [one for one in sockets if one.enabled and one.type == "GEOMETRY"]


def adapt(tree, node, fields):
    """What a node is given beside geometry."""
    if not fields:
        return
    position = tree.node("InputPosition").outputs[0]
    for socket in node.inputs:
        if (
            socket.enabled
            and socket.name != "Selection"
            and socket.type in ("VALUE", "VECTOR", "RGBA", "INT", "BOOLEAN", "ROTATION")
        ):
            tree.tree.links.new(position, socket)


def build(kind, size, *, copies=1, special=None, fields=False, over=4, without=False):
    """A tree of `copies` of a node, each with its source and its consumer; `without` leaves the node out."""
    tree = Tree()
    ends, made = [], False
    for _ in range(copies):
        node = tree.tree.nodes.new(kind)
        if special:
            mode(node, special)
        inputs, outputs = geometry_of(node.inputs), geometry_of(node.outputs)
        if inputs:
            given = source(tree, kind, size)
            if kind == "GeometryNodeMeshBoolean":
                given = tree.node("MeshUVSphere", Segments=max(int(size**0.5), 3), Rings=max(int(size**0.5), 3))
                moved = tree.node("Transform", Geometry=given, Translation=(0.3, 0.2, 0.1))
                tree.put(inputs[-1], [given, moved])
                given = tree.node("JoinGeometry", Geometry=[given, moved])
            elif kind == "GeometryNodeJoinGeometry":
                tree.put(inputs[0], [given, tree.node("Transform", Geometry=given, Translation=(1.0, 0.0, 0.0))])
            else:
                tree.put(inputs[0], given)
                for other in inputs[1:]:
                    tree.put(other, tree.grid(4) if "Curve" not in other.name else tree.circle(4))
        else:
            grow(node, size)
        adapt(tree, node, fields)
        if special and special[2] == "POISSON":
            node.inputs["Density Max"].default_value = size / 2.0
            node.inputs["Distance Min"].default_value = size**-0.5
        if outputs:
            made = True
            if without:
                tree.tree.nodes.remove(node)
                if inputs:
                    ends.append(given)
            else:
                ends.append(outputs[0])
            continue
        shown = [one for one in node.outputs if one.enabled and one.type not in ("GEOMETRY", "CUSTOM")]
        base = tree.grid(over)
        if without:
            ends.append(tree.node("SetPosition", Geometry=base, Offset=tree.node("InputPosition").outputs[0]))
            tree.tree.nodes.remove(node)
        else:
            if shown[0].type == "STRING":
                shown = [tree.node("FunctionNodeStringLength", String=shown[0]).outputs[0]]
            elif shown[0].type == "MATRIX":
                shown = [tree.node("FunctionNodeSeparateTransform", Transform=shown[0]).outputs[0]]
            last = tree.node("SetPosition", Geometry=base)
            link = tree.tree.links.new(shown[0], last.inputs["Offset"])
            tree.tree.update_tag()
            ends.append(last)
            if not link.is_valid:
                raise ValueError("its result is no field")
    if ends:
        joined = tree.node("JoinGeometry", Geometry=ends) if copies > 1 else ends[0]
        tree.end(joined if copies > 1 or not made else counted(tree, joined))
    return tree


def mode(node, special):
    prop, menu, value = special
    if prop in node.bl_rna.properties:
        setattr(node, prop, value)
    else:
        node.inputs[menu].default_value = {"FLOAT": "Float", "POISSON": "Poisson Disk"}.get(value, value.title())


def taken(kind, size, **more):
    """(seconds that the node takes, the document of its tree)."""
    tree = build(kind, size, **more)
    found = document(tree)
    whole = measured(tree)[0]
    clear(tree)
    if whole < 2e-4:
        return whole, found
    tree = build(kind, size, without=True, **more)
    rest = measured(tree)[0]
    clear(tree)
    return max(whole - rest, 0.0), found


def measure(kind, special=None):
    """What a node takes on next to nothing, on few elements, on many, and as a field."""
    tree = Tree()
    node = tree.tree.nodes.new(kind)
    geometry = bool(geometry_of(node.inputs) or geometry_of(node.outputs))
    made = bool(geometry_of(node.outputs))
    clear(tree)
    found = {"fixed": taken(kind, 4, copies=COPIES, special=special)[0] / COPIES}
    if geometry:
        # What only writes a field does nothing without one.
        writes = kind.startswith(("GeometryNodeSet", "GeometryNodeStore", "GeometryNodeCapture"))
        found["few"] = taken(kind, SMALL, special=special, fields=writes)
        size = SMALL * 4 if found["few"][0] > 0.1 else LARGE
        found["many"] = taken(kind, size, special=special, fields=writes)
    if not made:
        try:
            found["field"] = taken(kind, TARGET, fields=True, over=FIELD, special=special)[0] / FIELD
        except (ValueError, IndexError):
            pass
    return found


LEAST = {"fixed_us": 2.0, "item_ns": 5.0, "element_ns": 1.0}
"""What cannot be told from nothing is taken for this much."""


def cost(kind, found):
    """The costs of a type, from what was measured."""
    costs = {"fixed_us": round(found["fixed"] * 1e6, 2)}
    if "many" in found:
        (first, small), (second, large) = found["few"], found["many"]
        some, many = (estimated(one)["loads"].get(kind, {}).get("items", 0.0) for one in (small, large))
        if many > 0:
            costs["item_ns"] = round(second / many * 1e9, 3)
            if first > 1e-3 and many > 2 * some > 0 and second > first:
                power = math.log(second / first) / math.log(many / some)
                if power > 1.15:
                    costs |= {"power": round(min(power, 2.2), 3), "at": round(many)}
    if "field" in found:
        costs["element_ns"] = round(found["field"] * 1e9, 3)
    return {name: max(value, LEAST.get(name, 0.0)) for name, value in costs.items()}


SCRATCH = {
    "GeometryNodeMeshBoolean": {"": 1100.0, "exact": 1400.0, "float": 1100.0, "manifold": 850.0},
    "GeometryNodeMeshIcoSphere": {"": 1050.0},
}
"""Bytes per element that a type needs while it works, by mode: how much the memory of a process grew, on spheres of
level 7 and 8, without input and output."""


def with_scratch(kind, known):
    """The costs of a type with the memory that it needs while it works."""
    for mode, size in SCRATCH.get(kind, {}).items():
        (known.get("modes", {}).get(mode, {}) if mode else known)["scratch_b"] = size
    return known


def data(files):
    """The whole of `costs.json`, from the lines of earlier measurements; later ones count."""
    nodes, fixed, iterations = {}, {}, {}
    for name in files:
        with open(name) as file:
            rows = file.readlines()
        for line in rows:
            if line.startswith("zone "):
                zone, found = json.loads(line.removeprefix("zone "))
                iterations[zone] = found
        for line in rows:
            if not line.startswith("measured "):
                continue
            kind, found = json.loads(line.removeprefix("measured "))
            # What a single node takes on nothing is near the noise of a measurement: the least of all counts.
            fixed[kind] = found["fixed"] = min(fixed.get(kind, found["fixed"]), found["fixed"])
            nodes[kind] = cost(kind, found)
            if "modes" in found:
                place, modes = found["modes"]
                nodes[kind] |= {"mode": place, "modes": {name: cost(kind, one) for name, one in modes.items()}}
    high = {name: dear(nodes, name) for name in LEAST}
    return {
        "source": f"measured by rust/xtask/src/bench/evaluation/nodes.py in Blender {bpy.app.version_string}",
        "unknown": high | {"scratch_b": 16.0},
        "nodes": {kind: with_scratch(kind, known) for kind, known in nodes.items()} | GROWING,
        "iterations": iterations,
        # Filling compared every curve with every other: the same measurement in 4.5.
        "slower_before": {
            "GeometryNodeFillCurve": {
                "version": [5, 1],
                "cost": {"at": 120000, "fixed_us": 9.1, "item_ns": 836441.602, "power": 2.2},
            }
        },
        "result_ns": result(),
        "node_bytes": 600.0,
        "target_elements": float(TARGET),
    }


MERGING = {"at": 720000, "fixed_us": 2.0, "item_ns": 6500.0, "power": 1.45}
# Time that grows faster than geometry, by hand: of merging on grids of 10,000 to 360,000 vertices, spheres of 41,000 to
# 655,000 and points, in 4.2 and 5.2. What merges along edges alone grows with them.
GROWING = {
    "GeometryNodeMergeByDistance": {
        **MERGING,
        "mode": ["mode", "Mode"],
        "modes": {"all": MERGING, "connected": {"fixed_us": 2.0, "item_ns": 200.0}},
    }
}


def nothing(geometry, *_):
    """The body of a zone that does nothing."""
    return geometry


def repeated(tree, runs):
    return tree.repeat(runs, tree.grid(4), nothing)


def called(tree, runs):
    closure = tree.closure(nothing)
    return tree.repeat(runs, tree.grid(4), lambda last, _: tree.evaluate_closure(closure, last))


def for_elements(tree, runs):
    return tree.for_each(tree.node("Points", Count=runs), nothing)


def simulated(tree, runs):
    """As many zones one after the other: a zone runs once a frame."""
    last = tree.grid(4)
    for _ in range(runs):
        last = tree.simulation(last, nothing)
    return last


LEAST_BYTES = 1000
"""Memory that cannot be told from nothing is taken for this much: so it is of a simulation."""
ZONES = {
    "repeat": (repeated, 1_000, 9_000),
    "for_each": (for_elements, 1_000, 9_000),
    "simulation": (simulated, 4, 64),
    "closure": (called, 1_000, 9_000),
}


def slope(build, few, many):
    """(microseconds, bytes) of running an empty body once more."""
    ends = []
    for runs in (few, many):
        found = []
        for _ in range(3):
            tree = Tree()
            tree.end(build(tree, runs))
            # A frame of a simulation that was evaluated is remembered.
            found.append(measured(tree, rounds=1 if build is simulated else 4))
            clear(tree)
        ends.append((min(one[0] for one in found), max(one[1] for one in found)))
    (time, held), (longer, more) = ends
    return (longer - time) / (many - few) * 1e6, (more - held) / (many - few)


def iteration(zone):
    """What a zone takes for each run of its body beside the nodes in it.

    Memory that was freed before is taken again unseen: each zone is measured in a process of its own.
    """
    us, held = slope(*ZONES[zone])
    if zone == "closure":
        # It is called in a repeat zone.
        around, kept = slope(*ZONES["repeat"])
        us, held = us - around, held - kept
    return {"us": round(us, 2), "bytes": max(round(held), LEAST_BYTES)}


def result():
    """Nanoseconds that Blender takes for each vertex of a mesh after the last node has made it."""
    times = []
    for whole in (True, False):
        tree = Tree()
        made = ball(tree, 1_000_000)
        tree.end(made if whole else counted(tree, made))
        times.append(measured(tree, rounds=4)[0])
        clear(tree)
    return round(max(times[0] - times[1], 0.0) / 1e6 * 1e9, 3)


def write(costs):
    """A line for each type."""
    rows = [
        f"  {json.dumps(kind)}: {json.dumps(one, sort_keys=True)}" for kind, one in sorted(costs.pop("nodes").items())
    ]
    head = [f" {json.dumps(name)}: {json.dumps(value, sort_keys=True)}" for name, value in sorted(costs.items())]
    print("{\n" + ",\n".join(head) + ',\n "nodes": {\n' + ",\n".join(rows) + "\n }\n}")


def dear(nodes, name):
    """What nine of ten types stay below."""
    known = sorted(one[name] for one in nodes.values() if name in one)
    return known[len(known) * 9 // 10]


def main():
    wanted = sys.argv[1:]
    if wanted and os.path.exists(wanted[0]):
        write(data(wanted))
        return
    if wanted and wanted[0] in ZONES:
        print("zone", json.dumps([wanted[0], iteration(wanted[0])]), flush=True)
        return
    for kind in kinds():
        if wanted and not any(name in kind for name in wanted):
            continue
        try:
            found = measure(kind)
            if kind in MODES:
                prop, menu, values = MODES[kind]
                modes = {}
                for value in values:
                    try:
                        modes[value.lower()] = measure(kind, (prop, menu, value))
                    except (TypeError, KeyError):
                        continue
                found["modes"] = ([prop, menu], modes)
        except Exception as error:
            print("skipped", kind, repr(error)[:100], flush=True)
            continue
        print("measured", json.dumps([kind, found]), flush=True)


main()
os._exit(0)
