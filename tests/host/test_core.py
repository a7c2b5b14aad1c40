# SPDX-License-Identifier: GPL-3.0-or-later
"""The core agrees with Blender about shipped trees: sockets, links and compact form."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Iterator
from typing import Any

import bpy
import geonode_core as core
import pytest
from geonode_assistant.host import catalogue, identity, rna
from geonode_assistant.host.context import capture_context
from geonode_assistant.host.export import export_tree
from shipped import shipped_trees

CATALOGUE = str(catalogue.SHIPPED / "{}.{}.json".format(*bpy.app.version[:2]))
# The numbers of trees that each version ships and of their nodes; nested groups count once for each containing tree.
SHIPPED = {(4, 2): (28, 3_969), (4, 5): (28, 3_969), (5, 0): (56, 5_941), (5, 2): (122, 9_199)}
VIRTUAL = "NodeSocketVirtual"
# What the core cannot know, and does not need to:
# a reroute takes the type of what feeds it, so the catalogue has a type that links to and from everything;
REROUTE = "NodeReroute"
# Blender numbers the items of a Viewer but shows nobody the number, so their sockets are known by name.
VIEWER = "GeometryNodeViewer"


@pytest.fixture(scope="module")
def bundles() -> list[dict[str, Any]]:
    """Every shipped tree as the core sees it, with the sockets that Blender shows on its nodes."""
    return list(_bundles())


def _bundles() -> Iterator[dict[str, Any]]:
    for tree in shipped_trees():
        bundle = json.loads(json.dumps(export_tree(tree)))
        sockets = {
            node_id: {"inputs": shown(node.inputs), "outputs": shown(node.outputs)}
            for node_id, node in zip(identity.node_ids(tree), tree.nodes, strict=True)
        }
        yield {"bundle": bundle, "sockets": sockets}


def shown(sockets: Any) -> list[list[str]]:
    """Identifier, name and base type of the sockets, without those that only serve to add another one."""
    kept = [s for s in sockets if s.enabled and not s.is_unavailable]
    return [[s.identifier, s.name, rna.base_type(s)] for s in kept if rna.base_type(s) != VIRTUAL]


def test_everything_that_is_shipped_is_examined(bundles: list[dict[str, Any]]) -> None:
    nodes = sum(len(tree["nodes"]) for entry in bundles for tree in entry["bundle"]["trees"].values())
    assert (len(bundles), nodes) == SHIPPED[bpy.app.version[:2]]


def test_derived_sockets_are_those_of_blender(bundles: list[dict[str, Any]]) -> None:
    wrong: list[Any] = []
    examined = 0
    for entry in bundles:
        root = entry["bundle"]["root"]
        derived = core.sockets(entry["bundle"], CATALOGUE)[root]
        types = {node["id"]: node["type"] for node in entry["bundle"]["trees"][root]["nodes"]}
        for node_id, sides in entry["sockets"].items():
            for side, real in sides.items():
                found = [s for s in derived[node_id][side] if s[2] != VIRTUAL]
                if types[node_id] == REROUTE:
                    found, real = [s[:2] for s in found], [s[:2] for s in real]
                elif types[node_id] == VIEWER and side == "inputs":
                    found, real = [s[1:] for s in found], [s[1:] for s in real]
                examined += len(real)
                if found != real:
                    wrong.append((root, node_id, types[node_id], side, found, real))
    print(f"\n{examined} sockets")
    assert wrong == []
    assert examined > 1_000


def test_no_existing_link_is_refused_or_recreated(bundles: list[dict[str, Any]]) -> None:
    """A plan that removes every link and recreates it is allowed and gives an empty edit."""
    wrong: list[Any] = []
    links = 0
    for entry in bundles:
        bundle = entry["bundle"]
        tree = bundle["trees"][bundle["root"]]
        viewers = {node["id"] for node in tree["nodes"] if node["type"] == VIEWER}
        ends = [
            {"from_node": a[0], "from_socket": a[1], "to_node": b[0], "to_socket": b[1]}
            for a, b in ((link["from"], link["to"]) for link in tree["links"])
            if b[0] not in viewers
        ]
        links += len(ends)
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
    print(f"\n{links} links")
    assert wrong == []
    assert links > 1_000


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


def test_every_shipped_tree_has_a_page(bundles: list[dict[str, Any]]) -> None:
    pages: dict[tuple[str, int], str] = {}
    losses: set[str] = set()
    seconds = 0.0
    for entry in bundles:
        bundle = entry["bundle"]
        before = time.perf_counter()
        page = core.tree_text(bundle, CATALOGUE)
        seconds += time.perf_counter() - before
        assert page == core.tree_text(bundle, CATALOGUE)
        losses.update(page["losses"])
        names = sorted(bundle["trees"], key=lambda name: name != bundle["root"])
        parts = page["text"].split("\n\n\n")
        assert len(parts) == len(names)
        for name, part in zip(names, parts, strict=True):
            tree = bundle["trees"][name]
            pages[name, len(tree["nodes"])] = part
            assert_every_node_is_on(tree, part)
        ast.parse(core.tree_text(bundle, CATALOGUE, full=True)["text"])
    nodes = sum(count for _, count in pages)
    size = sum(map(len, pages.values()))
    print(f"\n{len(pages)} trees, {nodes} nodes: {size / nodes:.1f} characters a node; {seconds:.2f} s")
    print(f"not said: {losses}")
    assert size < 101 * nodes
    # A Viewer's sockets are known by name; the ends of a curve's view are no property of the catalogue.
    # Files of older versions have negative numbers where Blender counts now.
    known = ("“Viewer”", "mapping.clip_max_y", "is outside of its range")
    assert all(any(word in loss for word in known) for loss in losses), losses


def assert_every_node_is_on(tree: dict[str, Any], page: str) -> None:
    """Each node has one assignment, zone or function on the page, and each link is a use of a name or a call."""
    made = 0
    for step in ast.walk(ast.parse(page)):
        if isinstance(step, ast.Assign):
            made += isinstance(step.targets[0], ast.Name)
        elif isinstance(step, ast.With):
            made += 2
        elif isinstance(step, ast.FunctionDef):
            made += 2
    # The function of the group stands for the ends that the page does not spell out.
    ends = {node["type"] for node in tree["nodes"]} & {"NodeGroupInput", "NodeGroupOutput"}
    assert made - 2 + len(ends) == len(tree["nodes"]), page


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


def test_the_context_names_the_nodes_that_matter(starter: None) -> None:
    obj = bpy.context.view_layer.objects.active
    tree = bpy.data.node_groups.new("Focus", "GeometryNodeTree")
    for name in ("first", "second", "third"):
        tree.nodes.new("ShaderNodeMath").name = name
        tree.nodes[name].select = name == "second"
    identity.stamp(tree.nodes["third"], "made")
    obj.modifiers.new("GN", "NODES").node_group = tree
    context = capture_context(obj.name, "GN")
    assert context["tree_focus"] == {"selected": ["second"], "touched": ["made"]}
    assert "1 first:Math\n" in core.compact(context["tree"], CATALOGUE)
