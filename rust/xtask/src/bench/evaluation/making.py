# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds trees in Blender and measures what evaluating them takes: processor time on one core, and memory."""

import contextlib
import gc
import os
import time

# One thread, and so processor time that does not depend on what else runs; before Blender counts the cores.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import bpy  # noqa: E402
import geonode_core  # noqa: E402
from geonode_assistant.host import catalogue, context  # noqa: E402

OBJECT = "Measured"


class Tree:
    """A tree on an object of its own; nodes are named as in Blender without `GeometryNode`."""

    def __init__(self) -> None:
        self.tree = bpy.data.node_groups.new("Tree", "GeometryNodeTree")
        self.tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        self.tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        self.given = self.tree.nodes.new("NodeGroupInput")
        self.out = self.tree.nodes.new("NodeGroupOutput")

    def node(self, kind, modes=None, **inputs):
        """A node; `modes` are properties or menus, an input is a value, a node, a socket or several. `_` is a space."""
        plain = kind.startswith(("FunctionNode", "ShaderNode", "Node"))
        node = self.tree.nodes.new(kind if plain else f"GeometryNode{kind}")
        for name, value in (modes or {}).items():
            if name in node.bl_rna.properties:
                setattr(node, name, value)
            else:
                menu = node.inputs[name.replace("_", " ").title()]
                menu.default_value = value.replace("_", " ").title()
        for name, value in inputs.items():
            self.put(self.input(node, name), value)
        return node

    @staticmethod
    def input(node, name):
        wanted = name.replace("_", " ")
        sockets = [one for one in node.inputs if one.enabled]
        exact = [one for one in sockets if one.identifier in (name, wanted)]
        return (exact or [one for one in sockets if one.name == wanted])[0]

    def put(self, socket, value):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, bpy.types.Node):
                part = next(one for one in part.outputs if one.enabled)
            if isinstance(part, bpy.types.NodeSocket):
                self.tree.links.new(part, socket)
            else:
                socket.default_value = part

    def end(self, value):
        self.put(self.out.inputs[0], value)

    def repeat(self, iterations, start, body):
        """A repeat zone: `body` makes the next geometry of the last one and the number of the iteration."""
        begin = self.tree.nodes.new("GeometryNodeRepeatInput")
        end = self.tree.nodes.new("GeometryNodeRepeatOutput")
        begin.pair_with_output(end)
        begin.inputs["Iterations"].default_value = iterations
        self.put(begin.inputs["Geometry"], start)
        self.put(end.inputs["Geometry"], body(begin.outputs["Geometry"], begin.outputs.get("Iteration")))
        return end.outputs["Geometry"]

    def simulation(self, start, body):
        begin = self.tree.nodes.new("GeometryNodeSimulationInput")
        end = self.tree.nodes.new("GeometryNodeSimulationOutput")
        begin.pair_with_output(end)
        self.put(begin.inputs["Geometry"], start)
        self.put(end.inputs["Geometry"], body(begin.outputs["Geometry"]))
        return end.outputs["Geometry"]

    def for_each(self, geometry, body):
        begin = self.tree.nodes.new("GeometryNodeForeachGeometryElementInput")
        end = self.tree.nodes.new("GeometryNodeForeachGeometryElementOutput")
        begin.pair_with_output(end)
        self.put(begin.inputs["Geometry"], geometry)
        made = next(one for one in end.inputs if one.type == "GEOMETRY")
        self.put(made, body(begin.outputs["Element"]))
        return [one for one in end.outputs if one.type == "GEOMETRY"][-1]

    def closure(self, body):
        """A closure from geometry to geometry."""
        begin = self.tree.nodes.new("NodeClosureInput")
        end = self.tree.nodes.new("NodeClosureOutput")
        begin.pair_with_output(end)
        end.input_items.new("GEOMETRY", "Geometry")
        end.output_items.new("GEOMETRY", "Geometry")
        self.put(end.inputs["Geometry"], body(begin.outputs["Geometry"]))
        return end.outputs[0]

    def evaluate_closure(self, closure, geometry):
        call = self.tree.nodes.new("NodeEvaluateClosure")
        call.input_items.new("GEOMETRY", "Geometry")
        call.output_items.new("GEOMETRY", "Geometry")
        self.put(call.inputs[0], closure)
        self.put(call.inputs["Geometry"], geometry)
        return call.outputs["Geometry"]

    # Sources that come up everywhere.

    def grid(self, points, size=2.0):
        side = max(int(points**0.5), 2)
        return self.node("MeshGrid", Size_X=size, Size_Y=size, Vertices_X=side, Vertices_Y=side)

    def circle(self, points):
        return self.node("CurvePrimitiveCircle", Resolution=max(int(points), 3))

    def noise(self, **inputs):
        return self.node("ShaderNodeTexNoise", **inputs).outputs[0]

    def math(self, operation, a, b):
        node = self.tree.nodes.new("ShaderNodeMath")
        node.operation = operation
        self.put(node.inputs[0], a)
        self.put(node.inputs[1], b)
        return node


def status(key):
    """A line of this process's status, in bytes."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))


def target():
    """The object on which trees are measured: a mesh of nothing."""
    found = bpy.data.objects.get(OBJECT)
    if found is None:
        found = bpy.data.objects.new(OBJECT, bpy.data.meshes.new(OBJECT))
        bpy.context.scene.collection.objects.link(found)
    return found


def document(tree):
    """A tree on the measured object, as the core reads it."""
    thing = target()
    modifier = thing.modifiers.new("Measured", "NODES")
    modifier.show_viewport = False
    modifier.node_group = tree.tree
    found = context.inspect([OBJECT], [])
    thing.modifiers.clear()
    return found


def estimated(found):
    """What the core expects of such a document."""
    return geonode_core.estimates(found, catalogue.path())[OBJECT]


def measured(tree, rounds=2):
    """(seconds, bytes) of the evaluation of a tree: the least of several rounds, the most that the first took."""
    thing = target()
    modifier = thing.modifiers.new("Measured", "NODES")
    modifier.show_viewport = False
    modifier.node_group = tree.tree
    bpy.context.view_layer.update()
    gc.collect()
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status("VmRSS")
    times = []
    for at in range(rounds):
        begun = time.process_time()
        if at:
            thing.update_tag()
        else:
            modifier.show_viewport = True
        bpy.context.view_layer.update()
        times.append(time.process_time() - begun)
        if not at:
            held = status("VmHWM") - before
        if times[-1] > 1.0:
            break
    thing.modifiers.clear()
    bpy.context.view_layer.update()
    return min(times), max(held, 0)


def clear(tree):
    bpy.data.node_groups.remove(tree.tree)
