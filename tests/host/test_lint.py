# SPDX-License-Identifier: GPL-3.0-or-later
"""The lint over every tree that Blender ships: these trees work, so each finding is a false alarm."""

from __future__ import annotations

from collections import Counter
from typing import Any

import bpy
from geonode_assistant import native
from geonode_assistant.host import catalogue, values
from geonode_assistant.host.export import export_tree
from shipped import shipped_trees

# Verified findings: the node really does nothing there.
TRUE: frozenset[tuple[str, str]] = frozenset()


def document(tree: Any) -> dict[str, Any]:
    """A document with the tree on an object without known geometry, with all inputs at their defaults."""
    bundle = export_tree(tree)
    modifier = {"name": "M", "type": "NODES", "node_group": values.block_name(tree), "inputs": {}}
    return {
        "objects": {"Any": {"type": "META", "library": False, "modifiers": [modifier]}},
        "trees": bundle["trees"],
        "tree_info": {},
        "names": {},
    }


def test_shipped_trees_raise_no_alarm() -> None:
    trees = nodes = 0
    alarms: list[str] = []
    doubts: Counter[str] = Counter()
    for tree in shipped_trees():
        trees += 1
        asked = document(tree)
        nodes += sum(len(one["nodes"]) for one in asked["trees"].values())
        for found in native.core().lints(asked, catalogue.path(), set()):
            if found["code"] == "missing_attribute" or (found["tree"], found["node"]) in TRUE:
                continue  # the artist's data has the attributes that an asset reads
            doubts[found["code"]] += 1
            if found["effectless"]:
                alarms.append(f"{tree.name}: {found['tree']}: {found['cause']}")
    print(f"{trees} trees, {nodes} nodes: {len(alarms)} alarms, {dict(doubts)}")
    assert trees > 20 or bpy.app.version < (4, 5)
    assert not alarms, "\n".join(alarms)
