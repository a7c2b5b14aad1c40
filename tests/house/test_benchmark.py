# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark's tasks keep to what its page promises of them."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "manifests" / "benchmark"


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


TASKS = read("tasks.json")["tasks"]
ANSWERS = read("answers.json")["answers"]
ADVANCED = {"zones", "groups", "menus", "instances"}


def test_every_task_has_answers_and_a_wrong_one() -> None:
    names = [task["id"] for task in TASKS]
    assert len(names) == len(set(names)) and set(names) == set(ANSWERS)
    for task in TASKS:
        answer = ANSWERS[task["id"]]
        assert ("page" in answer) is (task["kind"] != "refuse"), task["id"]
        assert answer["wrong"], task["id"]
        for wrong in answer["wrong"]:
            text = "\n".join(answer.get("page", ()))
            assert wrong["why"] and all(old in text for old in wrong.get("swap", ())), (task["id"], wrong)


def test_the_shares_are_as_promised() -> None:
    assert len(TASKS) == 120
    edits = sum(task["kind"] == "edit" for task in TASKS)
    refused = sum(task["kind"] == "refuse" for task in TASKS)
    advanced = sum(bool(ADVANCED & set(task["tags"])) for task in TASKS)
    assert edits >= 0.5 * len(TASKS), edits
    assert refused >= 0.05 * len(TASKS), refused
    assert advanced >= len(TASKS) / 3, advanced
    prompts = [task["prompt"] for task in TASKS]
    assert len(prompts) == len(set(prompts))


def test_scenes_come_from_builders_and_nothing_but_bpy_is_needed() -> None:
    source = (FOLDER / "builders.py").read_text(encoding="utf-8")
    makers = set(re.findall(r"@builder\ndef (\w+)\(", source))
    assert {task["scene"]["builder"] for task in TASKS} <= makers
    for name in ("score", "measure", "snapshot", "builders", "tree_making", "scene_trees"):
        tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        imported = {
            (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else alias.name.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert not {module for module in imported if module.startswith("geonode")}, name


def test_the_table_of_the_readme_is_that_of_the_results() -> None:
    spec = importlib.util.spec_from_file_location("benchmark_results", FOLDER / "results.py")
    assert spec and spec.loader
    results = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(results)
    kept = read("results.json")["results"]
    assert kept, "no result is kept"
    text = results.PAGE.read_text(encoding="utf-8")
    assert results.page(text, kept) == text
    again = {**kept[0], "seconds": -1.0, "results": []}
    assert [one["seconds"] for one in results.joined(kept, [again])].count(-1.0) == 1
    assert len(results.joined(kept, [{**again, "model": "other"}])) == len(kept) + 1
