# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations and step types that scripts add: validated, applied, checked and undone like the built-in ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import geonode_core
import pytest
from geonode_assistant import api
from geonode_assistant.messages import AssistantError


class Lift:
    """Moves the geometry up with a node, its value and two links."""

    schema = {
        "type": "object",
        "description": "Moves what the tree gets up by `height`.",
        "properties": {
            "node_id": {"type": "string", "minLength": 1},
            "height": {"type": "number"},
        },
        "required": ["node_id", "height"],
    }

    def expand(self, action_type: str, fields: dict[str, Any]) -> list[dict[str, Any]]:
        name, height = fields["node_id"], fields["height"]
        if height < 0:
            raise ValueError("a negative height would sink it")
        if action_type == "GN_OPS":
            return [
                {"op": "set_input", "node_id": name, "socket_name": "Translation", "value": [0, 0, height]},
            ]
        ends = ("group_input", name, "group_output")
        links = [
            {"op": "link", "from": {"node_id": a, "socket": "Geometry"}, "to": {"node_id": b, "socket": "Geometry"}}
            for a, b in zip(ends, ends[1:], strict=False)
        ]
        return [
            {"op": "create_node", "node_id": name, "bl_idname": "GeometryNodeTransform"},
            {"op": "set_input_default", "node_id": name, "socket": "Translation", "value": [0, 0, height]},
            *links,
        ]


class Rename:
    """Labels every node of a tree, and also creates an empty object."""

    schema = {
        "type": "object",
        "properties": {"tree": {"type": "string"}, "label": {"type": "string"}, "fail": {"type": "boolean"}},
        "required": ["tree", "label"],
        "additionalProperties": False,
    }

    def targets(self, payload: dict[str, Any]) -> dict[str, list[str]]:
        return {"objects": ["Cube"], "trees": [payload["tree"]]}

    def execute(self, payload: dict[str, Any]) -> str:
        bpy.context.scene.collection.objects.link(bpy.data.objects.new("Marker", bpy.data.meshes.new("Marker")))
        nodes = bpy.data.node_groups[payload["tree"]].nodes
        for node in nodes:
            node.label = payload["label"]
        if payload.get("fail"):
            raise RuntimeError("half done")
        return f"labelled {len(nodes)} nodes"


def plan(kind: str, payload: dict[str, Any], *more: dict[str, Any]) -> dict[str, Any]:
    steps = [{"id": "one", "type": kind, "description": "d", "payload": payload}, *more]
    return {"version": "1.1", "steps": steps, "done": True, "final_message": "Done."}


def tree_plan(*operations: dict[str, Any]) -> dict[str, Any]:
    target = {"object_name": "Cube", "modifier_name": "Nodes", "node_group_name": "Made"}
    return plan("NODE_TREE", {"target": target, "operations": list(operations)})


LIFT = {"op": "lift", "node_id": "up", "height": 2}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add()
    api.register_op("lift", Lift())
    api.register_executor("RENAME", Rename())
    yield
    api.unregister("lift")
    api.unregister("RENAME")


def codes(report: Any) -> dict[str, str]:
    return {message["code"]: message.get("path", "") for message in report.messages}


def test_an_added_operation_is_expanded_to_built_in_ones() -> None:
    report = api.apply_plan(tree_plan(LIFT))
    assert report.ok, report.messages
    tree = bpy.data.node_groups["Made"]
    assert {n.bl_idname for n in tree.nodes} == {"NodeGroupInput", "NodeGroupOutput", "GeometryNodeTransform"}
    target = {"object_name": "Cube", "modifier_name": "Nodes"}
    report = api.apply_plan(plan("GN_OPS", {"v": 1, "target": target, "ops": [{**LIFT, "height": 5}]}))
    assert report.ok, report.messages
    move = next(n for n in tree.nodes if n.bl_idname == "GeometryNodeTransform")
    assert move.inputs["Translation"].default_value[2] == 5
    assert api.apply_plan(tree_plan({**LIFT, "height": 5})).diff == []


@pytest.mark.parametrize(
    ("operation", "code", "path"),
    [
        ({"op": "lift", "node_id": "up"}, "missing_field", "/steps/0/payload/operations/1/height"),
        ({**LIFT, "height": "high"}, "wrong_type", "/steps/0/payload/operations/1/height"),
        ({**LIFT, "depth": 1}, "unknown_field", "/steps/0/payload/operations/1/depth"),
        ({**LIFT, "height": -1}, "operation_failed", "/steps/0/payload/operations/1"),
        ({"op": "lfit", "height": 1}, "unknown_op", "/steps/0/payload/operations/1/op"),
    ],
)
def test_mistakes_in_an_added_operation_are_reported_at_their_path(
    operation: dict[str, Any], code: str, path: str
) -> None:
    checked = api.check_plan(tree_plan(LIFT, operation))
    assert not checked.ok
    assert (code, path) in [(m["code"], m["path"]) for m in checked.messages]


def test_findings_of_preflight_point_into_the_text_of_the_plan() -> None:
    wrong = {"op": "set_property", "node_id": "up", "property": "nothing_like_it", "value": 1}
    checked = api.check_plan(tree_plan(LIFT, wrong))
    assert [m["path"] for m in checked.messages] == ["/steps/0/payload/operations/1/property"]
    # The ID is taken by a node of another type: what the operation stands for does not fit.
    cube = {"op": "create_node", "node_id": "up", "bl_idname": "GeometryNodeMeshCube"}
    checked = api.check_plan(tree_plan(cube, LIFT))
    assert {m["path"] for m in checked.messages} == {"/steps/0/payload/operations/1"}
    assert all('"lift"' in m["message"] for m in checked.messages)


def test_an_added_step_type_runs_in_the_transaction_of_the_run() -> None:
    assert api.apply_plan(tree_plan(LIFT)).ok
    report = api.apply_plan(plan("RENAME", {"tree": "Made", "label": "Mine"}))
    assert report.ok, report.messages
    assert report.steps[0]["action_type"] == "RENAME"
    assert report.steps[0]["message"] == "labelled 3 nodes"
    assert {n.label for n in bpy.data.node_groups["Made"].nodes} == {"Mine"}
    assert "Marker" in bpy.data.objects


def test_a_failing_executor_leaves_the_file_unchanged() -> None:
    assert api.apply_plan(tree_plan(LIFT)).ok
    before = api.export_tree(bpy.data.node_groups["Made"])
    blocks = sorted(o.name for o in [*bpy.data.objects, *bpy.data.meshes, *bpy.data.node_groups])
    report = api.apply_plan(plan("RENAME", {"tree": "Made", "label": "Mine", "fail": True}))
    assert report.status == "error"
    assert "half done" in report.error["text"]
    assert api.export_tree(bpy.data.node_groups["Made"]) == before
    assert sorted(o.name for o in [*bpy.data.objects, *bpy.data.meshes, *bpy.data.node_groups]) == blocks


@pytest.mark.parametrize(
    "answer", [None, ["Made"], {"objects": "Cube"}, {"trees": [3]}, {"objects": {"Cube": 1}}, {"tree": ["Made"]}]
)
def test_targets_of_another_form_end_the_run_with_words(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert api.apply_plan(tree_plan(LIFT)).ok
    before = api.export_tree(bpy.data.node_groups["Made"])
    monkeypatch.setattr(Rename, "targets", lambda self, payload: answer)
    report = api.apply_plan(plan("RENAME", {"tree": "Made", "label": "Mine"}))
    assert report.status == "error"
    assert (
        report.error["code"] == "extension_invalid" and "targets() of the executor of 'RENAME'" in report.error["text"]
    )
    assert api.export_tree(bpy.data.node_groups["Made"]) == before


def test_a_payload_that_does_not_fit_is_refused() -> None:
    report = api.apply_plan(plan("RENAME", {"tree": 3}))
    assert codes(report)["wrong_type"] == "/steps/0/payload/tree"
    assert codes(report)["missing_field"] == "/steps/0/payload/label"


def test_an_executor_can_require_approval_for_each_step() -> None:
    api.unregister("RENAME")
    asking = Rename()
    asking.requires_approval = True
    api.register_executor("RENAME", asking)
    assert api.apply_plan(tree_plan(LIFT)).ok
    proposal = plan("RENAME", {"tree": "Made", "label": "Mine"})
    assert "approval_required" in codes(api.apply_plan(proposal))
    requests: list[dict[str, Any]] = []
    report = api.apply_plan(proposal, approve=lambda request: requests.append(request) or "approved")
    assert report.ok, report.messages
    assert "RENAME" in requests[0]["reason"]


def test_schemas_for_models_contain_added_operations_and_step_types() -> None:
    text = str(geonode_core.schema("plan"))
    assert "'lift'" in text
    assert "'RENAME'" in text
    api.unregister("lift")
    assert "'lift'" not in str(geonode_core.schema("plan"))


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("lift", {"type": "object"}),
        ("create_node", {"type": "object"}),
        ("add_frame", {"type": "object"}),
        ("Lift", {"type": "object"}),
        ("", {"type": "object"}),
        ("lower", {"type": "array"}),
        ("lower", {"type": "object", "properties": {"op": {}}}),
        ("lower", {"type": "object", "properties": {"x": {"type": "nothing"}}}),
        ("lower", None),
    ],
)
def test_invalid_extensions_are_refused(name: str, schema: Any) -> None:
    class Strategy(Lift):
        pass

    Strategy.schema = schema
    with pytest.raises((AssistantError, geonode_core.ProtocolError)) as raised:
        api.register_op(name, Strategy())
    assert raised.value.code == "extension_invalid"
    if name != "lift":
        assert not api.unregister(name)


def test_an_added_operation_cannot_expand_to_another_added_one() -> None:
    class Twice(Lift):
        def expand(self, action_type: str, fields: dict[str, Any]) -> list[dict[str, Any]]:
            return [{"op": "twice", **fields}]

    api.register_op("twice", Twice())
    try:
        checked = api.check_plan(tree_plan({**LIFT, "op": "twice"}))
        assert [m["code"] for m in checked.messages] == ["unknown_op"]
    finally:
        api.unregister("twice")
