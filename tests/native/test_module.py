# SPDX-License-Identifier: GPL-3.0-or-later
"""The functions, errors and types of the native module."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

import geonode_core
import pytest
from scripted_host import MOVE, Host, plan, socket

BUNDLE = {
    "ir": 1,
    "blender": [5, 2, 3],
    "root": "Made",
    "trees": {
        "Made": {
            "settings": {},
            "interface": [
                {
                    "kind": "socket",
                    "identifier": f"Socket_{n}",
                    "name": "Geometry",
                    "in_out": side,
                    "socket_type": "NodeSocketGeometry",
                    "props": {},
                }
                for n, side in ((0, "INPUT"), (1, "OUTPUT"))
            ],
            "nodes": [
                {"id": "Group Input", "name": "Group Input", "type": "NodeGroupInput"},
                {"id": "Group Output", "name": "Group Output", "type": "NodeGroupOutput"},
            ],
            "links": [{"from": ["Group Input", "Socket_0"], "to": ["Group Output", "Socket_1"]}],
        }
    },
}


def test_validate_plan_takes_text_and_dict() -> None:
    for given in (plan(*MOVE), json.dumps(plan(*MOVE)), f"```json\n{json.dumps(plan(*MOVE))}\n```"):
        verdict = geonode_core.validate_plan(given)
        assert verdict["ok"], verdict
        assert verdict["plan"]["version"] == "1.2"
    refused = geonode_core.validate_plan("{]")
    assert not refused["ok"]
    assert refused["plan"] is None
    assert set(refused["messages"][0]) >= {"severity", "code", "path", "message"}


def test_validate_plan_knows_the_nodes_of_a_blender(catalogue: str) -> None:
    wrong = plan(*MOVE, {"op": "create_node", "node_id": "a", "bl_idname": "GeometryNodeTransfrom"})
    assert geonode_core.validate_plan(wrong)["ok"]
    verdict = geonode_core.validate_plan(wrong, Path(catalogue))
    assert [m["code"] for m in verdict["messages"] if m["severity"] == "error"] == ["unknown_node_type"]
    as_dict = json.loads(Path(catalogue).read_text())
    assert geonode_core.validate_plan(wrong, as_dict) == verdict
    assert geonode_core.validate_plan(plan(*MOVE), catalogue)["ok"]


def test_validate_plan_assumes_that_a_complete_tree_is_new(catalogue: str) -> None:
    node = {"op": "create_node", "node_id": "up", "bl_idname": "GeometryNodeTransform"}
    into = {"op": "link", "from": socket("group_input", "Geometry"), "to": socket("up", "Geometry")}
    out = {"op": "link", "from": socket("up", "Geometry"), "to": socket("group_output", "Geometry")}
    verdict = geonode_core.validate_plan(plan(node, into, out), catalogue)
    assert verdict["ok"], verdict["messages"]
    wrong = {"op": "link", "from": socket("group_input", "Nothing Like It"), "to": socket("up", "Geometry")}
    verdict = geonode_core.validate_plan(plan(node, wrong, out), catalogue)
    assert [m["code"] for m in verdict["messages"] if m["severity"] == "error"] == ["unknown_socket"]
    # A node that the plan does not create belongs to an unknown tree with an unknown interface.
    edit = {"op": "set_input_default", "node_id": "theirs", "socket": "Scale", "value": [1, 1, 2]}
    assert geonode_core.validate_plan(plan(node, edit, wrong, out), catalogue)["ok"]


def test_validate_plan_with_a_document_judges_by_its_trees(catalogue: str, host: Host) -> None:
    host.trees["Made"] = BUNDLE["trees"]["Made"]
    document = host.inspect({"objects": ["Plane"], "trees": ["Made"]})
    edit = plan({"op": "set_input_default", "node_id": "theirs", "socket": "Scale", "value": [1, 1, 2]})
    verdict = geonode_core.validate_plan(edit, catalogue, document)
    assert [m["code"] for m in verdict["messages"] if m["severity"] == "error"] == ["unknown_node"]
    away = plan(*MOVE, object_name="Nobody")
    verdict = geonode_core.validate_plan(away, catalogue, document)
    assert verdict["ok"]
    assert [(m["severity"], m["code"]) for m in verdict["messages"]] == [("warning", "unknown_object")]


def test_validate_plan_assumes_that_scene_data_exists(catalogue: str) -> None:
    edit = plan({"op": "set_property", "node_id": "yours", "property": "operation", "value": "ADD"})
    assert geonode_core.validate_plan(edit, catalogue)["ok"]


def test_reconcile_gives_the_smallest_edit(catalogue: str) -> None:
    proposal = plan(
        {"op": "create_node", "node_id": "move", "bl_idname": "GeometryNodeTransform"},
        {"op": "link", "from": socket("group_input", "Geometry"), "to": socket("move", "Geometry")},
        {"op": "link", "from": socket("move", "Geometry"), "to": socket("group_output", "Geometry")},
    )
    result = geonode_core.reconcile(BUNDLE, proposal, catalogue)
    assert result["ok"], result["messages"]
    [step] = result["steps"]
    [edit] = step["trees"]
    assert [node["id"] for node in edit["add"]] == ["move"]
    assert len(edit["links"]) == 2
    assert result["diff"]
    again = geonode_core.reconcile({**BUNDLE, "trees": result["trees"]}, proposal, catalogue)
    # Only stamps remain, which Blender skips for nodes that already have theirs.
    left = [set(edit) - {"tree", "create", "stamp"} for step in again["steps"] for edit in step.get("trees", [])]
    assert not any(left)


def test_reconcile_refuses_missing_nodes(catalogue: str) -> None:
    result = geonode_core.reconcile(BUNDLE, plan({"op": "delete_node", "node_id": "group_output"}), catalogue)
    assert "trees" in result
    wrong = plan({"op": "set_property", "node_id": "nobody", "property": "mode", "value": "X"})
    result = geonode_core.reconcile(BUNDLE, wrong, catalogue)
    assert not result["ok"]
    assert "unknown_node" in {message["code"] for message in result["messages"]}
    assert result["steps"] == []
    assert result["trees"] == BUNDLE["trees"] or result["trees"]["Made"]["links"] == BUNDLE["trees"]["Made"]["links"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: geonode_core.reconcile("{}", {}, "{}"),
        lambda: geonode_core.validate_plan({}, "/nowhere.json") and geonode_core.validate_plan(plan(), "/nowhere.json"),
        lambda: geonode_core.schema("nothing"),
        lambda: geonode_core.validate_plan(object()),
        lambda: geonode_core.validate_plan("\ud800"),
        lambda: geonode_core.Client("replay"),
        lambda: geonode_core.Client("openai-compatible", base_url="http://127.0.0.1:1/v1").send([]),
        lambda: geonode_core.Client("openai-compatible", base_url="http://127.0.0.1:1/v1").send([{"role": "usr"}]),
        lambda: geonode_core.Client("openai-compatible", base_url="http://127.0.0.1:1/v1", timeout_s=0),
        lambda: geonode_core.Client("openai-compatible", base_url="http://127.0.0.1:1/v1", timeout_s=float("nan")),
        lambda: geonode_core.Client("nobody"),
    ],
)
def test_every_error_is_a_core_error_with_a_known_code(call) -> None:
    with pytest.raises(geonode_core.CoreError) as caught:
        call()
    error = caught.value
    assert error.code in geonode_core.error_codes()
    assert error.message
    assert error.retryable is False
    assert f"[{error.code}]" in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.code, copy.message) == (type(error), error.code, error.message)


def test_deep_values_are_refused_not_fatal() -> None:
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(geonode_core.ProtocolError) as caught:
        geonode_core.validate_plan({"steps": deep})
    assert caught.value.code == "too_deep"
    refused = geonode_core.validate_plan("[" * 100_000)
    assert not refused["ok"]


def test_the_classes_of_errors() -> None:
    for name in ("ProtocolError", "PolicyError", "PatchError", "ProviderError", "ScriptTimeout", "Cancelled"):
        assert issubclass(getattr(geonode_core, name), geonode_core.CoreError)
    assert geonode_core.InternalError.__module__ == "geonode_core"
    with pytest.raises(geonode_core.PolicyError):
        geonode_core.Client("openai-compatible", base_url="http://example.com/v1")


def test_settings_are_described() -> None:
    by_name = {setting["name"]: setting for setting in geonode_core.settings()}
    assert by_name["retries"]["default"] == 2
    assert all(setting["doc"] for setting in by_name.values())


def test_schemas_and_codes() -> None:
    assert geonode_core.schema("plan")["type"] == "object"
    assert geonode_core.schema("tree_ir")["required"] == ["ir", "blender", "trees"]
    codes = geonode_core.error_codes()
    assert {"SINGLE_GROUP_OUTPUT", "prompt_empty", "provider_missing", "unknown"} <= set(codes)
    assert len(codes) == len(set(codes))
    assert geonode_core.version()["protocol"] == ["1.0", "1.1", "1.2"]


def test_fingerprints_depend_on_request_and_recipient() -> None:
    request = {"messages": [{"role": "user", "content": "hello"}], "provider": "anthropic"}
    print_ = geonode_core.fingerprint(request)
    assert print_ == "5a63278aa8361ad404adc17376d29148b20d444cba56b0d8c58d278ec8e38aa5"
    assert geonode_core.fingerprint(dict(reversed(request.items()))) == print_
    assert geonode_core.fingerprint({**request, "model": "m"}) != print_
    for wrong in ({}, {"messages": []}, {**request, "colour": 1}, {**request, "tool_filter": {"only": ["x"]}}):
        with pytest.raises(geonode_core.ProtocolError) as caught:
            geonode_core.fingerprint(wrong)
        assert caught.value.code == "body_invalid"


def test_an_endpoint_that_is_down_is_named() -> None:
    client = geonode_core.Client("openai-compatible", base_url="http://127.0.0.1:9/v1", model="m", max_retries=0)
    with pytest.raises(geonode_core.ProviderError) as caught:
        client.send([{"role": "user", "content": "hello"}])
    assert (caught.value.code, caught.value.retryable) == ("network", True)
    assert "127.0.0.1:9" in caught.value.message


def test_a_recording_is_replayed(tmp_path: Path) -> None:
    recording = tmp_path / "replies.json"
    replies = [{"text": "one", "usage": {"input_tokens": 3, "output_tokens": 1}}, {"json": {"a": 1}}]
    recording.write_text(json.dumps({"replay": 1, "model": "recorded", "replies": replies}))
    client = geonode_core.Client("replay", base_url=str(recording))
    reply = client.send([{"role": "user", "content": "x"}])
    assert (reply.text, reply.finish_reason, reply.model) == ("one", "done", "recorded")
    assert reply.usage["input_tokens"] == 3
    events = list(client.stream([{"role": "user", "content": "x"}]))
    assert [event["type"] for event in events][-1] == "end"
    assert json.loads("".join(event["text"] for event in events if event["type"] == "text")) == {"a": 1}


def test_cancel_from_another_thread(tmp_path: Path) -> None:
    recording = tmp_path / "replies.json"
    recording.write_text(json.dumps({"replay": 1, "replies": [{"text": "late", "delay_ms": 60_000}]}))
    client = geonode_core.Client("replay", base_url=str(recording))
    threading.Timer(0.1, client.cancel).start()
    started = time.monotonic()
    with pytest.raises(geonode_core.Cancelled):
        client.send([{"role": "user", "content": "x"}])
    assert time.monotonic() - started < 10


def test_the_import_loads_only_json() -> None:
    code = "import sys; before = set(sys.modules); import geonode_core; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) == {"geonode_core", "geonode_core.geonode_core"}


def test_the_stubs_match_the_module(tmp_path: Path) -> None:
    stubtest = Path(sysconfig.get_path("scripts"), "stubtest")
    if not stubtest.exists():
        pytest.skip("mypy is not installed here")
    allowed = tmp_path / "allowed"
    allowed.write_text("geonode_core.geonode_core\n")
    ran = subprocess.run(
        [stubtest, "geonode_core", "--allowlist", allowed], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert ran.returncode == 0, ran.stdout
