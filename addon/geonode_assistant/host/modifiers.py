# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry Nodes modifiers: creating them, and their inputs in every supported Blender.

Up to 5.0 inputs are custom properties of the modifier; from 5.2 they are RNA
(`mod.properties.inputs.<identifier>.value`).
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from . import check_tree, current, interface, values
from .documents import ModifierEdit
from .errors import HostError, near

_VALUELESS = frozenset(
    {"NodeSocketGeometry", "NodeSocketMatrix", "NodeSocketBundle", "NodeSocketClosure", "NodeSocketShader"}
)


_WITH_GEOMETRY = frozenset({
    "MESH", "CURVE", "SURFACE", "META", "FONT", "CURVES", "POINTCLOUD", "VOLUME", "GREASEPENCIL", "GPENCIL",
})  # fmt: skip


def has_geometry(name: str) -> bool:
    """Whether there is an object of this name, of a kind that shows geometry."""
    obj = bpy.data.objects.get(name)
    return obj is not None and obj.type in _WITH_GEOMETRY


def object_named(name: str) -> Any:
    """A local object. Raises `unknown_object` with similar names, `library_data` for a linked one."""
    block = bpy.data.objects.get((name, None)) or bpy.data.objects.get(name)
    if block is None:
        raise HostError(
            "unknown_object",
            f'There is no object "{name}" in this file. ' + near(name, [o.name for o in bpy.data.objects]),
        )
    return block


def trees_of(name: str) -> list[Any]:
    """The node trees on an object, in the order of its modifiers; none if there is no such object."""
    block = bpy.data.objects.get((name, None))
    used: list[Any] = [] if block is None else [getattr(one, "node_group", None) for one in block.modifiers]
    return [tree for tree in used if tree is not None]


def editable(block: Any) -> Any:
    """Returns `block`. Raises `library_data` if it is linked from another file."""
    if block.library is not None:
        kind = values.kind_of(block).replace("_", " ")
        raise HostError(
            "library_data",
            f'The {kind} "{block.name}" is linked from another file and cannot be edited here. '
            "Make it local first (Object > Relations > Make Local).",
        )
    return block


def modifier_named(obj: Any, name: str) -> Any:
    """A Geometry Nodes modifier of `obj`. Raises `unknown_modifier`."""
    modifier = obj.modifiers.get(name)
    if modifier is None or modifier.type != "NODES":
        names = [m.name for m in obj.modifiers if m.type == "NODES"]
        raise HostError(
            "unknown_modifier", f'"{obj.name}" has no Geometry Nodes modifier "{name}". {near(name, names)}'
        )
    return modifier


def with_trees() -> dict[str, list[Any]]:
    """The modifiers with a node tree shown in the viewport, by object; objects without any are left out."""
    found = {obj.name: [one for one in obj.modifiers if _shows(one)] for obj in bpy.data.objects}
    return {name: shown for name, shown in found.items() if shown}


def _shows(modifier: Any) -> bool:
    return modifier.type == "NODES" and modifier.node_group is not None and modifier.show_viewport


def inputs_of(tree: Any) -> list[Any]:
    """The interface inputs of a tree that hold a value."""
    return [
        i
        for i in tree.interface.items_tree
        if i.item_type == "SOCKET"
        and i.in_out == "INPUT"
        and i.socket_type not in _VALUELESS
        and hasattr(i, "default_value")
    ]


def _rna_input(modifier: Any, identifier: str) -> Any:
    return getattr(modifier.properties.inputs, identifier, None)


def _by_rna(modifier: Any) -> bool:
    return "properties" in modifier.bl_rna.properties


_DECISIVE = {
    "SUBSURF": ("levels",),
    "MULTIRES": ("levels",),
    "SCREW": ("steps", "iterations"),
    "BEVEL": ("limit_method", "segments"),
    "OCEAN": ("viewport_resolution", "geometry_mode", "repeat_x", "repeat_y"),
    "REMESH": ("mode", "voxel_size", "octree_depth", "scale"),
    "DECIMATE": ("decimate_type", "ratio"),
    "ARRAY": ("use_merge_vertices",),
    "SOLIDIFY": ("solidify_mode",),
    "BOOLEAN": ("solver",),
    "SMOOTH": ("iterations",),
    "CORRECTIVE_SMOOTH": ("iterations",),
    "LAPLACIANSMOOTH": ("iterations",),
}
"""The settings that decide what a modifier other than Geometry Nodes makes and takes, by its type."""


def read_settings(modifier: Any) -> dict[str, Any]:
    """What decides what another modifier makes and takes; nothing of one that is switched off."""
    if not modifier.show_viewport:
        return {}
    out: dict[str, Any] = {"shown": True}
    out |= {name: getattr(modifier, name) for name in _DECISIVE.get(modifier.type, ()) if hasattr(modifier, name)}
    match modifier.type:
        case "ARRAY" | "GREASE_PENCIL_ARRAY":
            out["copies"] = _copies(modifier)
        case "MIRROR":
            out["axes"] = sum(modifier.use_axis)
        case "GREASE_PENCIL_MIRROR":
            out["axes"] = modifier.use_axis_x + modifier.use_axis_y + modifier.use_axis_z
        case "BOOLEAN" if modifier.operand_type == "OBJECT":
            out["further"] = _vertices(modifier.object)
        case "BOOLEAN":
            out["further"] = sum(map(_vertices, modifier.collection.all_objects)) if modifier.collection else 0
        case "PARTICLE_INSTANCE":
            systems = modifier.object.particle_systems if modifier.object is not None else ()
            at = modifier.particle_system_index - 1
            out["copies"] = systems[at].settings.count if 0 <= at < len(systems) else 1
    return {name: round(value, 9) if isinstance(value, float) else value for name, value in out.items()}


def _vertices(obj: Any) -> int:
    return len(getattr(obj.data, "vertices", ())) if obj is not None else 0


def _copies(array: Any) -> int:
    """How many copies an Array makes; one that fills a length needs the size of its object."""
    fit = getattr(array, "fit_type", "FIXED_COUNT")
    if fit == "FIXED_COUNT":
        return int(array.count)
    length = array.fit_length
    if fit == "FIT_CURVE":
        curve = array.curve
        splines = curve.data.splines if curve is not None and curve.type == "CURVE" else ()
        length = sum(spline.calc_length() for spline in splines)
    step = [0.0, 0.0, 0.0]
    if array.use_constant_offset:
        step = [have + more for have, more in zip(step, array.constant_offset_displace, strict=True)]
    if array.use_relative_offset:
        sizes = _own_size(array.id_data.data)
        relative = array.relative_offset_displace
        step = [have + share * size for have, share, size in zip(step, relative, sizes, strict=True)]
    side = sum(part * part for part in step) ** 0.5
    return min(int(length / side) + 1, 1_000_000_000) if side > 1e-9 else 1


def _own_size(data: Any) -> list[float]:
    """Extent of a mesh before modifiers along each axis; a metre where that is not known."""
    vertices: Any = getattr(data, "vertices", ())
    if not len(vertices):
        return [1.0, 1.0, 1.0]
    places = np.empty(3 * len(vertices), dtype=np.float32)
    vertices.foreach_get("co", places)
    return [float(side) for side in np.ptp(places.reshape(-1, 3), axis=0)]


def read_inputs(modifier: Any) -> dict[str, Any]:
    """Identifier → value of every input that holds one; an attribute name as `{"attribute": name}`."""
    tree = modifier.node_group
    if tree is None:
        return {}
    out: dict[str, Any] = {}
    for item in inputs_of(tree):
        identifier = item.identifier
        if _by_rna(modifier):
            entry = _rna_input(modifier, identifier)
            if entry is None:
                continue
            if getattr(entry, "type", "VALUE") == "ATTRIBUTE":
                out[identifier] = {"attribute": entry.attribute_name}
            elif hasattr(entry, "value"):
                out[identifier] = values.to_json(entry.value)
        elif identifier in modifier:
            if modifier.get(identifier + "_use_attribute"):
                out[identifier] = {"attribute": modifier.get(identifier + "_attribute_name", "")}
            elif interface.is_menu(item):
                out[identifier] = _menu_name(tree, item, modifier[identifier])
            else:
                out[identifier] = _typed(item, values.to_json(modifier[identifier]))
    return out


def _typed(item: Any, value: Any) -> Any:
    """The value with the type of the interface, since custom properties do not distinguish bool from int."""
    if item.socket_type == "NodeSocketBool":
        return bool(value)
    if item.socket_type == "NodeSocketFloat" and isinstance(value, int):
        return float(value)
    return value


def write_input(modifier: Any, identifier: str, value: Any) -> None:
    """Sets one input. Raises `unknown_socket` or `invalid_value`."""
    tree = modifier.node_group
    item = next((i for i in inputs_of(tree) if i.identifier == identifier), None) if tree else None
    where = f'modifier "{modifier.name}" of "{modifier.id_data.name}"'
    if item is None:
        raise HostError("unknown_socket", f'The {where} has no input "{identifier}" that holds a value.')
    attribute = value.get("attribute") if isinstance(value, dict) else None
    try:
        if _by_rna(modifier):
            entry = _rna_input(modifier, identifier)
            if entry is None:
                raise HostError("unknown_socket", f'The {where} does not show the input "{item.name}".')
            if attribute is not None:
                entry.type, entry.attribute_name = "ATTRIBUTE", attribute
            else:
                if getattr(entry, "type", "VALUE") == "ATTRIBUTE":
                    entry.type = "VALUE"
                values.assign(entry, "value", value)
        elif attribute is not None:
            modifier[identifier + "_use_attribute"] = True
            modifier[identifier + "_attribute_name"] = attribute
        else:
            if modifier.get(identifier + "_use_attribute"):
                modifier[identifier + "_use_attribute"] = False
            modifier[identifier] = _custom(tree, item, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise HostError("invalid_value", f'Input "{item.name}" of {where} cannot be {value!r}: {error}') from error
    modifier.id_data.update_tag()


def _custom(tree: Any, item: Any, value: Any) -> Any:
    """The value with exactly the type that the modifier expects; Blender ignores a custom property of another type."""
    kind = item.socket_type
    if kind == "NodeSocketMenu":
        return _menu_number(tree, item, value)
    if kind == "NodeSocketFloat":
        return float(value)
    if kind == "NodeSocketInt":
        if float(value) != int(value):
            raise ValueError("an integer is needed")
        return int(value)
    if kind == "NodeSocketBool":
        return bool(value)
    if kind == "NodeSocketString":
        return str(value)
    if isinstance(value, list):
        if len(value) != len(item.default_value):
            raise ValueError(f"{len(item.default_value)} numbers are needed")
        return [float(part) for part in value]
    return values.from_json(value)


def _menu_number(tree: Any, item: Any, name: Any) -> int:
    """The stored number of a menu item.

    Python cannot list the items of a menu socket. Those of a Menu Switch have their numbers in the names of its
    sockets; else a copy of the tree tells, where Blender refuses wrong items as a default and passes right ones on.
    """
    for node in _menu_nodes(tree, item.identifier, set()):
        for entry, number in _switch_items(node):
            if entry.name == name:
                return number
    copy = tree.copy()
    try:
        there = interface.find(copy, item.identifier)
        try:
            there.default_value = name
        except TypeError as error:
            raise ValueError(str(error)) from error
        return _fresh_value(copy, item.identifier)
    finally:
        bpy.data.node_groups.remove(copy)


def _switch_items(node: Any) -> list[tuple[Any, int]]:
    """The items of a Menu Switch with their numbers."""
    sockets = [s.identifier for s in node.inputs if s.identifier.startswith("Item_")]
    return [(entry, int(name.removeprefix("Item_"))) for entry, name in zip(node.enum_items, sockets, strict=False)]


def _menu_name(tree: Any, item: Any, number: int) -> Any:
    """The menu item's name, read from the nodes that the input is linked to."""
    for node in _menu_nodes(tree, item.identifier, set()):
        for entry, known in _switch_items(node):
            if known == number:
                return entry.name
    return number


def _menu_nodes(tree: Any, identifier: str, seen: set[tuple[str, str]]) -> list[Any]:
    found = []
    if (tree.name, identifier) in seen:
        return []
    seen.add((tree.name, identifier))
    for link in tree.links:
        if link.from_node.bl_idname == "NodeGroupInput" and link.from_socket.identifier == identifier:
            node = link.to_node
            if node.bl_idname == "GeometryNodeMenuSwitch":
                found.append(node)
            elif getattr(node, "node_tree", None) is not None:
                found.extend(_menu_nodes(node.node_tree, link.to_socket.identifier, seen))
    return found


def _fresh_value(tree: Any, identifier: str) -> int:
    mesh = bpy.data.meshes.new(".geonode_probe")
    probe = bpy.data.objects.new(".geonode_probe", mesh)
    try:
        modifier = add_nodes(probe, "probe")
        modifier.node_group = tree
        return modifier[identifier]
    finally:
        bpy.data.objects.remove(probe)
        bpy.data.meshes.remove(mesh)


def add_nodes(obj: bpy.types.Object, name: str) -> Any:
    """Adds a Geometry Nodes modifier; None if the object cannot have one."""
    return obj.modifiers.new(name, "NODES")


def ensure(edit: ModifierEdit) -> bool:
    """Carries out one entry of a delta's `modifiers`; returns whether a modifier was created."""
    obj = editable(object_named(edit["object"]))
    tree = values.resolve("node_group", edit["node_group"])
    modifier = obj.modifiers.get(edit["name"])
    created = modifier is None and bool(edit.get("create"))
    if created:
        check_tree.check_name("modifier", edit["name"])
        modifier = add_nodes(obj, edit["name"])
        if modifier is None:
            raise HostError(
                "object_type_unsupported",
                f'An object of type {obj.type} ("{obj.name}") cannot have a Geometry Nodes modifier. '
                "Choose a mesh, curve, point cloud, volume or text object.",
            )
    else:
        modifier = modifier_named(obj, edit["name"])
    if modifier.node_group != tree:
        modifier.node_group = tree
    if hasattr(tree, "is_modifier") and tree.library is None and not tree.is_modifier:
        tree.is_modifier = True
    return created


def objects_with(name: str) -> list[str]:
    """The local objects of the scene with a modifier that runs the tree of this name, or one in which it is nested."""
    tree = bpy.data.node_groups.get(name)
    scene: Any = current.view_layer().objects
    return [
        obj.name
        for obj in scene
        if tree is not None and obj.library is None
        if any(one.type == "NODES" and tree in _with_nested(one.node_group, []) for one in obj.modifiers)
    ]


def _with_nested(tree: Any, found: list[Any]) -> list[Any]:
    if tree is not None and tree not in found:
        found.append(tree)
        for node in tree.nodes:
            _with_nested(getattr(node, "node_tree", None), found)
    return found


def users_of(tree: Any) -> list[Any]:
    """Every Geometry Nodes modifier of a local object that runs `tree`."""
    return [
        m
        for o in bpy.data.objects
        if o.library is None
        for m in o.modifiers
        if isinstance(m, bpy.types.NodesModifier) and m.node_group == tree
    ]
