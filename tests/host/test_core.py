# SPDX-License-Identifier: GPL-3.0-or-later
"""What the core says of real trees is what Blender says: their sockets, their links, and their compact form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from geonode_assistant.host import catalogue, rna
from geonode_assistant.host.export import export_tree
from geonode_assistant.host.identity import node_ids
from shipped import shipped_trees

core = pytest.importorskip("geonode_core")

CATALOGUE = str(catalogue.SHIPPED / "{}.{}.json".format(*bpy.app.version[:2]))
# Fewest trees and nodes that are examined, by version; nested groups count once for each tree that holds them.
LEAST = {(4, 2): (20, 1_000), (4, 5): (28, 2_100), (5, 0): (28, 2_100), (5, 2): (122, 4_700)}
VIRTUAL = "NodeSocketVirtual"


@pytest.fixture(scope="module")
def bundles() -> list[dict[str, Any]]:
    """Every shipped tree as the core sees it, with the sockets that Blender shows on its nodes."""
    return list(_bundles())


def _bundles() -> Iterator[dict[str, Any]]:
    for tree in shipped_trees():
        bundle = json.loads(json.dumps(export_tree(tree)))
        sockets = {
            node_id: {"inputs": shown(node.inputs), "outputs": shown(node.outputs)}
            for node_id, node in zip(node_ids(tree), tree.nodes, strict=True)
        }
        yield {"bundle": bundle, "sockets": sockets}


def shown(sockets: Any) -> list[list[str]]:
    """Identifier, name and base type of the sockets in use, those aside that only offer to make another one."""
    kept = [s for s in sockets if s.enabled and not s.is_unavailable]
    return [[s.identifier, s.name, rna.base_type(s)] for s in kept if rna.base_type(s) != VIRTUAL]


def test_enough_is_examined(bundles: list[dict[str, Any]]) -> None:
    nodes = sum(len(tree["nodes"]) for entry in bundles for tree in entry["bundle"]["trees"].values())
    print(f"\n{len(bundles)} trees, {nodes} nodes")
    least = LEAST[bpy.app.version[:2]]
    assert len(bundles) >= least[0] and nodes >= least[1]


def test_derived_sockets_are_those_of_blender(bundles: list[dict[str, Any]]) -> None:
    wrong: list[Any] = []
    for entry in bundles:
        root = entry["bundle"]["root"]
        derived = core.sockets(entry["bundle"], CATALOGUE)[root]
        types = {node["id"]: node["type"] for node in entry["bundle"]["trees"][root]["nodes"]}
        for node_id, sides in entry["sockets"].items():
            for side, real in sides.items():
                found = [s for s in derived[node_id][side] if s[2] != VIRTUAL]
                if found != real:
                    wrong.append((root, node_id, types[node_id], side, found, real))
    assert wrong == []


def test_no_real_link_is_refused_or_made_again(bundles: list[dict[str, Any]]) -> None:
    """A plan that takes every link away and makes it again is allowed, and is no edit."""
    wrong: list[Any] = []
    for entry in bundles:
        bundle = entry["bundle"]
        ends = [
            {"from_node": a[0], "from_socket": a[1], "to_node": b[0], "to_socket": b[1]}
            for link in bundle["trees"][bundle["root"]]["links"]
            for a, b in [(link["from"], link["to"])]
        ]
        ops = [{"op": op, **end} for op in ("unlink", "link") for end in ends]
        target = {"object_name": "Cube", "modifier_name": "GN"}
        step = {
            "id": "again",
            "type": "GN_OPS",
            "description": "",
            "payload": {"v": 1, "target": target, "ops": ops},
        }
        plan = {"version": "1.1", "done": True, "final_message": "", "steps": [step]}
        result = core.reconcile(bundle, plan, CATALOGUE)
        errors = [m for m in result["messages"] if m["severity"] == "error"]
        edits = [t for s in result["steps"] for t in s.get("trees", []) if t.get("links") or t.get("unlink")]
        if errors or edits:
            wrong.append((bundle["root"], errors[:2], edits[:1]))
    assert wrong == []


def test_compact_form_is_lossless_for_structure(bundles: list[dict[str, Any]]) -> None:
    nodes = size = 0
    for entry in bundles:
        text = core.compact(entry["bundle"], CATALOGUE)
        read = core.read_compact(text, CATALOGUE)
        assert sorted(read) == sorted(entry["bundle"]["trees"])
        for name, tree in entry["bundle"]["trees"].items():
            assert structure(read[name]) == structure(tree), name
            nodes += len(tree["nodes"])
        size += len(text.encode())
    print(f"\n{size / nodes:.1f} bytes per node")
    assert size < 100 * nodes


def structure(tree: dict[str, Any]) -> dict[str, Any]:
    """The tree without places, frames, names, hidden states and values of linked inputs; links by target."""
    linked = {tuple(link["to"]) for link in tree["links"] if not link.get("muted")}
    nodes = []
    for node in tree["nodes"]:
        if node["type"] == "NodeFrame":
            continue
        kept = {key: node[key] for key in ("id", "type", "label", "pair", "props") if key in node}
        kept["items"] = node.get("items", {})
        for side in ("inputs", "outputs"):
            kept[side] = {
                socket: state["value"]
                for socket, state in node.get(side, {}).items()
                if "value" in state and not (side == "inputs" and (node["id"], socket) in linked)
            }
        nodes.append(kept)
    links: dict[tuple[str, ...], list[Any]] = {}
    for link in sorted(tree["links"], key=lambda link: link.get("sort", 0)):
        links.setdefault(tuple(link["to"]), []).append((link["from"], link.get("muted", False), "sort" in link))
    return {"settings": tree["settings"], "interface": tree["interface"], "nodes": nodes, "links": links}
