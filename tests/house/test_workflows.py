# SPDX-License-Identifier: GPL-3.0-or-later
"""The public CI runs nothing that could change behind our back, and builds what the project can build."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_actions_are_pinned_to_a_commit_with_its_release_beside_it() -> None:
    used = [line for file in WORKFLOWS for line in file.read_text().splitlines() if re.search(r"\buses:", line)]
    assert used
    for line in used:
        assert re.fullmatch(r"\s*(- )?uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_every_platform_is_built() -> None:
    known = re.findall(r'#\[value\(name = "([\w-]+)"\)\]', (ROOT / "rust/xtask/src/wheels/mod.rs").read_text())
    text = "".join(file.read_text() for file in WORKFLOWS)
    built = re.findall(r"platform: ([\w-]+)", text) + re.findall(r"--platform ([\w-]+)", text)
    assert known and sorted(built) == sorted(known)
