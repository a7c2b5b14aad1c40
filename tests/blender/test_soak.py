# SPDX-License-Identifier: GPL-3.0-or-later
"""Fifty prompts in one Blender: once the undo stack is full, memory stays where it is.

It takes up to a minute, so it belongs to ``cargo xtask test --full``.
"""

from __future__ import annotations

import os
import sys

import bpy
import pytest
from geonode_assistant import api

pytestmark = [
    pytest.mark.skipif(not os.environ.get("GEONODE_FULL"), reason="takes a minute: cargo xtask test --full"),
    pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of this process from Linux"),
]

PROMPTS = (
    "scatter {} rocks on the plane",
    "ring of {} spheres, radius 3 m",
    "row of {} cubes",
    "spiral staircase with {} steps",
)
COUNT = 50


def resident() -> float:
    """Megabytes that this process has in memory."""
    with open("/proc/self/statm", encoding="ascii") as figures:
        return int(figures.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_fifty_prompts_take_no_more_memory_than_the_undo_stack() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.ops.mesh.primitive_plane_add(size=10)
    plane = bpy.context.object
    plane.name = "Plane"
    full = bpy.context.preferences.edit.undo_steps
    assert 10 < full < COUNT - 5, "the stack is full well before the end"
    bpy.ops.ed.undo_push(message="Start")
    taken: list[float] = []
    changed = 0
    for number in range(COUNT):
        prompt = PROMPTS[number % len(PROMPTS)].format(100 + number)
        report = api.run(prompt, object="Plane", approve="all", provider="offline")
        assert report.status == "done", (prompt, report.messages)
        changed += bool(report.diff)
        # The file stays as large as it was; what was there is in the undo stack alone.
        plane = bpy.data.objects["Plane"]
        plane.modifiers.clear()
        for tree in list(bpy.data.node_groups):
            bpy.data.node_groups.remove(tree)
        bpy.ops.ed.undo_push(message="Cleared")
        taken.append(resident())
    assert changed == COUNT, "every prompt changed the file"
    # Each prompt leaves two steps.
    start = taken[full // 2 + 1]
    assert taken[-1] <= 1.05 * start, [round(value) for value in taken]
    print("growth:", round((taken[-1] / start - 1) * 100, 2), "%")
