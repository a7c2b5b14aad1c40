# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds new trees from an IR: converts it to deltas, which pass through the same phases as every other edit."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from typing import Any, cast

import bpy

from .. import native
from . import check_tree, inert_state, interface, items, node_types, places, rna, values
from .apply import TreeEdit
from .deferred_updates import Suppressor, suppression
from .documents import InterfaceEditAdd, Item, Node, Tree, TreeDelta
from .errors import HostError
from .socket_flags import Parted

_SAME: dict[str, str] = {}
_NONE: dict[str, Any] = {}
# The exceptions of reading a document in which something is missing or of the wrong type.
_MISSING = (LookupError, AttributeError, TypeError, ValueError, ArithmeticError)


def build_tree(bundle: Any, name: str | None = None, missing: list[tuple[str, str]] | None = None) -> Any:
    """Builds the bundle's root (and the groups nested in it) as new trees and returns the root.

    `name` renames the root. A nested group whose name is taken in this file gets Blender's next free name, and the
    tree refers to the new one. Data-blocks that this file does not have are left empty and added to `missing` as
    (kind, name); without it they are an error. Raises `invalid_document` for a malformed document, and then changes
    nothing.
    """
    try:
        check_tree.check(bundle)
        order = _in_order(bundle["trees"], bundle["root"])
        for tree_name in order:
            wanted = name if name and tree_name == bundle["root"] else tree_name
            check_tree.check_name("node group", wanted, check_tree.tree_name_bytes())
    except _MISSING as error:
        raise HostError(
            "invalid_document", f"A field of the document is missing or has the wrong type: {error!r}"
        ) from error
    root = bundle["root"]
    made: dict[str, Any] = {}
    sockets: dict[str, dict[str, str]] = {}
    try:
        leaving = nullcontext() if missing is None else values.leaving_empty(missing)
        with rna.uncollected(), leaving, suppression() as suppressor:
            for tree_name in order:
                wanted_name = name if tree_name == root and name else tree_name
                made[tree_name] = bpy.data.node_groups.new(wanted_name, rna.TREE_TYPE)
                _build(tree_name, bundle["trees"][tree_name], made, sockets, suppressor)
    except _MISSING as error:
        _discard(made)
        raise HostError(
            "invalid_document", f"A field of the document is missing or has the wrong type: {error!r}"
        ) from error
    except BaseException:
        _discard(made)
        raise
    return made[root]


def _build(
    key: str, ir: Tree, made: dict[str, Any], sockets: dict[str, dict[str, str]], suppressor: Suppressor
) -> None:
    """Fills the new tree `made[key]`; sets `sockets[key]`, its interface's identifiers by those of the document."""
    tree = made[key]
    edits: list[TreeEdit] = []

    def start() -> None:
        sockets[key] = _interface(tree, ir["interface"])
        _settings(tree, ir.get("settings", {}))
        delta, parted = _delta(tree.name, ir, made, sockets, key)
        edit = TreeEdit(delta, {}, Counter(), parted=parted)
        edits.append(edit)
        edit.edit_structure()
        edit.edit_new_items()

    menus = _menu_defaults(ir["interface"])

    def finish() -> None:
        for item in menus:
            found = sockets[key].get(item["identifier"], item["identifier"])
            interface.change(tree, found, None, {"default_value": item["props"]["default_value"]})
        inert_state.write(tree, ir, edits[0].nodes, _renamed(ir["nodes"], sockets, key), sockets[key], made)

    node_types.learn(node["type"] for node in ir["nodes"])
    for node in ir["nodes"]:
        if lists := node.get("items"):
            items.measure_new(node["type"], list(lists))
    suppressor.run(start, tree)
    # Nothing depends on inert state, so the next update is early enough for it.
    last = finish if menus or inert_state.holds_any(ir) else None
    edits[0].edit_content(suppressor, last, settle=bool(menus))


def _discard(made: dict[str, Any]) -> None:
    for tree in reversed(made.values()):
        bpy.data.node_groups.remove(tree)


def _in_order(trees: dict[str, Tree], root: str) -> list[str]:
    """The trees ordered so that nested groups come before their users; names outside the bundle refer to the file."""
    order: list[str] = []
    depth: dict[str, int] = {}
    state: dict[str, int] = {}
    stack = [(root, False)]
    while stack:
        name, leave = stack.pop()
        if leave:
            state[name] = 2
            depth[name] = 1 + max((depth[inner] for inner in check_tree.nested(trees, name)), default=0)
            if depth[name] > native.limits().nested:
                raise HostError(
                    "too_deep", f'Groups are nested more than {native.limits().nested} levels deep in "{name}".'
                )
            order.append(name)
            continue
        if state.get(name):
            if state[name] == 1:
                raise HostError("cycle", f'The group "{name}" contains itself.')
            continue
        state[name] = 1
        stack.append((name, True))
        stack += [(inner, False) for inner in check_tree.nested(trees, name) if state.get(inner) != 2]
    return order


def _settings(tree: Any, settings: dict[str, Any]) -> None:
    for key, value in settings.items():
        if key in tree.bl_rna.properties:
            values.assign(tree, key, value)


def _interface(tree: Any, wanted: list[Item]) -> dict[str, str]:
    """Creates the items in the order of their numbers, so that they get the same identifiers, then sorts them.

    Returns the document's identifiers → the tree's, where they differ (those of Blender before 4.0 cannot be
    reproduced).
    """
    made: dict[str, str] = {}
    for item, number in _numbered(wanted):
        props = {key: value for key, value in item.get("props", {}).items() if key not in interface.WITHIN_PANEL}
        made[item["identifier"]] = interface.add(tree, cast("InterfaceEditAdd", {**item, "props": props}), None, number)
    panels = {item["identifier"]: item.get("parent") for item in wanted}
    interface.reorder(tree, [(made[one], made[panel] if panel else None) for one, panel in panels.items()])
    for item in wanted:
        late = {key: value for key, value in item.get("props", {}).items() if key in interface.WITHIN_PANEL}
        if late:
            interface.change(tree, made[item["identifier"]], None, late)
    return {old: new for old, new in made.items() if old != new}


def _numbered(wanted: list[Item]) -> list[tuple[Item, int | None]]:
    """The items in the order in which to create them, each with its number.

    Panels are numbered together with the sockets, but their numbers cannot be read before Blender 4.5: there they come
    last.
    """
    numbers = {item["identifier"]: interface.number_of(item["identifier"]) for item in wanted}
    of_sockets = {numbers[item["identifier"]] for item in wanted if item["kind"] == "socket"}
    panels = [numbers[item["identifier"]] for item in wanted if item["kind"] == "panel"]
    readable = interface.panels_have_numbers() and of_sockets.isdisjoint(panels)
    out = []
    for item in wanted:
        number: int | None = numbers[item["identifier"]]
        if number == interface.UNNUMBERED or (item["kind"] == "panel" and not readable):
            number = None
        out.append((item, number))
    return sorted(out, key=lambda entry: interface.UNNUMBERED if entry[1] is None else entry[1])


def _menu_defaults(wanted: list[Item]) -> list[Item]:
    """The menus with a default, which is legal only once links define the menus' items."""
    return [i for i in wanted if i.get("socket_type") == "NodeSocketMenu" and i.get("props", {}).get("default_value")]


def _delta(
    name: str, ir: Tree, made: dict[str, Any], sockets: dict[str, dict[str, str]], key: str
) -> tuple[TreeDelta, Parted]:
    nodes = ir["nodes"]
    parted = Parted()
    maps = _renamed(nodes, sockets, key)
    delta: TreeDelta = {
        "tree": name,
        "create": False,
        "add": [],
        "props": [],
        "pairs": [],
        "items": [],
        "parents": [],
        "values": [],
        "links": [],
        "late_values": [],
        "hide": [],
        "locations": [],
    }
    # A tree has one active output; otherwise the first one created would stay active.
    delta["props"] += [[n["id"], "is_active_output", True] for n in _active_outputs(nodes)]
    located = _absolute(nodes)
    for node in nodes:
        _node(delta, node, maps.get(node["id"], _SAME), made, located, parted)
    links = delta["links"]
    for link in ir["links"]:
        (from_id, from_socket), (to_id, to_socket) = link["from"], link["to"]
        if maps:
            from_socket = maps.get(from_id, _SAME).get(from_socket, from_socket)
            to_socket = maps.get(to_id, _SAME).get(to_socket, to_socket)
        links.append([from_id, from_socket, to_id, to_socket, bool(link.get("muted"))])
    return delta, parted


def _renamed(nodes: list[Node], sockets: dict[str, dict[str, str]], key: str) -> dict[str, dict[str, str]]:
    """By node: the identifiers of the document that are others in the new tree."""
    maps: dict[str, dict[str, str]] = {}
    if not any(sockets.values()):
        return maps
    for node in nodes:
        used = node.get("props", {}).get("node_tree")
        inner = used.get("node_group") if isinstance(used, dict) else None
        if node["type"] in {"NodeGroupInput", "NodeGroupOutput"}:
            maps[node["id"]] = sockets[key]
        elif inner in sockets:
            maps[node["id"]] = sockets[inner]
    return maps


def _active_outputs(nodes: list[Node]) -> list[Node]:
    outputs = [node for node in nodes if node["type"] == "NodeGroupOutput"]
    return [n for n in outputs if n.get("props", {}).get("is_active_output", True)] if len(outputs) > 1 else []


def _node(
    delta: TreeDelta,
    node: Node,
    renamed: dict[str, str],
    made: dict[str, Any],
    located: dict[str, tuple[float, float]],
    parted: Parted | None = None,
) -> None:
    """Adds a node to the lists of a delta; what its sockets hold besides values to `parted` if there is one."""
    node_id = node["id"]
    delta["add"].append(
        {
            "id": node_id,
            "type": node["type"],
            "name": node["name"],
            "label": node.get("label"),
            "width": node.get("width"),
            "stamp": node_id != node["name"],
        }
    )
    for path, value in node.get("props", {}).items():
        if path == "node_tree" and isinstance(value, dict) and value.get("node_group") in made:
            value = {"node_group": made[value["node_group"]].name}
        delta["props"].append([node_id, path, value])
    if end := node.get("pair"):
        delta["pairs"].append([node_id, end])
    for path, entries in node.get("items", {}).items():
        delta["items"].append([node_id, path, entries])
    if node.get("parent"):
        delta["parents"].append([node_id, node["parent"]])
    # Links replace the sockets of reroutes, so nothing of theirs is a flag or a value.
    reroute = node["type"] == "NodeReroute"
    rest = delta["props"] if parted is None else parted.rest
    for side, sockets in (("inputs", node.get("inputs", _NONE)), ("outputs", node.get("outputs", _NONE))):
        flags: dict[str, dict[str, bool]] = {}
        for identifier, state in sockets.items():
            ref = renamed.get(identifier, identifier) if renamed else identifier
            for attribute, value in state.items():
                if attribute == "value":
                    if side == "inputs" and not reroute:
                        delta["values"].append([node_id, ref, value])
                    else:
                        rest.append([node_id, f"{side}.{ref}.default_value", value])
                elif parted is not None and not reroute and isinstance(value, bool) and attribute in rna.SOCKET_FLAGS:
                    flags.setdefault(attribute, {})[ref] = value
                else:
                    rest.append([node_id, f"{side}.{ref}.{attribute}", value])
        if parted is not None:
            for attribute, wanted in flags.items():
                parted.flags[node_id, side, attribute] = wanted
    delta["locations"].append([node_id, *located[node_id]])


def describe(lists: Any, node: Node, places: dict[str, tuple[float, float]]) -> None:
    """Adds what a delta needs to make this node of a tree of this file to the lists of one."""
    _node(lists, node, {}, {}, places)


def located(nodes: list[Node]) -> dict[str, tuple[float, float]]:
    """The absolute positions of nodes, by their IDs."""
    return _absolute(nodes)


def _absolute(nodes: list[Node]) -> dict[str, tuple[float, float]]:
    """The absolute positions, each from that of its frame; the frames contain each other in no circle."""
    by_id = {node["id"]: node for node in nodes}
    found: dict[str, tuple[float, float]] = {}
    frames = {node["parent"] for node in nodes if node.get("parent")}
    for node in nodes:
        if node["id"] not in frames and not node.get("parent"):
            x, y = node["location"]
            found[node["id"]] = (x, y)
            continue
        chain = [node]
        while chain[-1]["id"] not in found and (outer := chain[-1].get("parent")):
            chain.append(by_id[outer])
        for step in reversed(chain):
            if step["id"] in found:
                continue
            base = found[outer] if (outer := step.get("parent")) else (0.0, 0.0)
            if step["id"] in frames:  # others are relative to it, and to what Blender will hold
                found[step["id"]] = places.absolute(step["location"], base)
            else:
                x, y = step["location"]
                found[step["id"]] = (base[0] + x, base[1] + y)
    return found
