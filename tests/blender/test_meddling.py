# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits by the artist while a run is under way, and plans of absurd size, with the real core."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.run import session

GEOMETRY = "NodeSocketGeometry"
MOMENTS = 9  # steps of the run before somebody meddles; it is over before the last


def plan(operations: list[dict[str, Any]], name: str = "Lift") -> dict[str, Any]:
    target = {"object_name": "Plane", "modifier_name": name, "node_group_name": name}
    payload = {"target": target, "operations": operations}
    step = {"id": "lift", "type": "NODE_TREE", "description": "Move everything up", "payload": payload}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "Lifted."}


def lift(*more: dict[str, Any], height: float = 2.0) -> list[dict[str, Any]]:
    """The operations of a tree that moves its geometry up."""
    ends = [("group_input", "up"), ("up", "group_output")]
    return [
        *(
            {"op": "set_group_io", "direction": d, "name": "Geometry", "socket_type": GEOMETRY}
            for d in ("input", "output")
        ),
        {"op": "create_node", "node_id": "up", "bl_idname": "GeometryNodeTransform"},
        {"op": "set_input_default", "node_id": "up", "socket": "Translation", "value": [0, 0, height]},
        *more,
        *(
            {"op": "link", "from": {"node_id": a, "socket": "Geometry"}, "to": {"node_id": b, "socket": "Geometry"}}
            for a, b in ends
        ),
    ]


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}]}, None)
    assert api.apply_plan(plan(lift(height=1.0))).ok
    bpy.ops.ed.undo_push(message="Start")
    geonode_assistant.register()
    yield
    session.current.close()
    geonode_assistant.unregister()


def _undo() -> None:
    bpy.ops.ed.undo()


def _delete_object() -> None:
    bpy.data.objects.remove(bpy.data.objects["Plane"])


def _rename_object() -> None:
    bpy.data.objects["Plane"].name = "Other"


def _delete_tree() -> None:
    bpy.data.node_groups.remove(bpy.data.node_groups["Lift"])


def _rename_tree() -> None:
    bpy.data.node_groups["Lift"].name = "Other"


def _delete_modifier() -> None:
    bpy.data.objects["Plane"].modifiers.clear()


def _rename_modifier() -> None:
    bpy.data.objects["Plane"].modifiers[0].name = "Other"


def _delete_node() -> None:
    nodes = bpy.data.node_groups["Lift"].nodes
    nodes.remove(nodes["up"])


def _new_file() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


HANDS = [
    _undo,
    _delete_object,
    _rename_object,
    _delete_tree,
    _rename_tree,
    _delete_modifier,
    _rename_modifier,
    _delete_node,
    _new_file,
]


def _next_step(handle: api.RunHandle) -> None:
    """Goes on until something has happened, however long a busy machine takes."""
    deadline = time.monotonic() + 10
    while not handle.finished and not handle.pending and not handle.poll(0) and time.monotonic() < deadline:
        time.sleep(0.002)


@pytest.mark.parametrize("meddle", HANDS, ids=lambda hand: hand.__name__.strip("_"))
def test_a_run_ends_cleanly_whatever_the_artist_does(meddle: Callable[[], None]) -> None:
    moments: set[tuple[str, bool]] = set()
    reply = json.dumps(
        plan([{"op": "set_input_default", "node_id": "up", "socket": "Translation", "value": [0, 0, 7]}])
    )
    bpy.ops.ed.undo_push(message="Before")
    for moment in range(MOMENTS):
        handle = api.start("lift", object="Plane", provider="replay", replies=[reply], approve="ask")
        for _ in range(moment):
            _next_step(handle)
        moments.add((handle.state, handle.half_written))
        meddle()
        deadline = time.monotonic() + 30
        while not handle.finished and time.monotonic() < deadline:
            handle.poll()
            for request in list(handle.pending):
                handle.approve(request)
            time.sleep(0.002)
        assert handle.finished, moment
        report = handle.report()
        assert report.status in {"done", "error", "cancelled"}
        if report.status == "error":
            codes = {message["code"] for message in report.messages if message["severity"] == "error"}
            assert codes and "internal_error" not in codes, (moment, report.messages)
        assert [g.name for g in bpy.data.node_groups if g.name.startswith(".")] == [], moment
        bpy.context.view_layer.update()
        session.current.close()
        e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}]}, None)
        assert api.apply_plan(plan(lift(height=1.0))).ok
        bpy.ops.ed.undo_push(message="Again")
    assert len(moments) > 2, f"the run was disturbed at different moments: {moments}"


def nested(depth: int) -> str:
    text = json.dumps(plan(lift({"op": "set_input_default", "node_id": "up", "socket": "Scale", "value": "DEEP"})))
    return text.replace('"DEEP"', "[" * depth + "]" * depth)


ABSURD: list[tuple[str, Callable[[], Any], str]] = [
    (
        "100,000 operations",
        lambda: plan(
            lift(*[{"op": "create_node", "node_id": f"n{k}", "bl_idname": "ShaderNodeMath"} for k in range(100_000)])
        ),
        "too_many_operations",
    ),
    ("10,000 levels", lambda: nested(10_000), "too_deep"),
    ("a million levels", lambda: nested(1_000_000), "too_deep"),
    ("not a number", lambda: json.dumps(plan(lift(height=float("nan")))), "non_finite_number"),
    ("infinite", lambda: json.dumps(plan(lift(height=float("inf")))), "non_finite_number"),
    ("too large a number", lambda: json.dumps(plan(lift(height=1e300))), "non_finite_number"),
    ("a tree's name of 1,000 bytes", lambda: plan(lift(), "é" * 500), "bad_name"),
]


@pytest.mark.parametrize(("make", "code"), [a[1:] for a in ABSURD], ids=[a[0] for a in ABSURD])
def test_absurd_plans_are_refused_and_change_nothing(make: Callable[[], Any], code: str) -> None:
    before = e2e.document()
    start = time.process_time()
    report = api.apply_plan(make())
    assert time.process_time() - start < 20
    assert report.status == "error"
    found = {message["code"] for message in report.messages if message["severity"] == "error"}
    assert code in found, report.messages
    assert e2e.document() == before
