# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the guide are those that the window tests take, and each is shown."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "addon/docs"


def test_every_picture_is_taken_by_a_window_test_and_shown() -> None:
    page = (DOCS / "first-steps.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]{10,}\]\(pictures/(\w+)\.png\)", page)
    assert len(shown) > 4 and shown == [*dict.fromkeys(shown)]
    assert {path.stem for path in (DOCS / "pictures").glob("*.png")} == set(shown)
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/window").glob("test_*.py"))
    taken = set(re.findall(r'photograph\("(\w+)"\)', tests))
    assert set(shown) <= taken, set(shown) - taken
    for name in shown:
        data = (DOCS / "pictures" / f"{name}.png").read_bytes()
        assert data.startswith(b"\x89PNG") and 10_000 < len(data) < 400_000, name
