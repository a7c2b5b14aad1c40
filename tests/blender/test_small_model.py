# SPDX-License-Identifier: GPL-3.0-or-later
"""A real small model drives the whole loop once: constrained replies, application, gates, feedback.

SmolLM2 hardly ever plans what the prompt asks for, so the run may end either way; everything else must work.
It takes minutes of one core, so it belongs to ``cargo xtask test --full``.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import bpy
import pytest
from geonode_assistant import api

sys.path.insert(0, str(Path(__file__).parents[1] / "provider"))

pytestmark = pytest.mark.skipif(not os.environ.get("GEONODE_FULL"), reason="takes minutes: cargo xtask test --full")


def scene() -> str:
    """The data that a run could leave behind, as text."""
    trees = {tree.name: api.export_tree(tree) for tree in bpy.data.node_groups}
    modifiers = {thing.name: [m.name for m in thing.modifiers] for thing in bpy.data.objects}
    blocks = [sorted(getattr(bpy.data, name).keys()) for name in ("objects", "meshes", "materials", "collections")]
    return json.dumps([trees, modifiers, blocks], sort_keys=True)


def test_a_small_model_drives_the_whole_loop() -> None:
    import geonode_core
    import peers

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_plane_add()
    before = scene()
    threads = threading.active_count()
    written: list[str] = []
    states: list[str] = []

    def hear(event: dict) -> None:
        if event["event"] == "text":
            written.append(event["text"])
        if event["event"] == "state":
            states.append(event["state"])

    with peers.started("model") as urls:
        report = api.run(
            "subdivide the plane 3 times",
            provider="openai-compatible",
            model="smollm2",
            base_url=urls["model"],
            approve="all",
            on_event=hear,
            timeout_s=900,
            settings={"retries": 1, "max_iterations": 1, "max_tokens": 700, "temperature": 0, "timeout_s": 600},
        )
    assert report.status in ("done", "error"), report.messages
    assert "".join(written), "the plan was streamed"
    # The form for small windows has some hundred tokens.
    assert report.usage["input_tokens"] > 300
    assert report.usage["output_tokens"] > 10
    codes = set(geonode_core.error_codes())
    assert {message["code"] for message in report.messages} <= codes
    assert states[0] == "generating"
    assert states[-1] == report.status
    # The form of a plan is forced: what can be wrong with a whole one is what only this Blender or this scene knows.
    if report.plan is not None:
        assert geonode_core.validate_plan(report.plan)["ok"], report.plan
    if report.status == "error":
        assert report.error["code"] in codes
        assert scene() == before
    else:
        assert report.gates is None or report.gates["success"]
    assert threading.active_count() == threads
