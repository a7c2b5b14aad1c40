# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on registers and unregisters without leaving anything behind; its operators say why they cannot run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import bpy
import geonode_assistant
import pytest
from geonode_assistant.host import deferred_updates
from geonode_assistant.run import session
from geonode_assistant.run.driver import RunHandle
from geonode_assistant.ui import polling, registry
from scripted import FakeHost, ScriptedCore


def traces() -> dict[str, object]:
    """Everything in Blender in which a registration could leave something behind."""
    handlers = {
        name: len(value) for name in dir(bpy.app.handlers) if isinstance(value := getattr(bpy.app.handlers, name), list)
    }
    return {
        "types": {name for name in dir(bpy.types) if "geonode" in name.lower()},
        "subclasses": {
            cls
            for base in (bpy.types.Operator, bpy.types.Panel, bpy.types.AddonPreferences, bpy.types.PropertyGroup)
            for cls in base.__subclasses__()
            if getattr(cls, "is_registered", False) and "geonode_assistant" in cls.__module__
        },
        "operators": {name for name in dir(bpy.ops.geonode)},
        "properties": {name for name in dir(bpy.types.WindowManager) if "geonode" in name.lower()},
        "handlers": handlers,
        "timer": bpy.app.timers.is_registered(polling.tick),
    }


def helper_class() -> object:
    """The class of the helper tree, which an edit registers."""
    return bpy.types.NodeTree.bl_rna_get_subclass_py(deferred_updates.HELPER_TYPE)


@pytest.fixture
def registered() -> Iterator[None]:
    geonode_assistant.register()
    yield
    geonode_assistant.unregister()


def test_unregister_removes_everything_that_register_added() -> None:
    before = traces()
    for _ in range(3):
        geonode_assistant.register()
        assert traces() != before
        with deferred_updates.suppression() as suppressor:
            tree = bpy.data.node_groups.new("T", "GeometryNodeTree")
            suppressor.run(lambda: None, tree)
            bpy.data.node_groups.remove(tree)
        assert helper_class() is not None
        geonode_assistant.unregister()
        assert helper_class() is None
        assert traces() == before


def test_every_class_of_every_module_is_registered(registered: None) -> None:
    classes = [cls for module in registry.MODULES for cls in module.CLASSES]
    assert len(classes) >= 6
    assert all("bl_rna" in vars(cls) for cls in classes)


def test_a_failing_registration_raises_and_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = traces()

    def broken() -> None:
        raise RuntimeError("no properties today")

    monkeypatch.setattr(registry.properties, "attach", broken)
    with pytest.raises(RuntimeError, match="no properties today"):
        geonode_assistant.register()
    assert traces() == before


def test_a_second_registration_is_refused_and_the_first_stands(registered: None) -> None:
    with pytest.raises(RuntimeError):
        geonode_assistant.register()
    assert registry.MODULES[0].CLASSES[0].is_registered
    assert bpy.ops.geonode.send.poll is not None


def test_operators_say_why_they_cannot_run(registered: None) -> None:
    manager = bpy.context.window_manager
    manager.geonode_assistant.prompt = "  "
    assert not bpy.ops.geonode.send.poll()
    with pytest.raises(RuntimeError, match="Type a prompt first"):
        bpy.ops.geonode.send()
    with pytest.raises(RuntimeError, match="Nothing is running"):
        bpy.ops.geonode.cancel()
    manager.geonode_assistant.prompt = "scatter 5 rocks"
    assert bpy.ops.geonode.send.poll()
    session.current.claim(lambda: RunHandle(ScriptedCore(), FakeHost()))
    with pytest.raises(RuntimeError, match="A run is under way"):
        bpy.ops.geonode.send()
    assert bpy.ops.geonode.cancel.poll()


def test_the_prompt_keeps_any_text(registered: None) -> None:
    properties = bpy.context.window_manager.geonode_assistant
    for text in ("Öl auf ß 😀 \n second line", "x" * 100_000):
        properties.prompt = text
        assert properties.prompt == text
    assert properties.state == "IDLE"


def test_the_timer_runs_the_session_and_ends_with_it(registered: None) -> None:
    host = FakeHost()
    session.current.claim(lambda: RunHandle(ScriptedCore(), host))
    polling.start()
    polling.start()
    assert bpy.app.timers.is_registered(polling.tick)
    for _ in range(50):
        if polling.tick() is None:
            break
    assert session.current.report is not None
    assert session.current.report.ok
    assert bpy.context.window_manager.geonode_assistant.state == "DONE"


@pytest.mark.parametrize("end", ["load", "unregister"])
def test_loading_a_file_and_disabling_cancel_and_restore(end: str) -> None:
    geonode_assistant.register()
    host = FakeHost()
    session.current.claim(lambda: RunHandle(ScriptedCore(), host))
    for _ in range(5):
        session.current.poll(0)
    assert host.written == 2
    polling.start()
    if end == "load":
        bpy.ops.wm.read_homefile(use_factory_startup=True)
        assert host.written == 0
        assert session.current.summary == "IDLE" and session.current.report is None
        assert not bpy.app.timers.is_registered(polling.tick)
        geonode_assistant.unregister()
    else:
        geonode_assistant.unregister()
        assert session.current.report.status == "cancelled"
    assert host.written == 0
    assert not bpy.app.timers.is_registered(polling.tick)


@pytest.mark.parametrize("event", ["save", "undo"])
def test_a_half_written_run_is_restored_before_saving_or_undoing(event: str, registered: None, tmp_path: Path) -> None:
    bpy.ops.ed.undo_push(message="One")
    bpy.ops.ed.undo_push(message="Two")

    def happen() -> None:
        if event == "save":
            bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"), copy=True)
        else:
            bpy.ops.ed.undo()

    host = FakeHost()
    session.current.claim(lambda: RunHandle(ScriptedCore(), host))
    session.current.poll(0)
    happen()
    assert session.current.running, "nothing was written yet"
    for _ in range(4):
        session.current.poll(0)
    assert host.written == 2
    happen()
    assert host.written == 0
    assert session.current.report.status == "cancelled"


def test_saving_by_the_host_does_not_cancel_the_run(registered: None, tmp_path: Path) -> None:
    class Saving(FakeHost):
        def verify(self, objects: list[str], trees: list[str]) -> dict:
            bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"), copy=True)
            return super().verify(objects, trees)

    session.current.claim(lambda: RunHandle(ScriptedCore(), Saving()))
    while session.current.running:
        session.current.poll()
    assert session.current.report.ok


def test_disabling_and_enabling_as_an_addon() -> None:
    import addon_utils

    before = traces()
    assert addon_utils.enable("geonode_assistant", default_set=True) is not None
    preferences = bpy.context.preferences.addons["geonode_assistant"].preferences
    assert preferences.provider == "offline"
    assert bpy.ops.geonode.send.poll() is False
    addon_utils.disable("geonode_assistant", default_set=True)
    assert traces() == before


def test_registration_loads_no_room_of_scripts() -> None:
    """It has no context, and is short: in a process of its own, since others have loaded scripts here."""
    code = (
        "import sys, bpy, geonode_assistant as addon; addon.register(); "
        "assert not [name for name in sys.modules if 'geonode_assistant.scripting' in name]; addon.unregister()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
