# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that answer well, badly, slowly, not at all or always the same: how each run ends, and the resulting file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.run import driver, starting
from geonode_assistant.run.report import RunReport
from whole_file import GEOMETRY, empty, end, everything, fresh_scene, lift, plan

GOOD = plan(*lift())
NOTHING = {"version": "1.1", "steps": [], "done": True, "final_message": "Nothing to do."}
PROSE = "I would love to help you with that!"
UNKNOWN = plan(*lift(node="GeometryNodeNothing"))
EMPTY = plan(*empty())
HIGHER = plan({"op": "set_input_default", "node_id": "up", "socket": "Translation", "value": [0, 0, 7]})
# Creates a node, an input and a group that the next attempt must not find.
LEFTOVERS = plan(
    *empty(),
    {"op": "set_group_io", "direction": "input", "name": "Left", "socket_type": "NodeSocketFloat"},
    {"op": "create_node", "node_id": "left", "bl_idname": "ShaderNodeMath"},
)
ON_THE_LEFT = plan({"op": "set_input_default", "node_id": "left", "socket": "Value", "value": 3})


@dataclass(frozen=True)
class Model:
    """The replies of a model, and the expected result."""

    replies: list[Any]
    status: str
    codes: set[str] = field(default_factory=set)
    """Codes, at least one of which must be that of an error."""
    attempts: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    like: tuple[Any, ...] = ()
    """Plans that, applied one after the other, make the same file."""


MODELS = {
    "good": Model([GOOD], "done", attempts=1, like=(GOOD,)),
    "bad": Model([PROSE] * 3, "error", {"invalid_json"}, 3),
    "slowly improving": Model([PROSE, UNKNOWN, EMPTY, GOOD], "done", attempts=4, settings={"retries": 3}, like=(GOOD,)),
    "one attempt too slow": Model([PROSE, UNKNOWN, EMPTY, GOOD], "error", {"gate_failed", "NOT_EMPTY"}, 3),
    "never improving": Model([EMPTY] * 3, "error", {"gate_failed", "NOT_EMPTY"}),
    "getting worse": Model([EMPTY, UNKNOWN, PROSE], "error", {"invalid_json"}, 3),
    "writes, then talks": Model([plan(*lift(), done=False), *[PROSE] * 3], "error", {"invalid_json"}),
    "writes, then fails": Model([plan(*lift(), done=False), *[UNKNOWN] * 3], "error", {"unknown_node_type"}),
    "two turns": Model([plan(*lift(), done=False), HIGHER], "done", attempts=2, like=(GOOD, HIGHER)),
    "two turns, the second at its second try": Model(
        [plan(*lift(), done=False), PROSE, HIGHER], "done", attempts=3, like=(GOOD, HIGHER)
    ),
    "never done": Model([plan(*lift(), done=False)] * 12, "error", {"iterations_exhausted"}),
    "starts afresh": Model([LEFTOVERS, GOOD], "done", attempts=2, like=(GOOD,)),
    "builds on what was taken back": Model(
        [LEFTOVERS, *[ON_THE_LEFT] * 2], "error", {"unknown_node", "target_missing"}
    ),
    "silent": Model([""] * 3, "error", {"return_invalid"}, 3),
    "silent, then good": Model(["", " \n", GOOD], "done", attempts=3, like=(GOOD,)),
    "several plans at once": Model([json.dumps(GOOD) + "\n" + json.dumps(HIGHER)] * 3, "error", {"several_plans"}, 3),
    "nothing to say": Model([], "error", {"bad_response"}, 1),
    "asks for context for ever": Model(
        [{**NOTHING, "done": False, "context_requests": [{"slice": "scene_summary"}]}] * 12,
        "error",
        {"iterations_exhausted"},
    ),
    "says it is done": Model([NOTHING], "done", attempts=1),
    "a name that does not fit": Model(
        [plan({"op": "set_group_io", "direction": "input", "name": "é" * 200, "socket_type": GEOMETRY})] * 3,
        "error",
        {"bad_name"},
    ),
    "a link to itself": Model(
        [plan(*lift(), {"op": "link", "from": end("up"), "to": end("up")})] * 3, "error", {"cycle"}
    ),
}


def drive(request: dict[str, Any]) -> RunReport:
    base = starting.request_of("lift it", "Plane", "replay")
    return driver.drive(starting.launch(base | request, None), timeout_s=60)


@pytest.fixture(autouse=True)
def scene() -> None:
    fresh_scene()
    bpy.ops.ed.undo_push(message="Start")


def mark() -> dict[str, Any]:
    """Makes an undo step of the artist's, so that one undo shows whether the run made one."""
    bpy.data.objects["Cube"].location.x += 1
    bpy.ops.ed.undo_push(message="Mark")
    return everything()


@pytest.mark.parametrize("name", MODELS)
def test_every_scripted_model_ends_as_expected(name: str) -> None:
    model = MODELS[name]
    for number, made in enumerate(model.like):
        assert api.apply_plan(made).ok, number
    expected = everything()
    fresh_scene()
    bpy.ops.ed.undo_push(message="Start")
    before = mark()
    report = drive({"replies": model.replies, "settings": model.settings})
    assert report.status == model.status, report.messages
    if model.attempts is not None:
        assert report.to_dict()["attempts"] == model.attempts
    errors = {m["code"] for m in report.messages if m["severity"] == "error"}
    assert not model.codes or errors & model.codes, report.messages
    assert bool(errors) == (model.status == "error"), report.messages
    assert everything() == (expected if model.like else before)
    assert {step["status"] for step in report.steps} <= ({"done"} if model.like else {"restored", "failed"})

    bpy.ops.ed.undo()
    marked = bpy.data.objects["Cube"].location.x != 0
    assert marked == bool(model.like), "one undo step for a run that wrote, else none"
    if model.like:
        assert everything() == before


@pytest.mark.parametrize(
    ("replies", "status", "code"),
    [
        ([{"text": "I will not.", "finish_reason": "refused"}], "error", "content_refused"),
        ([{"text": "", "finish_reason": "refused"}], "error", "content_refused"),
        ([{"text": "", "finish_reason": "truncated"}] * 3, "error", "return_invalid"),
        ([{"text": json.dumps(GOOD)[:-1], "finish_reason": "truncated"}] * 3, "error", "cut_off"),
        ([{"text": json.dumps(GOOD)[:-1], "finish_reason": "truncated"}, {"json": GOOD}], "done", None),
        ([{"error": "auth_failed"}], "error", "auth_failed"),
        ([{"error": "quota_exhausted"}], "error", "quota_exhausted"),
        ([{"error": "bad_response"}], "error", "bad_response"),
    ],
)
def test_recordings_end_as_expected(tmp_path: Path, replies: list[Any], status: str, code: str | None) -> None:
    path = tmp_path / "recording.json"
    path.write_text(json.dumps({"replay": 1, "replies": replies}))
    before = everything()
    report = drive({"base_url": str(path)})
    assert report.status == status, report.messages
    errors = {m["code"] for m in report.messages if m["severity"] == "error"}
    assert errors == ({code} if code else set()) or code in errors
    assert (everything() == before) == (status == "error")
