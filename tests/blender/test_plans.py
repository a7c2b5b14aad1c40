# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan fixtures of the graph crate, carried out in Blender.

A plan that compiles is applied, and changes nothing when applied again; a refused plan changes nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.host import undo
from geonode_assistant.host.errors import HostError

FIXTURES = Path(__file__).parents[2] / "rust" / "graph" / "tests" / "plans"
VERSION = "{}.{}".format(*bpy.app.version[:2])
CASES = sorted(folder.name for folder in FIXTURES.iterdir())


def test_there_are_fixtures() -> None:
    assert len(CASES) >= 25


@pytest.mark.parametrize("name", CASES)
def test_a_plan_does_what_was_compiled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = json.loads((FIXTURES / name / "case.json").read_text(encoding="utf-8"))
    plan = json.loads((FIXTURES / name / "plan.json").read_text(encoding="utf-8"))
    expected = json.loads((FIXTURES / name / "expected.json").read_text(encoding="utf-8")).get(VERSION)
    if any(tree.get("library") for tree in case["document"].get("tree_info", {}).values()):
        pytest.skip("linked trees are in test_artists_trees.py")
    try:
        _open(case["document"])
    except HostError:
        if expected is not None:
            raise
        pytest.skip("its tree needs another Blender")
    before = _state()
    report = api.apply_plan(plan, approve="all")
    if expected is None:
        # Written for other versions: whatever comes of it, the file is whole.
        assert report.status in {"done", "error"}
    elif expected["deltas"]:
        codes = [message["code"] for message in report.messages if message["severity"] == "error"]
        # A gate may refuse what compiles (nothing evaluated, say); then nothing is left of it.
        refused_by_gates = all(code.isupper() or code == "gate_failed" for code in codes)
        assert report.status == "done" or refused_by_gates, report.messages
    else:
        assert report.status == "error"
        wrong = {finding["code"] for finding in expected["findings"] if finding["severity"] == "error"}
        assert wrong <= {message["code"] for message in report.messages}
    if report.status != "done":
        assert _state() == before
        return
    after = _state()
    steps: list[bool] = []
    monkeypatch.setattr(undo, "note_step", lambda: steps.append(True))
    again = api.apply_plan(plan, approve="all")
    assert again.status == "done", again.messages
    assert again.diff == [] and steps == []
    assert _state() == after


def _open(document: dict[str, Any]) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=False)
    rock = bpy.data.objects.new("Rock", bpy.data.meshes.new("Rock"))
    bpy.context.scene.collection.objects.link(rock)
    left = dict(document["trees"])
    while left:
        # Groups before the trees that use them.
        name = next(name for name, tree in left.items() if not _groups(tree) & (left.keys() - {name}))
        api.build_tree({"ir": 1, "blender": list(bpy.app.version), "root": name, "trees": {name: left.pop(name)}})
    for name, described in document["objects"].items():
        for modifier in described["modifiers"]:
            made = bpy.data.objects[name].modifiers.new(modifier["name"], modifier["type"])
            made.node_group = bpy.data.node_groups[modifier["node_group"]]


def _groups(tree: dict[str, Any]) -> set[str]:
    """The groups that nodes of a tree use."""
    used = [node.get("props", {}).get("node_tree") for node in tree["nodes"]]
    return {one["node_group"] for one in used if isinstance(one, dict) and one.get("node_group")}


def _state() -> tuple[Any, ...]:
    trees = [api.export_tree(group) for group in sorted(bpy.data.node_groups, key=lambda group: group.name)]
    return trees, [(m.name, m.type) for m in bpy.data.objects["Cube"].modifiers], sorted(bpy.data.objects.keys())
