# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what nodes act on, proved: with only components that a row leaves out a node gives back its input, or
nothing, in every mode and with every kind of value.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import pytest
from geonode_assistant import native

pytestmark = pytest.mark.skipif(bpy.app.version < (4, 5), reason="this Blender does not show geometry to Python")
ROWS = native.core().effects()
COMPONENTS = {"vertices", "edges", "faces", "curves", "points", "instances", "volume", "strokes"}
# What each source holds: itself, and inside its instances.
SOURCES = {
    "loose": ({"vertices"}, set()),
    "wire": ({"vertices", "edges"}, set()),
    "mesh": ({"vertices", "edges", "faces"}, set()),
    "curves": ({"curves"}, set()),
    "points": ({"points"}, set()),
    "volume": ({"volume"}, set()),
    "strokes": ({"strokes"}, set()),
    "instances of mesh": ({"instances"}, {"vertices", "edges", "faces"}),
    "instances of curves": ({"instances"}, {"curves"}),
    "instances of points": ({"instances"}, {"points"}),
    "instances of volume": ({"instances"}, {"volume"}),
}
# The bytes of evaluated instances differ at times between equal evaluations: those are proved where time is.
FULL = bool(os.environ.get("GEONODE_FULL"))
# So often a measurement is repeated: evaluated instances of the same geometry do not always have the same bytes.
TRIES = 40
# Nodes that show what they do only with a particular kind of geometry: their rows are proved by what is left out.
QUIET = {
    "GeometryNodeCurveSetHandles",
    "GeometryNodeMergeLayers",
    "GeometryNodeSampleUVSurface",
    "GeometryNodeSetCurveHandlePositions",
    "GeometryNodeSetGreasePencilDepth",
    "GeometryNodeSetInstanceTransform",
    "GeometryNodeTriangulate",
}


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


class Bench:
    """An object whose tree is built anew for every measurement."""

    def __init__(self) -> None:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        self.material = bpy.data.materials.new("Material")
        self.object = bpy.data.objects.new("Bench", bpy.data.meshes.new("Bench"))
        bpy.context.scene.collection.objects.link(self.object)
        self.tree = bpy.data.node_groups.new("Bench", "GeometryNodeTree")
        self.tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        self.object.modifiers.new("Bench", "NODES").node_group = self.tree

    def start(self) -> Any:
        self.tree.nodes.clear()
        return self.tree.nodes.new("NodeGroupOutput").inputs[0]

    def node(self, kind: str, **inputs: Any) -> Any:
        node = self.tree.nodes.new(f"GeometryNode{kind}")
        for name, value in inputs.items():
            socket = next(s for s in node.inputs if name.replace("_", " ") in (s.identifier, s.name))
            if isinstance(value, bpy.types.NodeSocket):
                self.tree.links.new(value, socket)
            else:
                socket.default_value = value
        return node

    def source(self, name: str) -> Any:
        if name.startswith("instances of "):
            inner = self.source(name.removeprefix("instances of "))
            return self.node("InstanceOnPoints", Points=self.source("points"), Instance=inner).outputs[0]
        if name == "points":
            return self.node("MeshToPoints", Mesh=self.node("MeshUVSphere", Segments=5, Rings=4).outputs[0]).outputs[0]
        if name == "loose":
            return self.node("PointsToVertices", Points=self.source("points")).outputs[0]
        if name == "strokes":
            node = self.node("CurvesToGreasePencil", Curves=self.source("curves"))
            next(s for s in node.inputs if s.name == "Instances as Layers").default_value = False
            return node.outputs[0]
        node = {
            "wire": lambda: self.node("MeshLine", Count=5),
            "mesh": lambda: self.node("MeshIcoSphere", Subdivisions=2),
            "curves": lambda: self.node("CurveQuadraticBezier"),
            "volume": lambda: self.node("VolumeCube", Resolution_X=8, Resolution_Y=8, Resolution_Z=8),
        }[name]()
        return node.outputs[0]

    def everything(self) -> Any:
        join = self.node("JoinGeometry")
        for name in ("mesh", "curves", "points", "volume", *(["instances of mesh"] if FULL else [])):
            self.tree.links.new(self.source(name), join.inputs[0])
        return join.outputs[0]

    def measure(self) -> str | None:
        """What comes out, as a hash; none when it shows nothing."""
        self.tree.update_tag()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        depsgraph.update()
        return digest(self.object.evaluated_get(depsgraph).evaluated_geometry())


_FIELDS = {
    "FLOAT_VECTOR": ("vector", 3),
    "FLOAT2": ("vector", 2),
    "FLOAT_COLOR": ("color", 4),
    "BYTE_COLOR": ("color", 4),
    "FLOAT4X4": ("value", 16),
    "QUATERNION": ("value", 4),
    "INT32_2D": ("value", 2),
    "INT16_2D": ("value", 2),
}


def digest(geometry: Any) -> str | None:
    """Equal for equal geometry: every attribute, material, layer, grid and instance."""
    total = hashlib.sha1()
    empty = True
    pencil = getattr(geometry, "grease_pencil", None)
    drawings = [f.drawing for layer in pencil.layers for f in layer.frames] if pencil is not None else []
    instances = geometry.instances_pointcloud()
    parts = [geometry.mesh, geometry.curves, geometry.pointcloud, instances, pencil, *drawings]
    for number, data in enumerate(parts):
        if data is None:
            continue
        total.update(b"part %d" % number)
        for attribute in sorted(data.attributes, key=lambda a: a.name):
            if not len(attribute.data):
                continue
            empty &= data == instances
            total.update(f"{attribute.name} {attribute.domain} {attribute.data_type}".encode())
            field, width = _FIELDS.get(attribute.data_type, ("value", 1))
            kind = {"INT": np.int32, "BOO": bool}.get(attribute.data_type[:3], np.float32)
            values = np.zeros(len(attribute.data) * width, dtype=kind)
            attribute.data.foreach_get(field, values)
            total.update(values.tobytes())
        materials = getattr(data, "materials", None) or ()
        total.update(str([m and m.name for m in materials]).encode())
    if pencil is not None and len(pencil.layers):
        empty = False
        total.update(str([(x.name, x.opacity, tuple(x.tint_color)) for x in pencil.layers]).encode())
    volume = geometry.volume
    if volume is not None and len(volume.grids):
        empty = False
        total.update(str([(g.name, [tuple(r) for r in g.matrix_object]) for g in volume.grids]).encode())
        total.update(str([m and m.name for m in volume.materials]).encode())
    for reference in geometry.instance_references():
        inner = None if reference is None else digest(reference)
        empty &= inner is None  # instances of nothing are nothing
        total.update(str(inner).encode())
    return None if empty else total.hexdigest()


def acts(row: dict[str, Any], source: str) -> bool:
    own, inside = SOURCES[source]
    wanted = set(row["acts_on"])
    return bool(own & wanted) or (row["deep"] and bool(inside & wanted))


def fold(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def menu(socket: Any) -> list[str]:
    """Items of a menu: Blender names them when it refuses another."""
    try:
        socket.default_value = "\0"
    except TypeError as refusal:
        return re.findall(r"'([^']*)'", str(refusal).split("not found in")[-1])
    return []


def modes(node: Any, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every setting of one property or menu, with the mode that the row asks for."""
    basic = {p.identifier for p in bpy.types.Node.bl_rna.properties}
    choices: dict[str, list[Any]] = {}
    for prop in node.bl_rna.properties:
        if prop.identifier in basic or prop.identifier.startswith("bl_") or prop.is_readonly:
            continue
        if prop.type == "ENUM" and not prop.is_enum_flag:
            choices[prop.identifier] = [item.identifier for item in prop.enum_items]
        elif prop.type == "BOOLEAN":
            choices[prop.identifier] = [False, True]
    for socket in node.inputs:
        if socket.type == "MENU":
            choices["@" + socket.identifier] = menu(socket)
    fixed: dict[str, Any] = {}
    if row["mode"]:
        name, value = row["mode"]
        key = next(k for k in choices if fold(k) == name)
        fixed[key] = next(item for item in choices.pop(key) if fold(str(item)) == value)
    yield fixed
    rest = {tuple(other["mode"]) for other in ROWS if other["node"] == row["node"] and other["mode"]}
    for key, items in choices.items():
        for item in items:
            if row["mode"] or (fold(key), fold(str(item))) not in rest:  # those have rows of their own
                yield fixed | {key: item}


def fill(node: Any, level: int, material: Any) -> None:
    """Values that are not neutral, another set for each level; level 0 are the defaults."""
    for socket in node.inputs:
        if not socket.enabled or socket.is_linked:
            continue
        value: Any = {
            "VALUE": [None, 0.37, 1.7],
            "INT": [None, 2, 3],
            "VECTOR": [None, (0.31, 0.47, 0.59), (0.62, 0.47, 0.59)],
            "ROTATION": [None, (0.3, 0.4, 0.5), (0.3, 0.4, 0.5)],
            "RGBA": [None, (0.3, 0.4, 0.5, 0.6), (0.3, 0.4, 0.5, 0.6)],
            "STRING": ["name", "name", "name"],
            "MATERIAL": [material] * 3,
            "BOOLEAN": [None, True, False],
        }.get(socket.type, [None] * 3)[level]
        if value is None or socket.name == "Selection":
            continue
        socket.default_value = value


def input_in_question(node: Any, row: dict[str, Any]) -> Any:
    geometry = [s for s in node.inputs if s.type == "GEOMETRY"]
    return next(s for s in geometry if row["input"] in (None, s.name))


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda r: " ".join(map(str, (r["node"][12:], r["input"] or "", r["mode"] or "")))
)
def test_a_node_does_nothing_with_what_its_row_leaves_out(bench: Bench, row: dict[str, Any]) -> None:
    assert set(row["acts_on"]) <= COMPONENTS
    if not hasattr(bpy.types, row["node"]):
        pytest.skip("this Blender has no such node")
    sources = [s for s in SOURCES if s != "strokes" or hasattr(bpy.types, "GeometryNodeCurvesToGreasePencil")]
    sources = [s for s in sources if FULL or not s.startswith("instances of")]
    idle = [source for source in sources if not acts(row, source)]
    for source in idle:
        for what in outcomes(bench, row, source):
            assert what is None, f"{row['node']} does something with {source}: {what}"
    busy = [source for source in sources if acts(row, source)]
    found = any(what is not None for source in busy for what in outcomes(bench, row, source))
    assert found or row["node"] in QUIET or not busy, "no effect on anything"


def outcomes(bench: Bench, row: dict[str, Any], source: str) -> Iterator[str | None]:
    """For every mode and level: none when the node did nothing with the source, else what it did."""
    bench.start()
    for setting in list(modes(bench.tree.nodes.new(row["node"]), row)):
        for level in range(3):
            # Blender does not always give the same bytes for instances of the same: one equal result is proof.
            acted = all(acted_once(bench, row, source, setting, level) for _ in range(TRIES))
            yield f"{setting} at level {level}" if acted else None


def acted_once(bench: Bench, row: dict[str, Any], source: str, setting: dict[str, Any], level: int) -> bool:
    """Whether something came out that is neither the source itself nor what comes without any."""
    made = trial(bench, row, source, setting, level)
    if made is None or made == trial(bench, row, None, setting, level):
        return False
    out = bench.start()
    bench.tree.links.new(bench.source(source), out)
    return made != bench.measure()


def trial(bench: Bench, row: dict[str, Any], source: str | None, setting: dict[str, Any], level: int) -> str | None:
    """What the node makes of the source, other inputs fed with everything; none where it cannot be set so."""
    out = bench.start()
    node = bench.tree.nodes.new(row["node"])
    for key, value in setting.items():
        try:
            if key.startswith("@"):
                next(s for s in node.inputs if s.identifier == key[1:]).default_value = value
            else:
                setattr(node, key, value)
        except TypeError:  # an item that this node does not offer
            return None
    tested = input_in_question(node, row)
    if not tested.enabled:
        return None
    for socket in node.inputs:
        if socket.type == "GEOMETRY" and socket.enabled and socket != tested:
            bench.tree.links.new(bench.everything(), socket)
    fill(node, level, bench.material)
    if source is not None:
        bench.tree.links.new(bench.source(source), tested)
    return shown(bench, node, out)


def shown(bench: Bench, node: Any, out: Any) -> str | None:
    """What a node makes; of one without geometry, its values stored on a grid."""
    outputs = [s for s in node.outputs if s.enabled]
    geometry = [s for s in outputs if s.type == "GEOMETRY"]
    if geometry:
        bench.tree.links.new(geometry[0], out)
        return bench.measure()
    last = bench.node("MeshGrid", Vertices_X=4, Vertices_Y=4).outputs[0]
    types = {"VALUE": "FLOAT", "INT": "INT", "VECTOR": "FLOAT_VECTOR", "BOOLEAN": "BOOLEAN", "RGBA": "FLOAT_COLOR"}
    for number, socket in enumerate(outputs):
        if socket.type not in types:
            continue
        store = bench.tree.nodes.new("GeometryNodeStoreNamedAttribute")
        store.data_type = types[socket.type]
        store.inputs["Name"].default_value = f"out{number}"
        bench.tree.links.new(last, store.inputs["Geometry"])
        value = next(s for s in store.inputs if s.name == "Value" and s.enabled)
        bench.tree.links.new(socket, value)
        last = store.outputs[0]
    bench.tree.links.new(last, out)
    return bench.measure()
