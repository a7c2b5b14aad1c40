# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file holds, as plain data: to tell what a solution changed, and whether undo brought all of it back."""

from __future__ import annotations

import hashlib
from typing import Any

import blocks
import bpy
import numpy as np

LOOKS = {"location", "location_absolute", "width", "height", "select", "is_active_output", "show_options"}
SKIPPED = LOOKS | {
    "rna_type", "name", "label", "parent", "dimensions", "inputs", "outputs", "internal_links", "color", "hide",
    "use_custom_color", "show_preview", "show_texture", "warning_propagation", "bl_description", "interface",
    "debug_zone_body_lazy_function_graph", "debug_zone_lazy_function_graph", "color_tag", "active_index",
    "active_item", "active_input_index", "active_output_index", "active_main_index", "active_generation_index",
}  # fmt: skip


INTERFACE = (
    "default_value", "min_value", "max_value", "subtype", "description", "hide_value", "hide_in_modifier",
    "default_attribute_name", "attribute_domain", "default_input", "structure_type", "optional_label",
)  # fmt: skip
"""What a solution may change of a socket of the interface."""


def plain(value: Any, depth: int = 0) -> Any:
    """RNA values as JSON-like data; data-blocks by kind and name."""
    if isinstance(value, bpy.types.ID):
        return f"{type(value).__name__} {value.name}"
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, (bool, int, str, type(None))):
        return value
    if isinstance(value, bpy.types.Node):
        return f"Node {value.name}"
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, bpy.types.bpy_struct):
        if depth > 4:
            return None
        return {
            p.identifier: plain(getattr(value, p.identifier), depth + 1)
            for p in value.bl_rna.properties
            if p.identifier not in SKIPPED and p.identifier != "identifier"
        }
    try:
        return [plain(entry, depth + 1) for entry in value]
    except TypeError:
        return repr(value)


def _node(node: Any) -> dict[str, Any]:
    base = {p.identifier for p in bpy.types.Node.bl_rna.properties} - {"mute"}
    values = {}
    for socket in node.inputs:
        if hasattr(socket, "default_value") and not socket.is_linked:
            values[socket.identifier] = plain(socket.default_value)
    if node.bl_idname in ("ShaderNodeValue", "FunctionNodeInputColor", "ShaderNodeRGB"):
        values["output"] = [plain(socket.default_value) for socket in node.outputs]
    return {
        "type": node.bl_idname,
        "label": node.label,
        "parent": node.parent.name if node.parent else None,
        "properties": {
            p.identifier: plain(getattr(node, p.identifier))
            for p in node.bl_rna.properties
            if p.identifier not in base and p.identifier not in SKIPPED
        }
        | {"mute": node.mute},
        "values": values,
    }


def _tree(tree: Any) -> dict[str, Any]:
    links = sorted(
        [link.from_node.name, link.from_socket.identifier, link.to_node.name, link.to_socket.identifier, link.is_muted]
        for link in tree.links
    )
    order = [
        [link.from_node.name, link.to_node.name]
        for link in sorted(tree.links, key=lambda link: getattr(link, "multi_input_sort_id", 0))
        if link.to_socket.is_multi_input
    ]
    interface = []
    for item in tree.interface.items_tree:
        if item.item_type == "SOCKET":
            interface.append(
                {"name": item.name, "in_out": item.in_out, "type": item.socket_type, "id": item.identifier}
                | {key: plain(getattr(item, key)) for key in INTERFACE if hasattr(item, key)}
            )
        else:
            interface.append({"panel": item.name})
    return {
        "nodes": {node.name: _node(node) for node in tree.nodes},
        "places": {node.name: [round(float(number), 2) for number in node.location] for node in tree.nodes},
        "links": links,
        "order": order,
        "interface": interface,
    }


def modifier_inputs(modifier: Any) -> dict[str, Any]:
    """The values of a node modifier's inputs by the names that artists see; of equal names the first."""
    out: dict[str, Any] = {}
    for item in modifier.node_group.interface.items_tree if modifier.node_group else ():
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.socket_type != "NodeSocketGeometry":
            out.setdefault(item.name, plain(_read(modifier, item.identifier)))
    return out


def _read(modifier: Any, identifier: str) -> Any:
    if hasattr(modifier, "properties"):
        return getattr(getattr(modifier.properties.inputs, identifier, None), "value", None)
    value = modifier.get(identifier)
    return list(value) if hasattr(value, "to_list") else value


def sources(modifier: Any) -> dict[str, Any]:
    """Which inputs of a node modifier take an attribute in place of their value, by name."""
    out: dict[str, Any] = {}
    for item in modifier.node_group.interface.items_tree if modifier.node_group else ():
        if item.item_type == "SOCKET" and item.in_out == "INPUT":
            if hasattr(modifier, "properties"):
                entry = getattr(modifier.properties.inputs, item.identifier, None)
                found = [getattr(entry, "type", None), getattr(entry, "attribute_name", None)]
            else:
                found = [modifier.get(f"{item.identifier}_{part}") for part in ("use_attribute", "attribute_name")]
                found = [bool(found[0]), found[1] or ""]
            out.setdefault(item.name, found)
    return out


def set_input(modifier: Any, name: str, value: Any) -> None:
    """Sets an input of a node modifier by the name that artists see; menus by the name of the item."""
    for item in modifier.node_group.interface.items_tree:
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name.casefold() == name.casefold():
            break
    else:
        raise KeyError(name)
    if isinstance(value, str) and item.socket_type in BLOCKS:
        value = getattr(bpy.data, BLOCKS[item.socket_type])[value]
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, item.identifier).value = value
    else:
        if isinstance(value, str) and item.socket_type == "NodeSocketMenu":
            value = _menu_number(modifier.node_group, item.identifier, value)
        if isinstance(modifier.get(item.identifier), float):
            value = float(value)
        modifier[item.identifier] = value
    modifier.id_data.update_tag()
    modifier.show_viewport = modifier.show_viewport  # the value counts from here on


BLOCKS = {"NodeSocketObject": "objects", "NodeSocketCollection": "collections", "NodeSocketMaterial": "materials"}


def _menu_number(tree: Any, identifier: str, name: str) -> int:
    """Before 5.0 a modifier stores the number of a menu's item, which the Menu Switch behind it knows."""
    for link in tree.links:
        if link.from_node.bl_idname != "NodeGroupInput" or link.from_socket.identifier != identifier:
            continue
        if link.to_node.bl_idname == "GeometryNodeMenuSwitch":
            for socket in link.to_node.inputs:
                if socket.name == name and socket.identifier.startswith("Item_"):
                    return int(socket.identifier.removeprefix("Item_"))
        if getattr(link.to_node, "node_tree", None):
            return _menu_number(link.to_node.node_tree, link.to_socket.identifier, name)
    raise KeyError(name)


def _data(data: Any) -> Any:
    """The geometry of an object's own data, before its modifiers."""
    if isinstance(data, bpy.types.Mesh):
        out = np.empty(len(data.vertices) * 3, dtype=np.float32)
        data.vertices.foreach_get("co", out)
        corners = np.empty(len(data.loops), dtype=np.int32)
        data.loops.foreach_get("vertex_index", corners)
        names = sorted(attribute.name for attribute in data.attributes)
        return hashlib.sha256(out.tobytes() + corners.tobytes() + "\n".join(names).encode()).hexdigest()[:16]
    if isinstance(data, bpy.types.Curves):
        return [len(data.curves), len(data.points)]
    if isinstance(data, bpy.types.Curve):
        return [[len(spline.points), len(spline.bezier_points)] for spline in data.splines]
    return None


def _object(obj: Any) -> dict[str, Any]:
    modifiers = []
    for modifier in obj.modifiers:
        entry: dict[str, Any] = {"name": modifier.name, "type": modifier.type, "shown": modifier.show_viewport}
        entry["rendered"] = modifier.show_render
        if modifier.type == "NODES":
            entry["group"] = modifier.node_group.name if modifier.node_group else None
            entry["inputs"] = modifier_inputs(modifier)
            entry["sources"] = sources(modifier)
        modifiers.append(entry)
    return {
        "type": obj.type,
        "matrix": [round(float(number), 6) for row in obj.matrix_world for number in row],
        "hidden": [obj.hide_viewport, obj.hide_render],
        "data": _data(obj.data),
        "materials": [slot.material.name if slot.material else None for slot in obj.material_slots],
        "modifiers": modifiers,
    }


def snapshot() -> dict[str, Any]:
    """Objects and Geometry Nodes trees in a form of their own, and what every data-block holds."""
    bpy.context.view_layer.update()  # what was moved is there only now
    return {
        "objects": {obj.name: _object(obj) for obj in bpy.data.objects},
        "trees": {tree.name: _tree(tree) for tree in bpy.data.node_groups if tree.bl_idname == "GeometryNodeTree"},
        "blocks": blocks.everything(),
        "frame": bpy.context.scene.frame_current,
    }


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two snapshots differ, as paths."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted(set(one) | set(other), key=str)
        return [
            found
            for key in keys
            for found in differences(one.get(key, "absent"), other.get(key, "absent"), f"{path}/{key}")
        ]
    return [] if one == other else [f"{path}: {str(one)[:80]} → {str(other)[:80]}"]
