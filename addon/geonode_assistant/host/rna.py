# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from Blender's RNA which properties of nodes, sockets and items hold state, and how to read them.

Cached for the process, which runs exactly one Blender build.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

import bpy

from .errors import HostError

SCRATCH_NAME = ".geonode_scratch"
TREE_TYPE: Final = "GeometryNodeTree"
MAX_BURN = 4096
"""Most items that are created and removed again so that Blender's numbering reaches the wanted number."""

# State of the user interface, properties with their own field in the IR, or derived by Blender.
_NOT_STATE = frozenset(
    {
        "rna_type",
        "name",
        "label",
        "location",
        "location_absolute",
        "width",
        "height",
        "dimensions",
        "parent",
        "type",
        "inputs",
        "outputs",
        "internal_links",
        "panel_states",
        "textbox_state",
        "select",
        "show_preview",
        "show_texture",
        "tag",
        "is_runtime_data",
        "use_extra_user",
        "annotation",
        "asset_data",
        "view_center",
        "identifier",
    }
)
SOCKET_FLAGS = tuple(
    flag
    for flag in ("hide", "hide_value", "pin_gizmo", "show_expanded")
    if flag in bpy.types.NodeSocket.bl_rna.properties
)  # 4.2 has no gizmos

# `NodeSocket.type` → the base RNA name that the interface and the plans use.
_BASE_OF_TYPE = {
    "VALUE": "NodeSocketFloat",
    "INT": "NodeSocketInt",
    "BOOLEAN": "NodeSocketBool",
    "VECTOR": "NodeSocketVector",
    "RGBA": "NodeSocketColor",
    "STRING": "NodeSocketString",
    "ROTATION": "NodeSocketRotation",
    "MATRIX": "NodeSocketMatrix",
    "CUSTOM": "NodeSocketVirtual",
    "INT_VECTOR": "NodeSocketIntVector",
}


def base_type(socket: Any) -> str:
    """Base RNA name of a node's or an interface's socket, for example `NodeSocketFloat`."""
    known = _BASE_OF_TYPE.get(socket.type)
    return known or "NodeSocket" + socket.type.title().replace("_", "")


@dataclass(frozen=True)
class Fields:
    """Readable and writable state of one RNA struct, as dotted paths. Getters return all values in one call."""

    plain: tuple[str, ...]
    arrays: tuple[str, ...]
    blocks: tuple[str, ...]
    read_plain: Callable[[Any], tuple[Any, ...]]

    def read_array(self, owner: Any, path: str) -> tuple[Any, ...]:
        """An array property as a flat tuple."""
        value = attrgetter(path)(owner)
        first = value[0] if len(value) else None
        return tuple(x for row in value for x in row) if hasattr(first, "__len__") else value[:]


@contextmanager
def uncollected() -> Iterator[None]:
    """Disables Python's cycle collector, which takes a sixth of a large export and finds nothing in documents."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def scratch_tree() -> Iterator[Any]:
    """A temporary geometry tree; it and the data-blocks that its nodes load (fonts) are removed afterwards."""
    fonts = {font.name for font in bpy.data.fonts}
    tree = bpy.data.node_groups.new(SCRATCH_NAME, TREE_TYPE)
    try:
        yield tree
    finally:
        bpy.data.node_groups.remove(tree)
        for font in [f for f in bpy.data.fonts if f.name not in fonts and f.users == 0]:
            bpy.data.fonts.remove(font)


def is_block_pointer(prop: Any) -> bool:
    """Whether a pointer property refers to a data-block."""
    target = getattr(bpy.types, prop.fixed_type.identifier, None)
    return target is not None and issubclass(target, bpy.types.ID)


def is_embedded(prop: Any) -> bool:
    """Whether a pointer leads to a struct inside the node, not to a data-block or another node."""
    target = getattr(bpy.types, prop.fixed_type.identifier, None)
    return target is not None and not issubclass(target, (bpy.types.ID, bpy.types.Node))


def state_properties(struct: Any) -> Iterator[Any]:
    """The RNA properties of a struct that hold state of the document, in RNA order."""
    for prop in struct.bl_rna.properties:
        name = prop.identifier
        if name not in _NOT_STATE and not name.startswith(("bl_", "active_", "is_active_")):
            yield prop
        elif name == "is_active_output":
            yield prop


def fields_of(owner: Any, skip: frozenset[str] = frozenset()) -> Fields:
    """The state of `owner`, embedded structs (colour ramps, curves, mappings) flattened to dotted paths."""
    plain: list[str] = []
    arrays: list[str] = []
    blocks: list[str] = []

    def collect(struct: Any, prefix: str, depth: int) -> None:
        for prop in state_properties(struct):
            if prop.identifier in skip:
                continue
            path = prefix + prop.identifier
            if prop.type == "COLLECTION":
                continue
            if prop.type == "POINTER":
                if is_block_pointer(prop):
                    if not prop.is_readonly:
                        blocks.append(path)
                elif prop.is_readonly and depth < 4 and is_embedded(prop):
                    inner = getattr(struct, prop.identifier)
                    if inner is not None:
                        collect(inner, path + ".", depth + 1)
            elif not prop.is_readonly:
                is_array = prop.type in {"BOOLEAN", "INT", "FLOAT"} and prop.is_array
                (arrays if is_array else plain).append(path)

    collect(owner, "", 0)
    if not plain:
        getter: Callable[[Any], tuple[Any, ...]] = lambda _owner: ()  # noqa: E731
    elif len(plain) == 1:
        single = attrgetter(plain[0])
        getter = lambda o: (single(o),)  # noqa: E731
    else:
        getter = attrgetter(*plain)
    return Fields(tuple(plain), tuple(arrays), tuple(blocks), getter)


def follow(owner: Any, path: str) -> Any:
    """`owner.a.b.0.c` for the path `a.b.0.c`."""
    for part in path.split("."):
        owner = owner[int(part)] if part.isdigit() else getattr(owner, part)
    return owner


_item_fields: dict[str, Fields] = {}


def item_fields(item: Any) -> Fields:
    """State of one item of a dynamic collection."""
    key = item.bl_rna.identifier
    if key not in _item_fields:
        base = fields_of(item)
        names = {p.identifier: p for p in item.bl_rna.properties}
        extra = [n for n in ("name",) if n in names and not names[n].is_readonly]
        if key == "CurveMapPoint":
            base = Fields(("handle_type",), ("location",), (), lambda o: (o.handle_type,))
        elif key == "ColorRampElement":  # `alpha` is the last number of its colour
            base = Fields(("position",), ("color",), (), lambda o: (o.position,))
        plain = (*extra, *base.plain)
        if plain and key not in {"CurveMapPoint", "ColorRampElement"}:
            getter = attrgetter(*plain) if len(plain) > 1 else (lambda o, g=attrgetter(plain[0]): (g(o),))
            base = Fields(plain, base.arrays, base.blocks, getter)
        _item_fields[key] = base
    return _item_fields[key]


VALUE_KINDS: dict[type, str] = {}  # by class of socket (one per `bl_idname`), filled by `value_kind`


def value_kind(socket: Any) -> str:
    """How a socket type holds its value: `none`, `plain`, `array` or `block`."""
    key = type(socket)
    kind = VALUE_KINDS.get(key)
    if kind is None:
        prop = socket.bl_rna.properties.get("default_value")
        if prop is None:
            kind = "none"
        elif prop.type == "POINTER":
            kind = "block"
        else:
            kind = "array" if prop.type in {"BOOLEAN", "INT", "FLOAT"} and prop.is_array else "plain"
        VALUE_KINDS[key] = kind
    return kind


def raw_value(socket: Any) -> Any:
    """The socket's value in a form that compares exactly (of a data-block: itself), or None."""
    kind = value_kind(socket)
    if kind == "none":
        return None
    value = socket.default_value
    # A slice is one call into Blender; tuple() would be one for each part.
    return value[:] if kind == "array" else value


_menu_sockets: dict[type, bool] = {}


def is_menu(socket: Any) -> bool:
    """Whether a node's socket is a menu, whose legal values depend on links."""
    key = type(socket)
    if key not in _menu_sockets:
        _menu_sockets[key] = socket.type == "MENU"
    return _menu_sockets[key]


def paired_output(node: Any) -> Any:
    """The output node of the zone whose input node is `node`, or None. Not read for the closure nodes of 4.5, where it
    crashes Blender.
    """
    if node.bl_idname == "GeometryNodeClosureInput" and bpy.app.version < (5, 0):
        return None
    return getattr(node, "paired_output", None)


def pair(start: Any, end: Any) -> bool:
    """Makes two nodes a zone; returns False if Blender refuses. Raises `zone_incomplete` if the nodes are not the two
    ends of one kind of zone.

    Pairing the experimental closure nodes of 4.5 crashes Blender, so it is refused there.
    """
    if start.bl_idname == "GeometryNodeClosureInput" and bpy.app.version < (5, 0):
        raise HostError(
            "zone_incomplete", "Closure zones are experimental in this Blender and crash it; they work from 5.0 on."
        )
    try:
        return bool(start.pair_with_output(end)) or paired_output(start) == end
    except (AttributeError, TypeError, RuntimeError) as error:
        raise HostError(
            "zone_incomplete", f'"{start.name}" and "{end.name}" are not the two ends of a zone: {error}'
        ) from error


def collection_types() -> tuple[type, ...]:
    """The types of the collections of data-blocks and of RNA's own properties; `bpy.types` does not list all of
    them.
    """
    return type(bpy.data.objects), type(bpy.data.bl_rna.properties)


def a_block() -> Any:
    """A data-block that every file has."""
    return bpy.data.scenes[0]


def settle_layers() -> None:
    """Makes the layers follow their collections now, which Blender else does when something asks for their objects."""
    for scene in bpy.data.scenes:
        for layer in scene.view_layers:
            len(layer.objects)


def depsgraphs() -> set[int]:
    """The addresses of the depsgraphs that there are."""
    layers = [layer for scene in bpy.data.scenes for layer in scene.view_layers]
    return {graph.as_pointer() for layer in layers if (graph := layer.depsgraph) is not None}


def untracked_types() -> frozenset[type]:
    """The types of the collections, arrays, methods and iterators of Blender's data."""
    scene: Any = a_block()
    own = (bpy.types.bpy_prop_collection, bpy.types.bpy_prop_array, type(scene.copy), type(iter(bpy.data.scenes)))
    return frozenset({*own, *collection_types()})
