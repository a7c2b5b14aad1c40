# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipes of `rust/CONTRIBUTING.md` name files and tests that exist, and count the files that they list."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "rust" / "CONTRIBUTING.md"

# The folders and files at the top of the project that a path may begin with.
TOP = {"README.md", "addon", "manifests", "rust", "tests"}

# Placeholders that a reader fills in: a name, or the next free number.
PLACEHOLDER = re.compile(r"NAME|NNN")


def named(text: str) -> set[str]:
    """Every path from the top of the project in backticks, with the test after ``::`` if there is one."""
    words = [word for code in re.findall(r"`([^`\n]+)`", text) for word in code.split()]
    return {word for word in words if word.partition("/")[0] in TOP}


def missing(reference: str) -> bool:
    """Whether a file, folder or test does not exist; for a placeholder, its folder is checked."""
    place, _, test = reference.partition("::")
    path = ROOT / place
    if PLACEHOLDER.search(path.name):
        return path.exists() or not path.parent.is_dir()
    if not test:
        return not path.exists()
    return not path.is_file() or not re.search(rf"(?:fn|def) {test}\(", path.read_text(encoding="utf-8"))


def test_the_check_for_paths_finds_what_is_missing() -> None:
    text = "`tests/house/gone.py`, `cargo x -- python tests/gone/NAME.py` and `tests/house/test_recipes.py::test_gone`"
    assert len(named(text)) == 3 and all(map(missing, named(text)))
    there = "`tests/house/NAME.py`, `rust/CONTRIBUTING.md`, `tests/house/test_recipes.py::named`, `and/or`"
    assert len(named(there)) == 3 and not any(map(missing, named(there)))


def test_every_file_and_test_that_a_recipe_names_exists() -> None:
    references = named(PAGE.read_text(encoding="utf-8"))
    assert len([one for one in references if "::" not in one]) > 20, f"only {references} were examined"
    assert sum("::" in one for one in references) > 10
    assert sorted(filter(missing, references)) == []


def test_recipes_count_the_files_that_they_list() -> None:
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    recipes = [section for section in sections if section.startswith("Add ")]
    assert len(recipes) == 6, [section.partition("\n")[0] for section in sections]
    for recipe in recipes:
        heading, _, rest = recipe.partition("\n")
        rows = [int(number) for number in re.findall(r"^\| (\d+) \|", rest, re.MULTILINE)]
        assert rows == list(range(1, len(rows) + 1)), heading
        # A recipe whose last rows are only sometimes needed has two figures.
        figures = [int(figure) for figure in re.findall(r"\d+", heading)]
        optional = len(re.findall(r"^\| \d+ \|[^|]*\bonly\b", rest, re.MULTILINE))
        assert figures == sorted({len(rows) - optional, len(rows)}), heading
