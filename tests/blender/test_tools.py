# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools on a real scene: their results, that they write nothing, and models that call them before planning."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.host import export, model_tools, values
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import driver, session, tools
from geonode_assistant.run.report import RunReport

MOVE = {
    "version": "1.1",
    "steps": [
        {
            "id": "move",
            "type": "NODE_TREE",
            "description": "Move it up",
            "payload": {
                "target": {"object_name": "Cube", "modifier_name": "Up", "node_group_name": "Up"},
                "operations": [
                    {"op": "set_group_io", "direction": way, "name": "Geometry", "socket_type": "NodeSocketGeometry"}
                    for way in ("input", "output")
                ]
                + [
                    {"op": "create_node", "node_id": "up", "bl_idname": "GeometryNodeTransform"},
                    {"op": "set_input_default", "node_id": "up", "socket": "Translation", "value": [0, 0, 2]},
                ]
                + [
                    {
                        "op": "link",
                        "from": {"node_id": a, "socket": "Geometry"},
                        "to": {"node_id": b, "socket": "Geometry"},
                    }
                    for a, b in (("group_input", "up"), ("up", "group_output"))
                ],
            },
        }
    ],
    "done": True,
    "final_message": "It is up.",
}


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.name = "Cube"
    session.current = session.Session()
    yield
    session.current.close()


def with_tree() -> None:
    report = api.apply_plan(MOVE)
    assert report.ok, report.messages


def call(name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"id": name, "name": name, "arguments": arguments or {}}


def ask(*replies: Any, approve: Any = None) -> RunReport:
    handle = api.start("move it up", "Cube", "replay", replies=replies, approve=approve)
    return driver.drive(handle)


def state() -> str:
    groups = [values.block_name(group) for group in bpy.data.node_groups]
    blocks = {
        kind: [block.name for block in getattr(bpy.data, kind)] for kind in ("objects", "meshes", "scenes", "worlds")
    }
    shown = [obj.hide_render for obj in bpy.data.objects]
    return json.dumps([export.export_trees(groups)["trees"], blocks, shown], sort_keys=True)


def test_each_tool_reads_the_scene_and_writes_nothing() -> None:
    with_tree()
    before = state()
    wanted = {
        "scene_summary": {},
        "modifier_stack": {"object_name": "Cube"},
        "tree_ir": {"node_group_name": "Up"},
        "geometry_stats": {},
        "node_docs": {"bl_idname": "GeometryNodeDistributePointsOnFaces"},
        "search_nodes": {"query": "distribute points"},
        "search_presets": {"query": "scatter rocks"},
    }
    done = {"version": "1.1", "steps": [], "done": True, "final_message": "Looked."}
    report = ask({"tool_calls": [call(name, arguments) for name, arguments in wanted.items()]}, done)
    assert report.ok, report.messages
    assert [step["tool"] for step in report.intermediate_steps] == list(wanted)
    assert all(step["ok"] for step in report.intermediate_steps), report.intermediate_steps
    told = {step["tool"]: step["output"] for step in report.intermediate_steps}
    assert [obj["name"] for obj in told["scene_summary"]["objects"]] == ["Cube"]
    assert "tree" not in told["scene_summary"]
    assert told["modifier_stack"]["modifiers"][0]["node_group"] == "Up"
    assert told["tree_ir"]["tree"].startswith("def up(") and "2.0" in told["tree_ir"]["tree"]
    assert told["geometry_stats"]["evaluated"]["mesh"]["vertices"] == 8
    assert told["geometry_stats"]["evaluated"]["bounds"][0][2] == pytest.approx(1.0)
    names = {one.split(":")[0] for one in told["node_docs"]["nodes"][0]["inputs"]}
    assert {"mesh", "density"} <= names and "distance_min" not in names
    assert "GeometryNodeDistributePointsOnFaces" in [one["bl_idname"] for one in told["search_nodes"]["nodes"]]
    assert 'apply("' in told["search_presets"]["presets"][0]["page"]
    assert state() == before


def test_three_calls_and_a_plan_are_one_run() -> None:
    looked = [call("modifier_stack"), call("geometry_stats"), call("node_docs", {"query": "Transform Geometry"})]
    report = ask({"tool_calls": looked}, MOVE)
    assert report.ok, report.messages
    assert [step["ok"] for step in report.intermediate_steps] == [True] * 3
    assert bpy.data.objects["Cube"].modifiers[0].node_group.name == "Up"


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("modifier_stack", {"object_name": "Nobody"}, "unknown_object"),
        ("geometry_stats", {"object_name": "Nobody"}, "unknown_object"),
        ("tree_ir", {"node_group_name": "Nothing"}, "unknown_node_group"),
        ("tree_ir", {}, "unknown_node_group"),
    ],
)
def test_missing_names_are_reported(name: str, arguments: dict[str, Any], code: str) -> None:
    report = ask({"tool_calls": [call(name, arguments)]}, MOVE)
    assert report.ok, report.messages
    assert report.intermediate_steps[0]["output"]["code"] == code


def test_a_picture_is_small_and_leaves_no_data() -> None:
    with_tree()
    before = state()
    seen = {}
    for view in ("perspective", "front", "side", "top"):
        shown = model_tools.take_picture({"view": view}, {"object": "Cube"})
        seen[view] = base64.b64decode(shown["image"]["data"])
        assert seen[view].startswith(b"\x89PNG") and len(seen[view]) < 300_000
        assert (shown["width"], shown["height"]) == model_tools.PICTURE_SIZE
    assert seen["perspective"] != seen["front"]
    assert state() == before


@pytest.fixture
def rocks() -> Iterator[list[dict[str, Any]]]:
    asked: list[dict[str, Any]] = []

    def count(arguments: dict[str, Any]) -> dict[str, Any]:
        asked.append(arguments)
        if arguments.get("fail"):
            raise RuntimeError("a secret place")
        return {"count": len(bpy.data.objects)}

    schemas = (
        {"type": "object", "properties": {"fail": {"type": "boolean"}}, "additionalProperties": False},
        {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
    )
    api.register_tool("count_objects", "Counts the objects.", *schemas, count)
    api.register_tool("ask_first", "Counts, after a question.", *schemas, count, requires_approval=True)
    yield asked
    assert api.unregister("count_objects") and api.unregister("ask_first")
    assert not api.unregister("count_objects")


def test_a_tool_of_a_script(rocks: list, caplog: pytest.LogCaptureFixture) -> None:
    made = [call("count_objects"), call("count_objects", {"fail": True}), call("count_objects", {"x": 1})]
    with caplog.at_level(logging.ERROR):
        report = ask({"tool_calls": made}, MOVE)
    assert report.ok, report.messages
    outputs = [step["output"] for step in report.intermediate_steps]
    assert outputs[0] == {"count": 1}
    assert [output.get("code") for output in outputs] == [None, "internal_error", "tool_validation_error"]
    assert "Traceback" not in json.dumps(report.to_dict())
    assert "a secret place" in caplog.text and "Traceback" in caplog.text
    assert rocks == [{}, {"fail": True}]


def test_a_tool_connects_only_to_hosts_in_its_egress() -> None:
    asked: list[str] = []

    def fetch(arguments: dict[str, Any]) -> dict[str, Any]:
        asked.append(arguments["host"])
        api.tool_egress(arguments["host"])
        return {}

    schemas = ({"type": "object", "properties": {"host": {"type": "string"}}}, {"type": "object"})
    api.register_tool("fetch", "Fetches.", *schemas, fetch, egress=["Assets.example"])
    try:
        made = [call("fetch", {"host": host}) for host in ("assets.example", "evil.example")]
        report = ask({"tool_calls": made}, MOVE)
    finally:
        api.unregister("fetch")
    assert asked == ["assets.example", "evil.example"]
    assert [step["output"].get("code") for step in report.intermediate_steps] == [None, "egress_denied"]
    with pytest.raises(AssistantError, match="No tool is running"):
        api.tool_egress("assets.example")


@pytest.mark.parametrize(("decision", "code"), [("approved", None), ("rejected", "user_rejected")])
def test_a_tool_call_waits_for_the_artists_approval(rocks: list, decision: str, code: str | None) -> None:
    requests = []

    def approve(request: dict[str, Any]) -> str:
        requests.append(request)
        return decision

    report = ask({"tool_calls": [call("ask_first"), call("count_objects")]}, MOVE, approve=approve)
    assert report.ok, report.messages
    assert requests[0]["tool"]["id"] == "ask_first"
    assert [step["output"].get("code") for step in report.intermediate_steps] == [code, None]


def test_one_listing_names_tools_step_types_and_operations(rocks: list) -> None:
    listed = {(entry["kind"], entry["id"]) for entry in api.tools()}
    assert {("tool", "tree_ir"), ("tool", "picture"), ("tool", "count_objects")} <= listed
    with pytest.raises(AssistantError) as caught:
        api.register_tool("x", "d", {"type": "object"}, {"type": "object"}, "no function")  # type: ignore[arg-type]
    assert caught.value.code == "extension_invalid"


def test_the_host_knows_every_tool_that_needs_it() -> None:
    needed = {entry["id"] for entry in api.tools() if entry["kind"] == "tool" and entry["runs"] == "host"}
    assert needed == set(model_tools.TOOLS)
    assert tools.call_all([{"tool": "gone", "arguments": {}}], {})[0]["error"]["code"] == "unknown_tool"


def test_the_interface_shows_calls() -> None:
    from geonode_assistant.ui import log

    view = session.Session()
    record = {"event": "tool", "tool": "node_docs", "call_id": "c1"}
    view.fold([record | {"status": "running"}, record | {"status": "done", "input": {"query": "noise"}, "ok": True}])
    assert [log.call_line(one) for one in view.tools] == ["node docs: noise"]
    assert view.tools[0]["status"] == "done"
