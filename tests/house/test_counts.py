# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the library has, wherever a page says it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAID = {
    "README.md": r"understands (\d+) kinds of prompts",
    "addon/docs/presets.md": r": (\d+) presets\.",
    "addon/docs/CHANGELOG.md": r"makes (\d+) kinds of things",
}


def test_pages_say_how_many_presets_there_are() -> None:
    folder = ROOT / "rust" / "planner" / "presets"
    count = sum("\n[plan]" in path.read_text(encoding="utf-8") for path in folder.glob("*.toml"))
    assert count > 50
    for page, pattern in SAID.items():
        assert re.findall(pattern, (ROOT / page).read_text(encoding="utf-8")) == [str(count)], page
