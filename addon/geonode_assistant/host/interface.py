# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree's interface: reading it, and the edits `add`, `change`, `remove` (FORMATS.md, "Delta")."""

from __future__ import annotations

import re
from typing import Any, cast

import bpy

from . import rna, values
from .documents import InterfaceEditAdd, Item
from .errors import HostError

_NUMBER = re.compile(r"(\d+)$")
UNNUMBERED = 1 << 30
# Derived, or fields of their own; subtype and dimensions are read against the base type (`_base_shape`).
_SKIP = frozenset(
    {
        "dimensions",
        "subtype",
        "in_out",
        "socket_type",
        "position",
        "index",
        "parent",
        "item_type",
        "interface_items",
        "persistent_uid",
        "bl_socket_idname",
        "enum_items",
    }
)
# Properties that change the type or the limits come first; the default, which must fit them, comes last.
_FIRST = (
    "dimensions",
    "subtype",
    "force_non_field",
    "structure_type",
    "in_out",
    "default_input",
    "min_value",
    "max_value",
)
_STRUCTURE = "structure_type"
_LAST = ("default_value", "bl_socket_idname")
WITHIN_PANEL = frozenset({"is_panel_toggle"})
"""Properties that are legal only for the first socket of a panel."""
TYPE_NAME = "bl_socket_idname"
"""The class of sockets that an item names; it may lag behind the item's subtype, without any effect."""


class _Fresh:
    """The fields of one class of interface items, with the values of a new item."""

    def __init__(self, item: Any) -> None:
        self.fields = rna.fields_of(item, _SKIP)
        self.plain = self.fields.read_plain(item)
        self.arrays = {p: self.fields.read_array(item, p) for p in self.fields.arrays}
        self.blocks = {p: None for p in self.fields.blocks}


_fresh: dict[tuple[str, str, str], _Fresh] = {}


def _fresh_of(item: Any) -> _Fresh:
    """The state of a new item of the base type, limited to the properties that this item's class (which depends on its
    subtype) has too.
    """
    kind = item.item_type
    key = (item.bl_rna.identifier, kind, getattr(item, "in_out", ""))
    if key not in _fresh:
        with rna.scratch_tree() as tree:
            if kind == "PANEL":
                new = tree.interface.new_panel("")
            else:
                new = tree.interface.new_socket("", in_out=item.in_out, socket_type=item.socket_type)
                _set_shape(tree, new, item)
                new = tree.interface.items_tree[0]
            _fresh[key] = _Fresh(new)
    return _fresh[key]


def _set_shape(tree: Any, new: Any, like: Any) -> None:
    """Gives the new item the class of `like`."""
    for name in ("dimensions", "subtype"):
        if hasattr(like, name) and getattr(new, name, None) != getattr(like, name):
            try:
                setattr(new, name, getattr(like, name))
            except TypeError:
                continue
            new = tree.interface.items_tree[0]


def _base_shape(item: Any) -> dict[str, Any]:
    """`subtype` and `dimensions` of a new item of the base type."""
    key = (item.socket_type, "", item.in_out)
    if key not in _shapes:
        with rna.scratch_tree() as tree:
            new = tree.interface.new_socket("", in_out=item.in_out, socket_type=item.socket_type)
            _shapes[key] = {n: getattr(new, n) for n in ("dimensions", "subtype") if hasattr(new, n)}
    return _shapes[key]


_shapes: dict[tuple[str, str, str], dict[str, Any]] = {}
_type_names: dict[tuple[Any, ...], str] = {}


def _type_name(item: Any) -> str:
    """The class of sockets that a new item of this shape names."""
    key = (item.socket_type, item.in_out, getattr(item, "subtype", None), getattr(item, "dimensions", None))
    if key not in _type_names:
        with rna.scratch_tree() as tree:
            new = tree.interface.new_socket("", in_out=item.in_out, socket_type=item.socket_type)
            _set_shape(tree, new, item)
            _type_names[key] = getattr(tree.interface.items_tree[0], TYPE_NAME)
    return _type_names[key]


def identifier(item: Any) -> str:
    """A socket's identifier, or `panel:<persistent_uid>` (before Blender 4.5: its number among the panels)."""
    if item.item_type == "SOCKET":
        return item.identifier
    uid = getattr(item, "persistent_uid", None)
    if uid is None:
        panels = [i for i in item.id_data.interface.items_tree if i.item_type == "PANEL"]
        uid = next(number for number, panel in enumerate(panels) if panel == item)
    return f"panel:{uid}"


def read(tree: Any, whole: bool = False) -> list[Item]:
    """The interface in display order, depth first; `whole` with what has no effect."""
    out: list[Item] = []
    for item in tree.interface.items_tree:
        socket = item.item_type == "SOCKET"
        entry: dict[str, Any] = {
            "kind": "socket" if socket else "panel",
            "identifier": identifier(item),
            "name": item.name,
        }
        if socket:
            entry["in_out"] = item.in_out
            entry["socket_type"] = item.socket_type
        parent = item.parent
        if parent is not None and parent.index >= 0:
            entry["parent"] = identifier(parent)
        entry["props"] = _props(item, socket)
        if whole and socket and getattr(item, TYPE_NAME) != _type_name(item):
            entry["props"][TYPE_NAME] = getattr(item, TYPE_NAME)
        out.append(cast("Item", entry))
    return out


def _props(item: Any, socket: bool) -> dict[str, Any]:
    fresh = _fresh_of(item)
    fields = fresh.fields
    props: dict[str, Any] = {}
    if socket:
        for name, base in _base_shape(item).items():
            if getattr(item, name) != base:
                props[name] = getattr(item, name)
    for path, value, old in zip(fields.plain, fields.read_plain(item), fresh.plain, strict=True):
        if value == "" and path == _STRUCTURE:  # saved by a newer Blender, and no item of the menu of this one
            value = _structure_name(item)
        if value != old and value is not None and path not in props:
            props[path] = values.shortest_float(value) if isinstance(value, float) else value
    for path, old in fresh.arrays.items():
        flat = fields.read_array(item, path)
        if flat != old:
            props[path] = [values.to_json(part) for part in flat]
    for path in fields.blocks:
        block = getattr(item, path)
        if block is not None:
            props[path] = values.to_json(block)
    return props


def _structures(tree: Any) -> list[int] | None:
    """The numbers of all items' structure types, those included that this Blender's menus lack; None if the interface
    has panels, which have no such property.
    """
    found = [0] * len(tree.interface.items_tree)
    try:
        tree.interface.items_tree.foreach_get(_STRUCTURE, found)
    except (TypeError, RuntimeError, AttributeError):
        return None
    return found


def _structure_name(item: Any) -> str | None:
    """The structure type of an item that RNA does not tell by name."""
    numbers = _structures(item.id_data)
    if numbers is None:
        return None
    known = {entry.value: entry.identifier for entry in item.bl_rna.properties[_STRUCTURE].enum_items_static}
    return known.get(numbers[item.index])


def _set_structure(item: Any, name: str) -> bool:
    """Sets a structure type that the item's menu lacks, as Blender itself does when it reads a file."""
    prop = item.bl_rna.properties[_STRUCTURE]
    number = next((entry.value for entry in prop.enum_items_static if entry.identifier == name), None)
    numbers = _structures(item.id_data)
    if number is None or numbers is None:
        return False
    numbers[item.index] = number
    item.id_data.interface.items_tree.foreach_set(_STRUCTURE, numbers)
    return True


def panels_have_numbers() -> bool:
    """Whether panels have a readable number in this Blender."""
    return "persistent_uid" in bpy.types.NodeTreeInterfacePanel.bl_rna.properties


def find(tree: Any, ref: str) -> Any:
    """The item with that identifier. Raises `unknown_socket`."""
    sockets_only = not ref.startswith("panel:")
    for item in tree.interface.items_tree:
        if item.item_type == "SOCKET":
            if item.identifier == ref:
                return item
        elif not sockets_only and identifier(item) == ref:
            return item
    raise HostError("unknown_socket", f'The interface of "{tree.name}" has no item "{ref}".')


def add(tree: Any, op: InterfaceEditAdd, parent: str | None, number: int | None = None) -> str:
    """Creates a socket or panel and returns its identifier. With `number`, identifiers below it are used up first.

    Menu defaults are not set here: they are legal only after the links that define the items (see `set_default`).
    """
    interface = tree.interface

    def make() -> Any:
        if op["kind"] == "panel":
            return interface.new_panel(op["name"])
        return interface.new_socket(op["name"], in_out=op["in_out"], socket_type=op["socket_type"])

    try:
        item = make()
        burnt = 0
        while number is not None and burnt < rna.MAX_BURN and (now := _number(item)) is not None and now < number:
            interface.remove(item)
            item = make()
            burnt += 1
    except (TypeError, RuntimeError, ValueError) as error:
        raise HostError(
            "invalid_value", f'"{op["name"]}" cannot be added to the interface of "{tree.name}": {error}'
        ) from error
    ref = identifier(item)
    if number is not None and not parent and op.get("position") is None:
        _change(tree, item, ref, None, op.get("props", {}), menus=False)
        return ref
    if parent:
        put_into(tree, ref, parent)
    if op.get("position") is not None:
        interface.move(find(tree, ref), op["position"])
    if props := op.get("props"):
        change(tree, ref, None, props, menus=False)
    return ref


def put_into(tree: Any, ref: str, panel_ref: str) -> None:
    """Moves an item to the end of a panel."""
    panel = find(tree, panel_ref)
    tree.interface.move_to_parent(find(tree, ref), panel, len(panel.interface_items))


def panel_named(tree: Any, name: str, number: int) -> str:
    """The identifier of a panel by its name; of several with it that of this number, in the order in which they were
    made. Raises `unknown_socket`.
    """
    panels = [item for item in tree.interface.items_tree if item.item_type == "PANEL" and item.name == name]
    if number >= len(panels):
        raise HostError("unknown_socket", f'The interface of "{tree.name}" has no panel "{name}".')
    return sorted((identifier(panel) for panel in panels), key=number_of)[number]


def number_of(ref: str) -> int:
    """The number in an identifier; `UNNUMBERED` if it has none."""
    match = re.fullmatch(r"(?:Socket_|panel:)(\d+)", ref)
    return int(match.group(1)) if match else UNNUMBERED


def _number(item: Any) -> int | None:
    match = _NUMBER.search(item.identifier) if item.item_type == "SOCKET" else None
    return int(match.group(1)) if match else getattr(item, "persistent_uid", None)


def change(tree: Any, ref: str, name: str | None, props: dict[str, Any], menus: bool = True) -> None:
    """Sets name and properties in the order that Blender needs; the item is looked up again after its class changes."""
    _change(tree, find(tree, ref), ref, name, props, menus)


def _change(tree: Any, item: Any, ref: str, name: str | None, props: dict[str, Any], menus: bool) -> None:
    if name is not None and item.name != name:
        item.name = name
    ordered = (
        [k for k in _FIRST if k in props]
        + [k for k in props if k not in _FIRST + _LAST]
        + [k for k in _LAST if k in props]
    )
    if "force_non_field" in props and "structure_type" not in props and hasattr(item, "structure_type"):
        # The older property sets the newer one as well.
        props = {**props, "structure_type": item.structure_type}
        ordered.insert(ordered.index("force_non_field") + 1, "structure_type")
    for key in ordered:
        if key == "default_value" and not menus and is_menu(item):
            continue
        try:
            values.assign(item, key, props[key])
        except HostError as error:
            if key == _STRUCTURE and bpy.app.version < (5, 1) and _set_structure(item, props[key]):
                continue
            raise HostError(
                "invalid_value", f'Interface item "{item.name}" of "{tree.name}": {error.message}'
            ) from error
        if key in {"dimensions", "subtype", "socket_type"}:
            item = find(tree, ref)


def is_menu(item: Any) -> bool:
    """Whether the item is a menu socket, whose menu items come from links."""
    return item.item_type == "SOCKET" and item.socket_type == "NodeSocketMenu"


def remove(tree: Any, ref: str) -> None:
    """Removes an item; the content of a panel moves up one level. Does nothing if the item does not exist."""
    try:
        tree.interface.remove(find(tree, ref))
    except HostError:
        return


def reorder(tree: Any, wanted: list[tuple[str, str | None]]) -> None:
    """Sorts new items, which are all at the top level, into the given order of (identifier, parent panel's identifier).

    Blender keeps sockets above panels on each level, so panels are filled before any level is sorted.
    """
    interface = tree.interface
    items = {identifier(item): item for item in interface.items_tree}
    for ref, parent in wanted:
        if parent is not None:
            interface.move_to_parent(items[ref], items[parent], len(items[parent].interface_items))
    _sort_levels(tree, wanted, items)


def arrange(tree: Any, wanted: list[tuple[str, str | None]]) -> None:
    """Puts every item into its panel, and each level into the given order of (identifier, panel's identifier)."""
    interface = tree.interface
    items = {identifier(item): item for item in interface.items_tree}
    top = next((item.parent for item in items.values() if item.parent is not None and item.parent.index < 0), None)
    # Items of old files are found by their numbers, which moving panels changes: all are held before any moves.
    for ref, parent in wanted:
        item = items[ref]
        now = item.parent if item.parent is not None and item.parent.index >= 0 else None
        panel = None if parent is None else items[parent]
        if now != panel:
            interface.move_to_parent(item, top if panel is None else panel, len(interface.items_tree))
    _sort_levels(tree, wanted, items)


def _sort_levels(tree: Any, wanted: list[tuple[str, str | None]], items: dict[str, Any]) -> None:
    places: dict[str | None, int] = {}
    for ref, parent in wanted:
        place = places.get(parent, 0)
        places[parent] = place + 1
        item = items[ref]
        if item.position != place:
            tree.interface.move(item, place)


def user_nodes(tree: Any) -> list[Any]:
    """Every group node, in any tree of the file, that uses `tree`."""
    return [
        n
        for g in bpy.data.node_groups
        if g.type == "GEOMETRY"
        for n in g.nodes
        if getattr(n, "node_tree", None) == tree
    ]
