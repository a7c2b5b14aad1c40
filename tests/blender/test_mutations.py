# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans with mistakes that no one would think of: valid plans with fields dropped, doubled, swapped and given other
types. Checking one never raises and writes nothing; a run of one ends as done, or leaves the file as it was.

The plans and the trees that they are for are those of the core's own cases. ``GEONODE_FULL=1`` plays hundreds of seeds,
else ``SHARE``; ``GEONODE_SEED`` plays one, ``GEONODE_SEEDS`` that many.
"""

from __future__ import annotations

import copy
import json
import os
import random
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.host.errors import HostError
from geonode_assistant.run import session
from whole_file import everything

pytestmark = pytest.mark.usefixtures("untried")

CASES = Path(__file__).parents[2] / "rust" / "graph" / "tests" / "plans"
SHARE = 24
FULL_SEEDS = 500
STRANGE = (
    None, True, 0, -1, 2**63, 1e308, 0.5, "", " ", "\0", "ß" * 70, "group_output", "Geometry", "NodeSocketFloat",
    "GeometryNodeMeshCube", "GeometryNodeRepeatInput", "ShaderNodeBsdfPrincipled", [], {}, [[]], [0, 0, 0], ["a", 1],
    {"object": "Cube"}, {"node_group": "GN"}, {"attribute": "a"},
)  # fmt: skip


def cases() -> list[dict[str, Any]]:
    """The core's cases in which the plan is without a mistake: each document with its plan."""
    found = []
    for folder in sorted(CASES.iterdir()):
        case, plan, expected = (
            json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in ("case", "plan", "expected")
        )
        if all(outcome["deltas"] for outcome in expected.values()):
            found.append({"document": case["document"], "plan": plan})
    return found


def build_scene(document: dict[str, Any]) -> bool:
    """Makes the trees and objects of a document; False if this Blender cannot have them."""
    session.current.reset("")
    described, trees = document.get("objects", {}), document.get("trees", {})
    e2e.build_start({"objects": [{"name": name, "primitive": "cube", "size": 1} for name in described]}, None)
    for name in trees:
        if name in bpy.data.node_groups:
            continue
        try:
            api.build_tree({"ir": 1, "root": name, "trees": copy.deepcopy(trees)})
        except HostError:
            return False
    for name, thing in described.items():
        for modifier in thing.get("modifiers", []):
            made = bpy.data.objects[name].modifiers.new(modifier["name"], modifier["type"])
            if modifier.get("node_group"):
                made.node_group = bpy.data.node_groups.get(modifier["node_group"])
    bpy.context.view_layer.update()
    return True


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all parts of a plan."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [place for key, part in inner for place in places(part, (*path, key))]


def at(plan: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        plan = plan[key]
    return plan


def mutated(dice: random.Random, plan: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Any]:
    """The plan with one mistake or two."""
    plan = copy.deepcopy(plan)
    for _ in range(dice.choice((1, 1, 2))):
        # Deeper parts are where operations are; the rest is refused by its form.
        found = [path for path in places(plan) if len(path) > 3] or places(plan)
        path = dice.choice(found)
        owner, key = at(plan, path[:-1]), path[-1]
        match dice.randrange(7):
            case 0:
                del owner[key]
            case 1 if isinstance(owner, list):
                owner.insert(dice.randint(0, len(owner)), copy.deepcopy(owner[key]))
            case 2:
                there = dice.choice(found)
                other, name = at(plan, there[:-1]), there[-1]
                if path != there[: len(path)] and there != path[: len(there)]:
                    owner[key], other[name] = other[name], owner[key]
            case 3 if isinstance(owner, list):
                dice.shuffle(owner)
            case 4:
                # A part of the same kind from another plan.
                theirs = dice.choice(others)["plan"]
                alike = [one for one in places(theirs) if one[-1] == key]
                if alike:
                    owner[key] = copy.deepcopy(at(theirs, dice.choice(alike)))
            case 5 if isinstance(owner, dict):
                owner[dice.choice(("id", "node_id", "op", "value", "socket", "name", "extra"))] = dice.choice(STRANGE)
            case _:
                owner[key] = copy.deepcopy(dice.choice(STRANGE))
    return plan


def fault(seed: int, every: list[dict[str, Any]]) -> tuple[str, str | None]:
    """How a mutated plan ended, and what was wrong with it."""
    dice = random.Random(seed)
    case = dice.choice(every)
    if not build_scene(case["document"]):
        return "not built", None
    plan = mutated(dice, case["plan"], every)
    before = everything()
    checked = api.check_plan(plan)
    if everything() != before:
        return "checked", "checking it wrote"
    report = api.apply_plan(plan, approve="all", settings={"allow_empty_result": True})
    after = everything()
    if report.status == "done":
        if any(name.startswith(".geonode") for name in after["trees"]):
            return "done", "copies are left"
        return "done", None if checked.ok else "refused when checked, and done"
    if any(message["code"] == "internal_error" for message in report.messages):
        return report.status, str(report.messages)
    return report.status, None if after == before else "not as it was"


def seeds() -> range:
    if one := os.environ.get("GEONODE_SEED"):
        return range(int(one), int(one) + 1)
    return range(int(os.environ.get("GEONODE_SEEDS") or (FULL_SEEDS if os.environ.get("GEONODE_FULL") else SHARE)))


def test_mutated_plans_end_as_done_or_leave_the_file_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    every = cases()
    assert len(every) > 40
    ended: dict[str, int] = {}
    wrong = []
    for seed in seeds():
        if os.environ.get("GEONODE_FULL"):
            with capsys.disabled():
                print(seed, flush=True)  # the last one before a crash
        how, what = fault(seed, every)
        ended[how] = ended.get(how, 0) + 1
        if what:
            wrong.append(f"seed {seed}: {how}: {what}")
    assert not wrong, "\n".join(wrong)
    assert sum(ended.values()) > 2 * ended.get("not built", 0), ended
    if os.environ.get("GEONODE_FULL"):
        with capsys.disabled():
            print(ended)
