# SPDX-License-Identifier: GPL-3.0-or-later
"""Random edits of the trees that Blender ships are restored exactly, also after a fault anywhere."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from geonode_assistant.host import identity, rna, values
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.export import export_tree
from geonode_assistant.host.transaction import Transaction
from making import socket, step
from shipped import shipped_trees

EVERY = 1 if os.environ.get("GEONODE_FULL") else 12
EDITS = 12 if os.environ.get("GEONODE_FULL") else 2


def sampled() -> Iterator[Any]:
    for number, tree in enumerate(shipped_trees()):
        if number % EVERY == 0:
            yield tree


def zone_ends(tree: Any) -> set[str]:
    ends = {node.name: rna.paired_output(node) for node in tree.nodes}
    return {name for name, end in ends.items() if end} | {end.name for end in ends.values() if end}


def random_edit(draw: random.Random, tree: Any) -> dict[str, Any]:
    """An edit as plans make them, on existing nodes: values, links, new nodes, frames, removals, an interface input."""
    by_id = identity.index(tree)
    ids = list(by_id)
    zones = zone_ends(tree)
    free = [i for i in ids if by_id[i].name not in zones and by_id[i].bl_idname not in {"NodeGroupOutput", "NodeFrame"}]
    doomed = draw.sample(free, min(len(free), draw.randrange(3)))
    left = [i for i in ids if i not in doomed]
    inputs = [(i, s) for i in left for s in by_id[i].inputs if s.enabled and s.type == "VALUE"]
    new = [f"new{k}" for k in range(draw.randint(1, 5))]
    chosen = draw.sample(inputs, min(len(inputs), 4))
    return {
        "tree": tree.name,
        "create": False,
        "interface": [socket("@n", "New", "INPUT", "NodeSocketFloat", default_value=draw.random())],
        "remove": doomed,
        "add": [{"id": i, "type": "ShaderNodeMath"} for i in new] + [{"id": "frame", "type": "NodeFrame"}],
        "stamp": draw.sample(left, min(len(left), 3)),
        "labels": [[i, "Label"] for i in draw.sample(left, min(len(left), 2))],
        "props": [[i, "operation", draw.choice(["SINE", "ADD", "POWER"])] for i in new]
        + [[i, "mute", True] for i in draw.sample(left, min(len(left), 2))],
        "parents": [[i, "frame"] for i in new],
        "values": [[i, s.identifier, draw.random()] for i, s in chosen],
        "links": [[draw.choice(new), "Value", i, s.identifier] for i, s in chosen[:2]],
        "hide": [[i, s.identifier, True] for i, s in chosen[2:]],
        "locations": [[i, draw.uniform(-900, 900), draw.uniform(-900, 900)] for i in [*new, *draw.sample(left, 1)]],
    }


def text(tree_name: str) -> str:
    return json.dumps(export_tree(bpy.data.node_groups[tree_name]))


@pytest.mark.skipif(bpy.app.version < (4, 5), reason="Blender 4.2 ships few trees")
def test_edits_of_shipped_trees_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls, fuse = values.assign, [0], [0]

    def assign(owner: Any, attribute: str, value: Any) -> None:
        calls[0] += 1
        if calls[0] == fuse[0]:
            raise MemoryError("injected")
        real(owner, attribute, value)

    done = faults = 0
    for tree in sampled():
        name = tree.name
        before = text(name)
        for number in range(EDITS):
            draw = random.Random(f"{name}/{number}")
            edit = step(random_edit(draw, bpy.data.node_groups[name]))
            for fault in (False, True):
                count, calls[0], fuse[0] = calls[0], 0, draw.randint(1, max(calls[0], 1)) if fault else 0
                monkeypatch.setattr(values, "assign", assign)
                transaction = Transaction([], [name])
                try:
                    transaction.apply(edit)
                    done += 1
                except (HostError, MemoryError) as error:
                    assert fault and isinstance(error, MemoryError), (name, number, error, count)
                    faults += 1
                monkeypatch.setattr(values, "assign", real)
                assert fault or text(name) != before
                assert transaction.restore() is True, (name, number)
                assert text(name) == before, (name, number)
    assert done >= 4 and faults >= 4


@pytest.mark.skipif(bpy.app.version < (4, 5), reason="Blender 4.2 ships few trees")
def test_the_same_edit_again_changes_nothing() -> None:
    """On a shipped tree, everything that was set, linked, hidden, stamped, framed and placed stays."""
    total = 0
    for tree in sampled():
        edit = random_edit(random.Random(tree.name), tree)
        first = {**edit, "remove": [], "interface": []}
        Transaction([], [tree.name]).apply(step(first))
        after = text(tree.name)
        Transaction([], [tree.name]).apply(step({**first, "add": []}))
        assert text(tree.name) == after, tree.name
        total += 1
    assert total >= 3
