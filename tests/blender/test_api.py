# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripting surface in a real Blender with the real core."""

from __future__ import annotations

import copy
import math
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import choices, driver, online, session, starting
from geonode_assistant.ui import polling

PLAN: dict[str, Any] = {
    "version": "1.1",
    "steps": [
        {
            "id": "lift",
            "type": "NODE_TREE",
            "description": "Move everything up",
            "payload": {
                "target": {"object_name": "Plane", "modifier_name": "Lift", "node_group_name": "Lift"},
                "operations": [
                    {
                        "op": "set_group_io",
                        "direction": "input",
                        "name": "Geometry",
                        "socket_type": "NodeSocketGeometry",
                    },
                    {
                        "op": "set_group_io",
                        "direction": "output",
                        "name": "Geometry",
                        "socket_type": "NodeSocketGeometry",
                    },
                    {"op": "create_node", "node_id": "up", "bl_idname": "GeometryNodeTransform"},
                    {"op": "set_input_default", "node_id": "up", "socket": "Translation", "value": [0, 0, 2]},
                    {
                        "op": "link",
                        "from": {"node_id": "group_input", "socket": "Geometry"},
                        "to": {"node_id": "up", "socket": "Geometry"},
                    },
                    {
                        "op": "link",
                        "from": {"node_id": "up", "socket": "Geometry"},
                        "to": {"node_id": "group_output", "socket": "Geometry"},
                    },
                ],
            },
        }
    ],
    "done": True,
    "final_message": "Lifted.",
}


def nested(levels: int) -> dict[str, Any]:
    """Objects in objects."""
    outer: dict[str, Any] = {}
    for _ in range(levels):
        outer = {"inner": outer}
    return outer


def endless() -> dict[str, Any]:
    """An object that contains itself."""
    outer: dict[str, Any] = {}
    outer["inner"] = outer
    return outer


def changed_plan(**operation: Any) -> dict[str, Any]:
    """The plan with one more operation before the links."""
    plan = copy.deepcopy(PLAN)
    plan["steps"][0]["payload"]["operations"].insert(4, operation)
    return plan


@pytest.fixture(autouse=True)
def scene() -> None:
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}]}, None)
    bpy.ops.ed.undo_push(message="Start")


def top() -> float:
    """The height of the plane's evaluated top."""
    evaluated = bpy.data.objects["Plane"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return max(vertex.co.z for vertex in evaluated.to_mesh().vertices)


def test_a_plan_is_one_undo_step() -> None:
    before = e2e.document()
    report = api.apply_plan(PLAN)
    assert report.ok, report.messages
    assert report.final_message == "Lifted."
    assert [step["status"] for step in report.steps] == ["done"]
    assert top() == pytest.approx(2)
    after = e2e.document()
    assert after != before
    bpy.ops.ed.undo()
    assert e2e.document() == before
    bpy.ops.ed.redo()
    assert e2e.document() == after


def test_applying_a_plan_again_changes_nothing() -> None:
    assert api.apply_plan(PLAN).ok
    before = e2e.document()
    assert api.apply_plan(PLAN).ok
    assert e2e.document() == before


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        ("", "invalid_json"),
        ("{", "cut_off"),
        ({"version": "1.1"}, "missing_field"),
        ({**PLAN, "extra": 1}, "unknown_field"),
        (changed_plan(op="create_node", node_id="x", bl_idname="GeometryNodeTeapot"), "unknown_node_type"),
        (changed_plan(op="set_input_default", node_id="up", socket="Nose", value=1), "unknown_socket"),
        (changed_plan(op="set_input_default", node_id="nobody", socket="Scale", value=1), "unknown_node"),
        (changed_plan(op="paint"), "unknown_op"),
        ({**PLAN, "extra": math.nan}, "non_finite_number"),
        (changed_plan(op="set_input_default", node_id="up", socket="Scale", value=-math.inf), "non_finite_number"),
        ({**PLAN, "extra": nested(500)}, "too_deep"),
        (nested(100_000), "too_deep"),
        (endless(), "too_deep"),
        ({**PLAN, "extra": {1}}, "unknown_field"),
        (None, "wrong_type"),
    ],
)
def test_a_refused_plan_is_a_report_and_changes_nothing(plan: Any, code: str) -> None:
    before = e2e.document()
    report = api.apply_plan(plan)
    assert report.status == "error"
    assert code in {message["code"] for message in report.messages}, report.messages
    checked = api.check_plan(plan)
    assert not checked.ok and code in {message["code"] for message in checked.messages}
    assert e2e.document() == before


def test_checking_a_plan() -> None:
    before = e2e.document()
    good = api.check_plan(PLAN)
    assert good.ok, good.messages
    assert good.plan is not None
    bad = api.check_plan(changed_plan(op="paint"))
    assert not bad.ok
    [finding] = [message for message in bad.messages if message["severity"] == "error"]
    assert finding["code"] == "unknown_op"
    assert finding["path"].startswith("/steps/0/payload/operations/4")
    assert e2e.document() == before


def test_checking_a_page() -> None:
    before = e2e.document()
    page = "def lifted(geometry: Geometry) -> Geometry:\n    return transform_geometry(geometry, scale=(1, 1, 2))\n"
    for end in ('apply("Lifted", object="Plane", modifier="Lifted")\n', 'apply("Lifted")\n'):
        checked = api.check_plan(of_page(page + end))
        assert checked.ok, checked.messages
        assert not api.check_plan(of_page(page.replace("scale", "scael") + end)).ok
    assert not api.check_plan(of_page('with edit("Nothing"):\n    turn.scale = (2.0, 2.0, 2.0)\n')).ok
    assert e2e.document() == before


def of_page(text: str) -> dict[str, Any]:
    step = {"id": "s1", "type": "NODE_TREE", "description": "d", "payload": {"text": text}}
    return {"version": "1.2", "steps": [step], "done": True, "final_message": "m"}


def test_a_run_reports_its_events() -> None:
    events: list[dict[str, Any]] = []
    report = api.run("scatter 20 cubes on the plane", object="Plane", on_event=events.append)
    assert report.ok, report.messages
    summaries = [event["summary"] for event in events if event["event"] == "state"]
    assert summaries[0] == "PLANNING"
    assert summaries[-1] == "DONE"
    assert report.to_dict()["status"] == report.status


def test_cancelling_at_every_poll_leaves_the_file_as_it_was() -> None:
    before = e2e.document()
    for polls in range(40):
        handle = api.start("scatter 20 cubes on the plane", object="Plane")
        for _ in range(polls):
            handle.wait(1000)
            handle.poll(0)
        handle.cancel()
        report = driver.drive(handle)
        if report.ok:
            break
        assert report.status == "cancelled", (polls, report.messages)
        assert e2e.document() == before, f"after {polls} polls"
    else:
        raise AssertionError("the run never ended by itself")
    assert polls > 5


@pytest.mark.parametrize("effect", ["capture_context", "inspect", "begin", "apply_step", "verify", "commit"])
def test_a_fault_of_blender_at_any_effect_restores(effect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from geonode_assistant.run.bridge import BlenderHost

    before = e2e.document()
    real = getattr(BlenderHost, effect)

    def faulty(self: BlenderHost, *arguments: Any) -> dict[str, Any]:
        if effect == "apply_step":
            real(self, *arguments)
        raise ReferenceError("StructRNA of type Object has been removed")

    monkeypatch.setattr(BlenderHost, effect, faulty)
    report = api.apply_plan(PLAN)
    monkeypatch.undo()
    if effect != "capture_context":
        assert report.status == "error"
        assert "removed" in report.error["text"]
    assert e2e.document() == before or report.ok


def test_replayed_replies_are_a_provider() -> None:
    handle = api.start("lift it", object="Plane", provider="replay", replies=[PLAN])
    report = driver.drive(handle)
    assert report.ok, report.messages
    assert top() == pytest.approx(2)
    assert handle.report() is report, "it does not change any more, and that of a large plan takes long to read"


def test_settings_apply_to_one_run_and_wrong_ones_end_it() -> None:
    report = api.apply_plan(PLAN, settings={"max_operations": 1})
    assert report.error["code"] == "too_many_operations"
    assert api.apply_plan(PLAN).status == "done"
    report = api.run("scatter 20 cubes on the plane", settings={"retrys": 1})
    assert report.error["code"] == "setting_invalid"
    assert "retries" in report.error["text"]


def test_a_request_may_take_as_long_as_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert starting.patience(60) == {}
    assert starting.patience(3000) == {"total_timeout_s": 3000, "local_timeout_s": 3000}
    assert starting.patience(1e6) == {"total_timeout_s": 3600, "local_timeout_s": 3600}
    monkeypatch.setattr(starting.choices, "settings", lambda: {"total_timeout_s": 700.0})
    assert starting.patience(3000) == {"local_timeout_s": 3000}


@pytest.mark.parametrize("call", [api.start, api.run])
def test_a_misspelt_argument_is_refused(call: Any) -> None:
    with pytest.raises(TypeError, match="setings"):
        call("scatter 20 cubes on the plane", setings={"retries": 1})


def test_one_run_at_a_time() -> None:
    handle = api.start("scatter 20 cubes on the plane")
    with pytest.raises(AssistantError) as caught:
        api.start("scatter 20 cubes on the plane")
    assert caught.value.code == "run_in_progress"
    handle.close()


def test_another_thread_is_refused() -> None:
    caught: list[BaseException] = []

    def work() -> None:
        try:
            api.start("scatter 20 cubes on the plane")
        except AssistantError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [error.code for error in caught] == ["wrong_thread"]


def window(**app: Any) -> SimpleNamespace:
    """``bpy`` as in an open window, as far as the calls read it."""
    defaults = {"background": False, "online_access": False, "binary_path": "/usr/bin/blender"}
    return SimpleNamespace(app=SimpleNamespace(**{**defaults, **app}))


@pytest.mark.parametrize(
    "call", [lambda: api.run("x"), lambda: api.apply_plan(PLAN), lambda: api.run_manifest("m.json")]
)
def test_blocking_calls_are_refused_in_a_window(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "bpy", window())
    with pytest.raises(AssistantError) as caught:
        call()
    assert caught.value.code == "would_block"


@pytest.mark.parametrize(
    ("provider", "url", "switch", "allowed"),
    [
        ("offline", None, False, True),
        ("replay", None, False, True),
        ("openai", None, False, False),
        ("openai", None, True, True),
        ("openai-compatible", "https://models.example/v1", False, False),
        ("openai-compatible", "http://localhost:11434/v1", False, True),
        ("openai-compatible", "http://127.8.0.1:1/v1", False, True),
        ("openai-compatible", "http://[::1]:1/v1", False, True),
        ("openai-compatible", "http://localhost.example/v1", False, False),
        ("openai-compatible", "http://127.0.0.1.example/v1", False, False),
        ("openai-compatible", "http://localhost@models.example/v1", False, False),
        ("openai-compatible", "http://[::1", False, False),
        ("openai-compatible", None, False, False),
    ],
)
def test_the_online_switch_is_obeyed(
    provider: str, url: str | None, switch: bool, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(online, "bpy", window(online_access=switch))
    if allowed:
        online.check(provider, url)
        return
    with pytest.raises(AssistantError) as caught:
        online.check(provider, url)
    assert caught.value.code == "online_access_disabled"


def test_the_key_is_read_from_the_named_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    import addon_utils

    addon_utils.enable("geonode_assistant", default_set=True)
    try:
        stored = bpy.context.preferences.addons["geonode_assistant"].preferences
        stored.provider, stored.model, stored.key_variable = "openai-compatible", "m", "GEONODE_TEST_KEY"
        monkeypatch.delenv("GEONODE_TEST_KEY", raising=False)
        with pytest.raises(AssistantError) as caught:
            choices.choice(None, None, None)
        assert caught.value.code == "auth_missing"
        monkeypatch.setenv("GEONODE_TEST_KEY", "k-1")
        assert choices.choice(None, None, None) == ("openai-compatible", "m", None, "k-1")
        assert choices.choice("offline", None, None) == ("offline", None, None, None)
    finally:
        addon_utils.disable("geonode_assistant", default_set=True)
    # Without the add-on's preferences the caller names the variable.
    url = "http://127.0.0.1:9/v1"
    named = choices.choice("openai-compatible", "m", url, "GEONODE_TEST_KEY")
    assert named == ("openai-compatible", "m", url, "k-1")
    with pytest.raises(AssistantError) as caught:
        choices.choice("openai-compatible", "m", url, "GEONODE_NO_SUCH_KEY")
    assert caught.value.code == "auth_missing"


def test_the_sidebar_drives_the_same_run() -> None:
    geonode_assistant.register()
    try:
        before = e2e.document()
        bpy.context.window_manager.geonode_assistant.prompt = "scatter 20 cubes on the plane"
        assert bpy.ops.geonode.send() == {"FINISHED"}
        while session.current.running:
            session.current.handle.wait(1000)
            polling.tick()
        assert session.current.report.ok, session.current.messages
        assert session.current.final_message
        assert bpy.context.window_manager.geonode_assistant.state == "DONE"
        bpy.ops.ed.undo()
        assert e2e.document() == before
    finally:
        geonode_assistant.unregister()


def test_check_script() -> None:
    good = api.check_script("import bpy\nbpy.context.object.location.x += 1\n")
    assert good.ok and not good.findings and not good.asks
    bad = api.check_script("import bpy\nx = bpy.context.preferences\nimport socket\n")
    assert not bad.ok
    assert [(one.code, one.rule, one.line, one.column) for one in bad.findings] == [
        ("script_attribute", "attributes", 2, 17),
        ("script_import", "imports", 3, 8),
    ]
    assert all(one.text and one.hint for one in bad.findings)
    asked = api.check_script('import bpy\nbpy.ops.object.delete()\nd = {}\nprint(f"{d.get("x")}")\n')
    assert asked.ok and [one.code for one in asked.asks] == ["script_destructive"]
    assert asked.source.endswith("print(f\"{d.get('x')}\")\n")


def test_a_picture_is_read_from_its_file_or_refused(tmp_path: Path) -> None:
    picture = tmp_path / "Chair.PNG"
    picture.write_bytes(b"ABC")
    assert starting.attached(picture) == {"media_type": "image/png", "data": "QUJD"}
    with (tmp_path / "large.jpg").open("wb") as large:
        large.truncate(6_000_001)
    for name, code in [("none.png", "file_not_found"), ("large.jpg", "file_too_large"), ("x.svg", "invalid_value")]:
        with pytest.raises(AssistantError) as refusal:
            starting.attached(tmp_path / name)
        assert refusal.value.code == code
