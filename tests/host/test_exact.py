# SPDX-License-Identifier: GPL-3.0-or-later
"""Export and rebuild give every writable RNA property again, but for the exceptions that FORMATS.md publishes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import bpy
import raw
from geonode_assistant.host.build import build_tree
from geonode_assistant.host.export import export_tree
from shipped import shipped_trees

EVERY = 1 if os.environ.get("GEONODE_FULL") else 6
LEGACY = ("Input_", "Output_")
# Node groups that this Blender ships.
SHIPPED = {(5, 2): 122, (5, 0): 56, (4, 5): 28, (4, 2): 28}


def documented_types() -> Iterator[Any]:
    """The RNA types of which a tree consists, with what hangs below them."""
    bases = (
        bpy.types.GeometryNodeTree,
        bpy.types.Node,
        bpy.types.NodeSocket,
        bpy.types.NodeLink,
        bpy.types.NodeTreeInterface,
        bpy.types.NodeTreeInterfaceItem,
    )
    known = [getattr(bpy.types, name) for name in dir(bpy.types)]
    waiting = [found for found in known if isinstance(found, type) and issubclass(found, bases)]
    seen = set[str]()
    while waiting:
        found = waiting.pop()
        if found.bl_rna.identifier in seen:
            continue
        seen.add(found.bl_rna.identifier)
        yield found
        for prop in found.bl_rna.properties:
            if prop.type in {"POINTER", "COLLECTION"} and prop.identifier not in raw.READ_ONLY:
                inner = getattr(bpy.types, prop.fixed_type.identifier, None)
                if inner is not None and not issubclass(inner, bpy.types.ID):
                    waiting.append(inner)


def test_only_published_exceptions_are_not_compared() -> None:
    """What the comparison skips beyond the published list can nowhere be written; nothing is published in vain."""
    writable: dict[str, set[str]] = {}
    for kind in documented_types():
        for prop in kind.bl_rna.properties:
            if not prop.is_readonly:
                writable.setdefault(prop.identifier, set()).add(kind.bl_rna.identifier)
    assert len(writable) > 100
    assert sorted(raw.READ_ONLY.keys() & writable.keys()) == []
    names = {name.rpartition(".")[2] for name in raw.EXCEPTIONS}
    known = writable.keys() | {"annotation", "grease_pencil", "asset_data", "active_main_index"}
    assert sorted(names - known - {n for n in names if n.startswith("active_")}) == []


def in_order(root: Any) -> list[str]:
    """The names of a tree and the groups nested in it, in an order that depends on the structure alone."""
    order, waiting = list[str](), [root]
    while waiting:
        tree = waiting.pop(0)
        if tree.name not in order:
            order.append(tree.name)
            waiting += [node.node_tree for node in tree.nodes if getattr(node, "node_tree", None)]
    return order


def renamed(value: Any, names: dict[str, str]) -> Any:
    """The state with the names of node groups replaced."""
    if isinstance(value, dict):
        return {key: renamed(part, names) for key, part in value.items()}
    if isinstance(value, tuple) and len(value) == 2 and value[0] == "NODETREE":
        return ("NODETREE", names.get(value[1], value[1]))
    return [renamed(part, names) for part in value] if isinstance(value, list) else value


def give_new_identifiers(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Replaces identifiers from before Blender 4.0, which cannot be made again, in a tree's state by the new ones."""
    ends: dict[tuple[str, str], str] = {}
    for old, new in zip(before["nodes"], after["nodes"], strict=True):
        for side in ("inputs", "outputs"):
            for socket, fresh in zip(old[side], new[side], strict=True):
                if socket["identifier"].startswith(LEGACY):
                    ends[old["name"], socket["identifier"]] = socket["identifier"] = fresh["identifier"]
    for item, fresh in zip(before["interface"], after["interface"], strict=True):
        if str(item.get("identifier")).startswith(LEGACY):
            item["identifier"] = fresh["identifier"]
    before["links"] = sorted(
        (one, ends.get((one, output), output), two, ends.get((two, socket), socket), *rest)
        for one, output, two, socket, *rest in before["links"]
    )


def test_shipped_trees_come_back_in_every_property() -> None:
    total = number = 0
    wrong: list[Any] = []
    for number, tree in enumerate(shipped_trees(), 1):
        if number % EVERY:
            continue
        total += 1
        known = {group.name for group in bpy.data.node_groups}
        new = build_tree(json.loads(json.dumps(export_tree(tree))), "Rebuilt")
        names = dict(zip(in_order(new), in_order(tree), strict=True))
        before = raw.tree_state(tree)
        after = {
            names[key]: {**renamed(state, names), "name": names[key]} for key, state in raw.tree_state(new).items()
        }
        for key, state in before.items():
            give_new_identifiers(state, after[key])
        found = list(raw.differences(before, after))
        wrong += [(tree.name, found[:3])] if found else []
        for group in [g for g in bpy.data.node_groups if g.name not in known]:
            bpy.data.node_groups.remove(group)
    print(f"\n{total - len(wrong)} of {total} shipped trees equal in every writable property")
    assert wrong == []
    assert number == SHIPPED[bpy.app.version[:2]] and total == number // EVERY
