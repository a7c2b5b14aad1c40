# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees as pages and back: what the page of a tree makes in an empty file is that tree."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import bpy
from geonode_assistant import native
from geonode_assistant.host import catalogue
from geonode_assistant.host.apply import apply_delta
from geonode_assistant.host.exchange import page
from geonode_assistant.host.export import export_tree
from shipped import shipped_trees

core = native.core()
CATALOGUE = str(catalogue.SHIPPED / "{}.{}.json".format(*bpy.app.version[:2]))
EMPTY = {"ir": 1, "blender": list(bpy.app.version), "root": None, "trees": {}}

# What a data-block is in its file, and how it looks in the editor.
LOOKS = frozenset(
    "use_fake_user color_tag color use_custom_color height hide label_size show_options show_preview show_texture "
    "shrink warning_propagation width default_group_node_width show_modifier_manage_panel".split()
)
# Derived from the links.
DERIVED = frozenset({"socket_idname"})
ASIDE = "·"
# How many of the shipped trees do not come back whole: a link leads to no input, which a page tells.
LOSING = {(5, 2): 2}


def exported(tree: Any) -> dict[str, Any]:
    """The bundle of a tree, without values of inputs that the mode hides."""
    bundle = json.loads(json.dumps(export_tree(tree, whole=False)))
    for name, described in bundle["trees"].items():
        group = tree if name == tree.name else bpy.data.node_groups[name]
        for node, entry in zip(group.nodes, described["nodes"], strict=True):
            shown = {s.identifier for s in node.inputs if s.enabled and not s.is_unavailable}
            entry["inputs"] = {ref: state for ref, state in entry["inputs"].items() if ref in shown}
    return dict(bundle)


def made(bundle: dict[str, Any]) -> tuple[dict[str, Any] | None, list[str]]:
    """The bundle that its page makes in a file without these trees, or the errors that it has; leaves no tree."""
    text, _ = page(bundle)
    root = bundle["root"]
    whole = f'{text}\n\napply({json.dumps(root, ensure_ascii=False)}, object="Plane")\n'
    step = {"id": "s", "type": "NODE_TREE", "description": "A tree", "payload": {"text": whole}}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    found = core.reconcile(EMPTY, plan, CATALOGUE)
    if not found["ok"]:
        return None, [f"{m['code']} {m['message']}" for m in found["messages"] if m["severity"] == "error"]
    aside = {group: group.name for group in bpy.data.node_groups if group.library is None}
    for number, group in enumerate(aside):
        group.name = f"{ASIDE}{number}"
    try:
        for delta in found["steps"]:
            apply_delta({**delta, "modifiers": [], "modifier_inputs": []})
        return exported(bpy.data.node_groups[root, None]), []
    finally:
        groups = bpy.data.node_groups
        bpy.data.batch_remove([g for g in groups if g.library is None and not g.name.startswith(ASIDE)])
        for group, name in aside.items():
            group.name = name


def interface(tree: Mapping[str, Any]) -> list[Any]:
    names = {item["identifier"]: item["name"] for item in tree["interface"]}
    kept = ("kind", "name", "in_out", "socket_type")
    return [
        [*(item.get(key) for key in kept), names.get(item.get("parent")), without(item["props"], {"bl_socket_idname"})]
        for item in tree["interface"]
    ]


def unnumbered(items: Any) -> Any:
    """Items without the numbers that Blender gives them."""
    return {name: [without(item, {"identifier"}) for item in entries] for name, entries in items.items()}


def without(props: Mapping[str, Any], keys: Any) -> dict[str, Any]:
    return {key: value for key, value in props.items() if key not in keys}


def parts(tree: Mapping[str, Any]) -> dict[str, list[str]]:
    """What a tree consists of, by class, without names of its own."""
    kinds = {node["id"]: node["type"] for node in tree["nodes"]}
    labels = {node["id"]: node.get("label", "") for node in tree["nodes"]}
    linked = {tuple(link["to"]) for link in tree["links"]}
    lists: dict[str, list[Any]] = {
        "settings": sorted(without(tree["settings"], LOOKS).items()),
        "interface": interface(tree),
        "properties": [[n["type"], without(n["props"], LOOKS | DERIVED)] for n in tree["nodes"]],
        "labels": [[n["type"], n.get("label", "")] for n in tree["nodes"]],
        "frames": [[n["type"], labels[n["parent"]]] for n in tree["nodes"] if "parent" in n],
        "items": [[n["type"], unnumbered(n.get("items", {}))] for n in tree["nodes"]],
        "links": [
            [kinds[k["from"][0]], kinds[k["to"][0]], k.get("muted", False), k.get("sort")] for k in tree["links"]
        ],
        "values": [
            [n["type"], re.sub(r"_\d+$", "", socket), state["value"]]
            for n in tree["nodes"]
            for socket, state in n["inputs"].items()
            if "value" in state
            and (n["id"], socket) not in linked
            and n["type"] not in {"NodeReroute", "GeometryNodeGroup"}
        ],
    }
    ordered = {"interface"}
    return {
        name: [json.dumps(e, sort_keys=True) for e in (found if name in ordered else sorted(found, key=json.dumps))]
        for name, found in lists.items()
    }


def lines(text: str) -> list[str]:
    """The lines of a page. Where names repeat, the numbers behind them follow the order in which nodes were made, and
    so do the nodes in a frame.
    """
    found = re.sub(r"_\d{3}\b", "_N", text).splitlines()
    return [", ".join(sorted(line.split(", "))) if "= frame(" in line else line for line in found]


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What differs, as class and words."""
    for name, tree in before["trees"].items():
        now = after["trees"].get(name)
        if now is None:
            yield "tree", name
            continue
        one, other = parts(tree), parts(now)
        for kind in one:
            if one[kind] != other[kind]:
                gone, new = Counter(one[kind]) - Counter(other[kind]), Counter(other[kind]) - Counter(one[kind])
                yield kind, f"{name}: - {list(gone)[:3]} + {list(new)[:3]}"
    first, second = (lines(page(dict(bundle))[0]) for bundle in (before, after))
    gone, new = Counter(first) - Counter(second), Counter(second) - Counter(first)
    yield from (("page", f"- {line}") for line in gone)
    yield from (("page", f"+ {line}") for line in new)


def test_shipped_trees_come_back_whole() -> None:
    found: dict[str, list[str]] = {}
    count = whole = 0
    for tree in shipped_trees():
        bundle = exported(tree)
        count += 1
        after, errors = made(bundle)
        told = page(bundle)[1]
        # What a page cannot say it tells.
        lines = [("error", error) for error in errors if not told]
        if after is not None:
            lines = list(differences(bundle, after))
        whole += after is not None and not lines
        for kind, line in lines:
            found.setdefault(kind, []).append(f"{tree.name}: {line}")
    print(f"\n{whole} of {count} shipped trees come back whole")
    assert not found, "\n".join(f"{kind}: {line}"[:600] for kind, lines in found.items() for line in lines[:8])
    assert count - whole <= LOSING.get(bpy.app.version[:2], 0), f"{whole} of {count}"
