# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface ordered as it is already: nothing moves, and no undo step is left."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from editing import gn_ops, put_on_plane, run
from geonode_assistant.host import undo
from whole_file import GEOMETRY


def order(tree: Any) -> list[tuple[str, str]]:
    return [(item.identifier if item.item_type == "SOCKET" else item.name, item.parent.name) for item in _items(tree)]


def _items(tree: Any) -> list[Any]:
    return [item for item in tree.interface.items_tree if item.parent is not None]


@pytest.mark.parametrize("inside", [True, False])
def test_items_of_one_name_do_not_change_places(inside: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    tree = bpy.data.node_groups.new("A", "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type=GEOMETRY)
    panel = tree.interface.new_panel("P")
    for parent in (None, panel, None):
        tree.interface.new_socket("a", in_out="INPUT", socket_type="NodeSocketFloat", parent=parent)
    ends = [tree.nodes.new(f"NodeGroup{side}") for side in ("Input", "Output")]
    tree.links.new(ends[0].outputs[0], ends[1].inputs[0])
    put_on_plane(tree)
    steps: list[int] = []
    monkeypatch.setattr(undo, "note_step", lambda: steps.append(1))
    items = [{"output": "Geometry", "depth": 0}, {"input": "Geometry", "depth": 0}, {"panel": "P", "depth": 0}]
    items += [{"input": "a", "depth": 1}] if inside else []
    items += [{"input": "a", "depth": 0}]
    plan = gn_ops({"op": "arrange_interface", "items": items})
    assert run(plan).ok
    after, count = order(tree), len(steps)
    for _ in range(2):
        report = run(plan)
        assert report.ok, report.messages
        assert order(tree) == after and len(steps) == count
