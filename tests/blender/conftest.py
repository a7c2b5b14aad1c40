# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the add-on in a real Blender; run them with each supported version's Python."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "addon"), str(Path(__file__).parent)]

from geonode_assistant.run import choices, session  # noqa: E402

# What these test is our own: runs, cards, files and estimates, for which Blender is the ground and not the subject. The
# oldest and the newest Blender find what differs; those between them run these with `--full`, or when named.
_OUR_OWN = ("along_one_curve", "card", "command", "follow_ups", "gallery", "kept_presets", "manifest_runs",
            "preset_costs", "preset_files", "resume", "trials")  # fmt: skip
_IS_WHOLE = bool(os.environ.get("GEONODE_FULL"))
_IS_BETWEEN = (4, 3) < bpy.app.version < (5, 1) and not _IS_WHOLE
if _IS_BETWEEN:
    collect_ignore = [f"test_{name}.py" for name in _OUR_OWN]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a check with many cases the newest Blender runs all, and each older one a third, another in each, and never
    none, unless files or words are named: what only these find, others of the same check find too. Presets, and trees
    and files (`tests/host`), are tested everywhere as a whole.
    """
    named = config.getoption("keyword") or any(".py" in one for one in config.args)
    if bpy.app.version >= (5, 1) or _IS_WHOLE or named:
        return
    third = 2 if bpy.app.version < (4, 3) else 0 if bpy.app.version < (5, 0) else 1
    checks: dict[str, list[pytest.Item]] = {}
    for item in items:
        whole = item.path.parent.name == "host" or item.path.name == "test_presets.py"
        checks.setdefault(item.nodeid if whole else item.nodeid.partition("[")[0], []).append(item)
    kept: set[pytest.Item] = set()
    for cases in checks.values():
        share = [item for item in cases if zlib.crc32(item.nodeid.encode()) % 3 == third]
        kept.update(cases if len(cases) < 3 else share or cases[:1])
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


@pytest.fixture(autouse=True)
def own_session() -> Iterator[None]:
    """Gives each test a session in which nothing was run, and ends its run afterwards."""
    session.current.reset("")
    yield
    session.current.close()
    session.current.reset("")


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets scripts run without the trial in the sandbox, which ``test_trials`` is about."""
    settings = choices.settings
    monkeypatch.setattr(choices, "settings", lambda: {**settings(), "try_scripts": "never"})
