# SPDX-License-Identifier: GPL-3.0-or-later
"""What a catalogue says of the structure of sockets: whether they hold a single value, a field, a grid or a list, and
which inputs an output follows. Measured from 5.0 on, where Blender tells what it infers for each socket.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Any

import bpy

from . import rna

_TOLD = "inferred_structure_type" in bpy.types.NodeSocket.bl_rna.properties
_OF_SHAPE = {
    "LINE": "single",
    "DIAMOND": "field",
    "CIRCLE": "dynamic",
    "DIAMOND_DOT": "dynamic",
    "VOLUME_GRID": "grid",
    "LIST": "list",
}


def declared(socket: Any) -> str | None:
    """What a socket of a new node holds, from its shape."""
    if bpy.app.version < (5, 0) and socket.display_shape == "CIRCLE":
        return "single"
    return _OF_SHAPE.get(socket.display_shape)


def legal(item: Any) -> list[str]:
    """What sockets of an interface item's type can hold."""
    if not _TOLD:
        return []
    found = []
    for structure in ("SINGLE", "FIELD", "GRID", "LIST"):
        try:
            item.structure_type = structure
        except TypeError:
            continue
        found.append(structure.lower())
    item.structure_type = "AUTO"
    return found


def _give_many(item: Any) -> None:
    """Gives an interface input another structure than a single value, any if possible."""
    for structure in ("DYNAMIC", "LIST"):
        try:
            item.structure_type = structure
        except TypeError:
            continue
        return


def describe(tree: Any, node: Any, state: dict[str, Any]) -> None:
    """Completes a state of a node type: what inputs need and outputs hold, `implicit` inputs, which hold a field as
    long as nothing is linked to them, and the inputs that outputs follow, unless these are all.
    """
    if not _TOLD:
        return
    told = _probe(tree, node)
    for entry in state["inputs"]:
        identifier = entry["identifier"]
        if identifier in told.needed:
            entry["structure"] = told.needed[identifier]
            if identifier in told.implicit:
                entry["implicit"] = True
    for entry in state["outputs"]:
        identifier = entry["identifier"]
        if identifier in told.held:
            entry["structure"] = told.held[identifier]
            if entry["structure"] == "dynamic" and told.followed[identifier] != list(told.needed):
                entry["follows"] = told.followed[identifier]


def of_items(tree: Any, node: Any, prefixes: list[str]) -> dict[str, Any]:
    """What the sockets of items hold that have these prefixes, by `side/prefix`, and for dynamic outputs what they
    follow: `item`, `all` or identifiers of inputs.
    """
    if not _TOLD:
        return {}
    out: dict[str, Any] = {}
    if hasattr(node, "data_type"):
        # Geometry is always single: what items of other types hold would not be seen.
        with contextlib.suppress(TypeError):
            node.data_type = "FLOAT"
    told = _probe(tree, node)
    for side in ("inputs", "outputs"):
        for identifier, structure in (told.needed if side == "inputs" else told.held).items():
            match = re.match(r"^(.*)_(\d+)$", identifier)
            if match is None or match[1] not in prefixes:
                continue
            found = [structure]
            if side == "outputs" and structure == "dynamic":
                ends = told.followed[identifier]
                same = ends and all(end.endswith(f"_{match[2]}") for end in ends)
                found += ["item"] if same else ["all"] if ends == list(told.needed) else ends
            out[f"{side}/{match[1]}"] = found
    return out


@dataclass
class _Told:
    """What Blender tells of a node's sockets, by identifier."""

    needed: dict[str, str]
    implicit: set[str]
    held: dict[str, str]
    followed: dict[str, list[str]]


def _probe(tree: Any, node: Any) -> _Told:
    """Links to all inputs of a node: group inputs whose structure Blender derives from what the inputs need; then
    single values, and several values to one input after the other, to see which outputs change.
    """
    inputs = [s for s in node.inputs if _is_real(s)]
    outputs = [s for s in node.outputs if _is_real(s)]
    tree.interface_update(bpy.context)
    implicit = {s.identifier for s in inputs if s.inferred_structure_type == "FIELD"}
    interface = tree.interface
    for number, socket in enumerate(inputs):
        interface.new_socket(f"auto {number}", in_out="INPUT", socket_type=rna.base_type(socket))
    for kind in sorted({rna.base_type(s) for s in inputs}):
        interface.new_socket("one " + kind, in_out="INPUT", socket_type=kind).structure_type = "SINGLE"
        _give_many(interface.new_socket("many " + kind, in_out="INPUT", socket_type=kind))
    source = tree.nodes.new("NodeGroupInput")
    tree.interface_update(bpy.context)
    sources = {s.name: s for s in source.outputs}
    for number, socket in enumerate(inputs):
        tree.links.new(socket, sources[f"auto {number}"])
    tree.interface_update(bpy.context)
    needed = {s.identifier: sources[f"auto {n}"].inferred_structure_type.lower() for n, s in enumerate(inputs)}
    tree.links.clear()
    for socket in inputs:
        tree.links.new(socket, sources["one " + rna.base_type(socket)])
    tree.interface_update(bpy.context)
    held = {s.identifier: s.inferred_structure_type.lower() for s in outputs}
    followed: dict[str, list[str]] = {s.identifier: [] for s in outputs}
    for socket in inputs if outputs else ():
        kind = rna.base_type(socket)
        tree.links.remove(socket.links[0])
        tree.links.new(socket, sources["many " + kind])
        tree.interface_update(bpy.context)
        for output in outputs:
            if output.inferred_structure_type.lower() != held[output.identifier]:
                followed[output.identifier].append(socket.identifier)
        tree.links.remove(socket.links[0])
        tree.links.new(socket, sources["one " + kind])
    held |= {identifier: "dynamic" for identifier, ends in followed.items() if ends}
    tree.nodes.remove(source)
    interface.clear()
    tree.interface_update(bpy.context)
    return _Told(needed, implicit, held, followed)


def _is_real(socket: Any) -> bool:
    return socket.enabled and not socket.is_unavailable and socket.type not in {"CUSTOM", "SHADER"}
