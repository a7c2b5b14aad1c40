# SPDX-License-Identifier: GPL-3.0-or-later
"""Words in which the benchmark's scenes are written: objects, and node trees that build alike in Blender 4.2 to 5.2."""

from __future__ import annotations

import math
from typing import Any

import bpy
import snapshot


def link_object(name: str, data: Any) -> Any:
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def mesh_object(name: str, points: Any, edges: Any, faces: Any) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, edges, faces)
    return link_object(name, mesh)


def grid(name: str, size: float, cells: int) -> Any:
    """A flat square in the XY plane, centred, of cells x cells faces."""
    step = size / cells
    points = [(x * step - size / 2, y * step - size / 2, 0.0) for y in range(cells + 1) for x in range(cells + 1)]
    row = cells + 1
    faces = [
        (y * row + x, y * row + x + 1, y * row + x + row + 1, y * row + x + row)
        for y in range(cells)
        for x in range(cells)
    ]
    return mesh_object(name, points, [], faces)


def cube(name: str, size: float, cells: int = 1) -> Any:
    """A cube of cells x cells faces a side."""
    import bmesh

    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=size)
    if cells > 1:
        bmesh.ops.subdivide_edges(shape, edges=shape.edges[:], cuts=cells - 1, use_grid_fill=True)
    shape.to_mesh(mesh)
    shape.free()
    return link_object(name, mesh)


def path(name: str, kind: str) -> Any:
    """A curve object of poly splines."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    points = {
        "line": [(x, 0.0, 0.0) for x in (-5.0, 0.0, 5.0)],
        "arc": [(4 * math.cos(a), 4 * math.sin(a), 0.0) for a in (math.pi * n / 24 for n in range(25))],
        "circle": [(2 * math.cos(a), 2 * math.sin(a), 0.0) for a in (math.pi * n / 16 for n in range(32))],
        "profile": [(0.5, 0, 0), (1.0, 0, 0.5), (0.8, 0, 1.0), (0.4, 0, 1.5), (0.6, 0, 2.0)],
    }[kind]
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points, strict=True):
        point.co = (*place, 1.0)
    spline.use_cyclic_u = kind == "circle"
    return link_object(name, data)


def curves_object(name: str, count: int, points: int, length: float) -> Any:
    """Hair: straight strands upwards in a row."""
    data = bpy.data.hair_curves.new(name)
    data.add_curves([points] * count)
    for number in range(count):
        for step in range(points):
            data.points[number * points + step].position = (number * 0.2, 0.0, length * step / (points - 1))
    return link_object(name, data)


def collection_of(name: str, members: list[tuple[str, float]]) -> Any:
    """A collection of cubes of different sizes, out of sight below."""
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    for number, (member, size) in enumerate(members):
        obj = cube(member, size)
        bpy.context.scene.collection.objects.unlink(obj)
        collection.objects.link(obj)
        obj.location = (number * 2.0, 0, -20)
    return collection


def on(obj: Any, name: str, tree: Any) -> Any:
    """A modifier that runs the tree."""
    modifier = obj.modifiers.new(name, "NODES")
    modifier.node_group = tree
    return modifier


def put(modifier: Any, **inputs: Any) -> Any:
    """Sets inputs of a modifier by name; data-blocks by name or as they are."""
    for name, value in inputs.items():
        snapshot.set_input(modifier, name.replace("_", " "), value)
    return modifier


class Tree:
    """A Geometry Nodes tree in the making.

    ``add("Name", "bl_idname", {property: value}, Input=value or (node, "Output"))``; an input is the first available
    one with that name. A property that became a menu socket in a later Blender is set there.
    """

    def __init__(self, name: str, *inputs: tuple[Any, ...]) -> None:
        self.tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
        self.tree.is_modifier = True
        self.tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        self.defaults: list[tuple[Any, Any]] = []
        for label, kind, *default in inputs:
            socket = self.tree.interface.new_socket(label, in_out="INPUT", socket_type=f"NodeSocket{kind}")
            if default and kind == "Menu":
                self.defaults.append((socket, default[0]))
            elif default:
                socket.default_value = default[0]
                if len(default) > 1:
                    socket.min_value, socket.max_value = default[1]
        self.input = self.add("Group Input", "NodeGroupInput")
        self.output = self.add("Group Output", "NodeGroupOutput")

    def add(self, name: str, kind: str, properties: dict[str, Any] | None = None, /, **inputs: Any) -> Any:
        node = self.tree.nodes.new(kind)
        node.name = name
        for key, value in (properties or {}).items():
            if key in node.bl_rna.properties:
                setattr(node, key, value)
            else:
                node.inputs[key.replace("_", " ").title()].default_value = value.replace("_", " ").title()
        for key, value in inputs.items():
            self.feed(node, key.replace("_", " "), value)
        return node

    def feed(self, node: Any, name: str, value: Any) -> None:
        """Sets or links an input; a list links several."""
        target = self.socket(node.inputs, name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, tuple) and len(one) == 2 and isinstance(one[1], str):
                source = self.socket(one[0].outputs, one[1])
                self.tree.links.new(source, target)
            else:
                target.default_value = one

    @staticmethod
    def socket(sockets: Any, name: str) -> Any:
        named = [socket for socket in sockets if socket.name == name and socket.enabled]
        number = 0
        if not named and name[-1:].isdigit():  # "Value 1" is the second of that name
            name, number = name[:-1].rstrip(), int(name[-1])
            named = [socket for socket in sockets if socket.name == name and socket.enabled]
        if not named:
            raise KeyError(f"{name} of {[socket.name for socket in sockets]}")
        return named[number]

    def frame(self, title: str, *nodes: Any) -> Any:
        frame = self.add(title, "NodeFrame")
        frame.label = title
        for node in nodes:
            node.parent = frame
        return frame

    def done(self, node: Any, output: str) -> Any:
        """Links the result, spreads the nodes, and returns the tree."""
        self.feed(self.output, "Geometry", (node, output))
        for socket, value in self.defaults:
            socket.default_value = value
        for number, one in enumerate(node for node in self.tree.nodes if node.bl_idname != "NodeFrame"):
            one.location = (number % 6 * 220.0, number // 6 * -260.0)
        return self.tree
