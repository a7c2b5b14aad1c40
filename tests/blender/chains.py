# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest scene with a tree of the artist's."""

from __future__ import annotations

from typing import Any

import bpy
from whole_file import GEOMETRY


def chain(*nodes: tuple[str, str]) -> Any:
    """The tree "A" in an otherwise empty file, run by the modifier "X" of the object "Plane": geometry goes through
    these nodes, given by type and name, from input to output.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object.name = "Plane"
    tree = bpy.data.node_groups.new("A", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type=GEOMETRY)
    begin, finish = (tree.nodes.new(f"NodeGroup{side}") for side in ("Input", "Output"))
    source = begin.outputs[0]
    for kind, name in nodes:
        node = tree.nodes.new(kind)
        node.name = name
        tree.links.new(source, node.inputs[0])
        source = node.outputs[0]
    tree.links.new(source, finish.inputs[0])
    bpy.context.object.modifiers.new("X", "NODES").node_group = tree
    return tree
